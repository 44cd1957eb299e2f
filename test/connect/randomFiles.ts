/** Random files of clients, the same for the same seed. */
import { stringify } from 'smol-toml';
import type { Data } from '../../src/connect/entry.ts';

export type Chance = (below: number) => number;

/** mulberry32: the same numbers for the same seed. */
export function chanceFrom(seed: number): Chance {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const WORDS = [
  'a',
  'x y',
  'é',
  '"',
  '\\',
  '[mcp_servers.relay]',
  '// no',
  '# no',
  '{',
  '}',
  ',',
  "'''",
  '"""',
  '\n',
  '',
];

function text(chance: Chance): string {
  return Array.from({ length: chance(4) }, () => WORDS[chance(WORDS.length)]).join('');
}

function value(chance: Chance, depth: number): unknown {
  const kind = chance(depth > 2 ? 4 : 6);
  if (kind === 0) return chance(1000) - 500;
  if (kind === 1) return chance(2) === 0;
  if (kind === 2 || kind === 3) return text(chance);
  if (kind === 4) return Array.from({ length: chance(3) }, () => text(chance));
  return data(chance, depth + 1);
}

function data(chance: Chance, depth: number): Data {
  return Object.fromEntries(
    Array.from({ length: chance(4) }, (_, index) => [`${text(chance)}${index}`, value(chance, depth)]),
  );
}

/** An entry for relay, as an older version or a user left it. */
function oldEntry(chance: Chance, headers: string): Data {
  const parts: Array<[string, unknown]> = [
    ['url', chance(2) === 0 ? 'http://127.0.0.1:4980/mcp' : 'http://old/mcp'],
    ['command', 'npx'],
    ['args', ['-y', 'mcp-remote', text(chance)]],
    ['enabled', chance(2) === 0],
    ['timeout', 30],
    [headers, { Authorization: 'Bearer old', 'X-Proxy': text(chance) }],
    ['tools', data(chance, 2)],
  ];
  return Object.fromEntries(parts.filter(() => chance(2) === 0).sort(() => chance(3) - 1));
}

/** A random client file, in most cases with the section of servers and sometimes with an old entry for relay. */
export function randomDocument(chance: Chance, section: string, headers: string): Data {
  const servers = { ...data(chance, 1), ...(chance(2) === 0 ? { relay: oldEntry(chance, headers) } : {}) };
  return { ...data(chance, 0), ...(chance(4) === 0 ? {} : { [section]: servers }), ...data(chance, 1) };
}

/** JSON with comments, blank lines and trailing commas, on one line or several. */
export function asJsonc(chance: Chance, of: unknown, indent: string, unit: string): string {
  if (typeof of !== 'object' || of === null) return JSON.stringify(of);
  const isArray = Array.isArray(of);
  const [open, close] = isArray ? '[]' : '{}';
  const inline = chance(3) === 0;
  const line = inline ? '' : `\n${indent}${unit}`;
  const before = () => ['', '', ' /* c, } */'][chance(3)];
  // A line comment needs a line break after it, so on one line there are only block comments.
  const behind = () => (inline ? before() : ['', '', ' // c "', ' /* , */', `${line}// own`][chance(5)]);
  const members = Object.entries(of).map(([key, item], index, all) => {
    const name = isArray ? '' : `${JSON.stringify(key)}: `;
    const comma = index < all.length - 1 || chance(4) === 0 ? ',' : '';
    // Merging may remove these members, so no comment that must stay is put into them.
    const layout = ['args', 'headers'].includes(key)
      ? JSON.stringify
      : (it: unknown) => asJsonc(chance, it, indent + unit, unit);
    return `${line}${name}${layout(item)}${before()}${comma}${behind()}`;
  });
  return `${open}${members.join('')}${inline ? '' : `\n${indent}`}${close}`;
}

/** The output of a TOML writer, with comments between lines that are not inside a string. */
export function asToml(chance: Chance, of: Data): string {
  const lines = stringify(of)
    .split('\n')
    .map((line) => (chance(4) === 0 ? `# own [mcp_servers.relay]\n${line}` : line))
    .map((line) => (chance(4) === 0 && !line.endsWith('\n') ? `${line} # c "` : line));
  const tail = chance(2) === 0 ? '\n[last]\ntext = """\n[mcp_servers.relay]\nurl = "no"\n\\""" """\n' : '';
  return lines.join('\n') + tail;
}
