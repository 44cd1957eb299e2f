/** A limit on how deep JSON from outside is nested. */

/**
 * The most levels of brackets. Code that calls itself for each level runs out of stack at some thousands of them, how many
 * depends on the version of Node, and in some versions `JSON.stringify` never does. This limit is the same in all of them.
 */
export const MAX_JSON_DEPTH = 64;
const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;

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
