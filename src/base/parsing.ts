/** Reads text and values from outside that may not be what they should be. None of these functions throws. */

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the text without percent-encoding; unchanged if the encoding is not valid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses a JSON text; undefined if it is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/giu;
const NAMED = new Map(
  'amp& quot" apos\' lt< gt> ndash– mdash— lsquo‘ rsquo’ ldquo“ rdquo” hellip… nbsp\u00a0'
    .split(' ')
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)] as const),
);

/** The text with the characters of HTML entities (`&amp;`, `&#39;`), as answers of services and sources of pages have them. */
export function withoutEntities(text: string): string {
  return text.replace(ENTITY, (written, decimal?: string, hex?: string, name = '') => {
    if (name !== '') return NAMED.get(name) ?? written;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    const character = code > 0x10ffff ? '' : String.fromCodePoint(code);
    return character === '' || /\p{C}/u.test(character) ? written : character;
  });
}
