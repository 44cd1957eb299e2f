/** Limits on the shape of JSON from outside, so that reading it takes milliseconds at most. Callers limit its length. */

/**
 * The most levels of brackets. Code that calls itself for each level runs out of stack at some thousands of them, how many
 * depends on the version of Node, and in some versions `JSON.stringify` never does. This limit is the same in all of them.
 */
export const MAX_JSON_DEPTH = 64;
/**
 * The other limits, which are higher than any request to relay needs. A list of songs has 10,000 entries of at most nine values,
 * four levels below the message.
 */
const MAX_MEMBERS = 200;
const MAX_ENTRIES = 20_000;
const MAX_VALUES = 100_000;
/** `MAX_VALUES` does not shorten the outermost levels, in which a message says what it is. */
const ENVELOPE_DEPTH = 2;

/** Texts up to this many bytes are cheap to parse, whatever their shape. */
const SHORT = 16_384;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const NULL = Buffer.from('null');

/**
 * Parses a JSON text. In a text longer than `SHORT`, parts beyond the limits are left out unread: what is nested too deeply
 * becomes null, and members and entries beyond the largest number are missing. Callers must have lower limits of their own, so
 * that they refuse a value that was shortened here.
 * @throws SyntaxError
 */
export function parseBounded(json: Buffer): unknown {
  return JSON.parse((json.length <= SHORT ? json : withinBounds(json)).toString('utf8')) as unknown;
}

/** One pass over the bytes. It does not check the grammar; the parser does, for the parts that are kept. */
function withinBounds(json: Buffer): Buffer {
  const kept: Buffer[] = [];
  // For each open object or list: its members so far, and how many it may have.
  const counts = new Int32Array(MAX_JSON_DEPTH + 1);
  const limits = new Int32Array(MAX_JSON_DEPTH + 1);
  let values = 0;
  let depth = 0;
  /** Start of the next part to keep. */
  let from = 0;
  /** Depth at which the skipped part ends; null if nothing is being skipped. */
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
      if (endsAt === null && depth === MAX_JSON_DEPTH) {
        kept.push(json.subarray(from, at), NULL);
        endsAt = MAX_JSON_DEPTH;
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
      // A value that is nested too deeply is left out with its closing bracket. A value with too many entries keeps the
      // bracket.
      from = endsAt === MAX_JSON_DEPTH ? at + 1 : at;
      endsAt = null;
    }
  }
  if (kept.length === 0) return json;
  // A text that ends inside a skipped part is not valid JSON anyway.
  return Buffer.concat(endsAt === null ? [...kept, json.subarray(from)] : kept);
}

/** @param at index of the opening quote. @returns index of the closing quote, or the length of the text */
function endOfString(json: Buffer, at: number): number {
  for (let place = at + 1; place < json.length; place++) {
    const byte = json[place];
    if (byte === QUOTE) return place;
    if (byte === BACKSLASH) place += 1;
  }
  return json.length;
}

/** Returns the position of the first bracket that is nested too deeply, or null. Does not check the grammar. */
export function tooDeepAt(text: string): number | null {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (isString) {
      if (sign === BACKSLASH) at += 1;
      // A line end ends an unclosed string, as it does for a parser that continues after a fault.
      else if (sign === QUOTE || sign === NEWLINE) isString = false;
    } else if (sign === QUOTE) isString = true;
    else if (sign === BRACE || sign === BRACKET) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return at;
    } else if (sign === BRACE_END || sign === BRACKET_END) depth -= 1;
  }
  return null;
}
