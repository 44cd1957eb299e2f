/** The parts of random inputs: what strangers, faulty programs and attackers send. */
import fc from 'fast-check';
import { hostileTexts } from '../support/hostileText.ts';

/** Each of these values has broken some program. */
const KNOWN = [
  '',
  ' ',
  '\0',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  'true',
  '-1',
  '1e309',
  '9007199254740993',
  '0x10',
  '%',
  '%00',
  '%zz',
  '%E0%A4%A',
  '..',
  '../../../../etc/passwd',
  '..%2f..%2f',
  '//evil.example',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'file:///etc/passwd',
  "'; DROP TABLE changes; --",
  '"><svg onload=alert(1)>',
  '$(id)',
  '\r\nset-cookie: a=b',
  'a'.repeat(5_000),
  '['.repeat(2_000),
  '\ud800',
  '\ufeff',
];

export const knownText = fc.constantFrom(...KNOWN, ...hostileTexts(100, 17));

/** Any text: lone surrogates and control characters too. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ maxLength: 60 }),
  knownText,
  fc.tuple(knownText, fc.string({ maxLength: 20 })).map(([a, b]) => a + b),
);

const anyNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-1, 0, 1, 0.5, 50, 51, 100, 101, 2 ** 31, 2 ** 53, 1e300, -0),
);

/** Any value that JSON can hold. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, '', 0, [], {}),
    anyText,
    anyNumber,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 6 }),
  ),
})).value;

/** A text of `known`, such a text with a change at some place, or any other text. */
export function near(...known: [string, ...string[]]): fc.Arbitrary<string> {
  const changed = fc
    .tuple(fc.constantFrom(...known), fc.nat({ max: 200 }), fc.nat({ max: 3 }), anyText)
    .map(([text, at, gone, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + gone);
    });
  return fc.oneof(fc.constantFrom(...known), changed, anyText);
}
