/** Strings that a stranger may choose, and a check for text that a person sees. */
import assert from 'node:assert/strict';
import { Seeded } from '../../src/demo/catalogue/seeded.ts';

/** Characters that control a terminal, reverse text or hide it, and a lone surrogate. */
const STEERING = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 0x21 }, (_, offset) => String.fromCharCode(0x7f + offset)),
  ...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069',
  ...'\u00ad\u200b\u2028\u2029\u2060\u2061\u2064\u206a\u206f\ufeff\ufff9\u{e0001}\u{e0041}\u{e007f}',
  '\ud800',
  '\udbff',
  '\udc00',
  '\udfff',
];

/** Complete attacks: clipboard, title, colour, screen, a forged log line, a forged line of relay, a forged error. */
const TRICKS = [
  '\u001b]52;c;cm0gLXJmIH4K\u0007',
  '\u009d52;c;cm0gLXJmIH4K\u009c',
  '\u001b]0;owned\u0007',
  '\u001b[31m',
  '\u009b2J',
  '\u001b[1A\u001b[2K',
  '\r\n[12:00:00.000] INFO: client approved',
  '\n{"level":"info","msg":"client approved"}',
  '\nrelay: all is well\n',
  '\n    at approve (server.ts:1:1)',
  '\r\nset-cookie: owner=1',
  '\u202egnp.exe',
  '\\n\\u001b[31m"},{"\\',
  '%s%d%o{msg}{name}',
  '</title><script>alert(1)</script>',
];

/** Letters, marks and emoji that must stay unchanged. */
const LETTERS = [
  'a',
  'Z',
  ' ',
  '"',
  '\\',
  'é',
  'e\u0301',
  'Ω',
  'ж',
  'ש',
  'ع',
  'ก็',
  '音',
  '한',
  '👩‍🚀',
  '🇩🇪',
  'नम\u200dस्ते',
  'می\u200cخواهم',
];

/** `count` strings, the same for the same seed; one in 200 is very long. */
export function hostileTexts(count: number, seed = 10): string[] {
  const chance = new Seeded(seed);
  const one = (list: readonly string[]) => list[chance.int(list.length)] as string;
  const part = () => (chance.chance(45) ? one(LETTERS) : chance.chance(70) ? one(STEERING) : one(TRICKS));
  return Array.from({ length: count }, (_, index) => {
    const text = Array.from({ length: chance.between(1, 12) }, part).join('');
    return index % 200 === 199 ? text.repeat(chance.between(50, 400)) : text;
  });
}

/** Control, format and line characters and lone surrogates, except those that some scripts and emoji need. */
const FORBIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Fails if `text` has a character that must not reach a person. Line ends are allowed. */
export function assertClean(text: string, where: string): void {
  const found = FORBIDDEN.exec(text.replaceAll('\n', ''));
  if (found === null) return;
  const code = found[0].codePointAt(0)?.toString(16).padStart(4, '0');
  assert.fail(
    `${where} holds U+${code}: ${JSON.stringify(text.slice(Math.max(0, found.index - 40), found.index + 40))}`,
  );
}
