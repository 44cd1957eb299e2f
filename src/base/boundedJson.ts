/** JSON from outside with limits on its shape, not only on its length: parsing and walking the rest takes milliseconds. */

/**
 * More than any request to relay needs. A list of songs has 10,000 entries of at most nine values, four levels
 * below the message.
 */
const MAX_DEPTH = 64;
const MAX_MEMBERS = 200;
const MAX_ENTRIES = 20_000;
const MAX_VALUES = 100_000;
/** The outermost levels, in which a message says what it is, are kept however much is below. */
const ENVELOPE_DEPTH = 2;

/** Bytes of a text that is too short to cost anything, whatever its shape. */
const SHORT = 16_384;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const NULL = Buffer.from('null');

/**
 * The value of a JSON text. Parts beyond the limits are left out unread: what is nested too deeply is null, and members and
 * entries beyond the largest number are missing. Only for readers whose own limits are lower: they refuse what remains of a
 * value that was cut.
 * @throws SyntaxError
 */
export function parseBounded(json: Buffer): unknown {
  return JSON.parse((json.length <= SHORT ? json : withinBounds(json)).toString('utf8')) as unknown;
}

/** One pass over the bytes. The grammar is not checked: the parser finds what is wrong with what is kept. */
function withinBounds(json: Buffer): Buffer {
  const kept: Buffer[] = [];
  // Of each open object or list: members or entries so far, and how many there may be.
  const counts = new Int32Array(MAX_DEPTH + 1);
  const limits = new Int32Array(MAX_DEPTH + 1);
  let values = 0;
  let depth = 0;
  /** Where the part begins that is kept next. */
  let from = 0;
  /** The depth at which what is being left out ends; null: nothing is. */
  let endsAt: number | null = null;

  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    if (byte === QUOTE) {
      at = endOfString(json, at);
    } else if (byte === COMMA) {
      if (endsAt !== null) continue;
      if (depth === 0) return json;
      values += 1;
      const count = (counts[depth] as number) + 1;
      counts[depth] = count;
      const isFull = values > MAX_VALUES && depth > ENVELOPE_DEPTH;
      if (!isFull && count < (limits[depth] as number)) continue;
      kept.push(json.subarray(from, at));
      endsAt = depth - 1;
    } else if (byte === BRACE || byte === BRACKET) {
      if (endsAt === null && depth === MAX_DEPTH) {
        kept.push(json.subarray(from, at), NULL);
        endsAt = MAX_DEPTH;
      }
      depth += 1;
      if (endsAt !== null) continue;
      values += 1;
      counts[depth] = 0;
      limits[depth] = byte === BRACE ? MAX_MEMBERS : MAX_ENTRIES;
    } else if (byte === BRACE_END || byte === BRACKET_END) {
      depth -= 1;
      if (depth < 0) return json;
      if (endsAt === null || depth > endsAt) continue;
      // Of a value that was too deep the last bracket goes too; of one that was too long it stays.
      from = endsAt === MAX_DEPTH ? at + 1 : at;
      endsAt = null;
    }
  }
  if (kept.length === 0) return json;
  // Without its end it is no JSON.
  return Buffer.concat(endsAt === null ? [...kept, json.subarray(from)] : kept);
}

/** @param at of its first quote; where the last one is, or the end of the text */
function endOfString(json: Buffer, at: number): number {
  for (let place = at + 1; place < json.length; place++) {
    const byte = json[place];
    if (byte === QUOTE) return place;
    if (byte === BACKSLASH) place += 1;
  }
  return json.length;
}
