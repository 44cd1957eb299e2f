/** Reads the rows of a JSON array one at a time, so that a file of any length takes the memory of one row. */

/** Maximum size of a row in bytes. Real ones have less than a kilobyte; one that never ends must not fill the memory. */
const MAX_ROW = 256 * 1024;

/** What is wrong with a file of rows: the end of a sentence that begins with the file's name. */
export class NotRows extends Error {}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_ROW, CLOSE_ROW] = [0x5b, 0x5d, 0x7b, 0x7d];
const BOM = [0xef, 0xbb, 0xbf];
const BLANK: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d];

/**
 * Calls `onRow` with each row of a JSON array of objects. Finds the ends of the rows by counting brackets outside of texts, and
 * parses each row by itself.
 * @throws NotRows, after the rows before the fault; what `chunks` or `onRow` throws
 */
export async function eachRow(
  chunks: AsyncIterable<Uint8Array>,
  onRow: (row: unknown) => void,
): Promise<void> {
  let size = 0;
  /** 0 outside of the array, 1 between its rows, 2 and more within a row. */
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  let isBegun = false;
  /** The beginning of a row that the next chunk continues. */
  let begun: Uint8Array[] = [];
  let begunSize = 0;

  function take(chunk: Uint8Array): void {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInText = false;
      } else if (depth < 2) {
        between(byte, size + at);
        if (depth === 2) from = at;
      } else if (byte === QUOTE) isInText = true;
      else if (byte === OPEN_ROW || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE_ROW || byte === CLOSE_LIST) {
        depth -= 1;
        if (depth === 1) finish(chunk.subarray(from, at + 1), size + at);
      }
    }
    if (depth >= 2) keep(chunk.subarray(from));
    size += chunk.length;
  }

  /** Takes a byte that is not in a row. */
  function between(byte: number | undefined, at: number): void {
    if (BLANK.includes(byte) || (at < BOM.length && byte === BOM[at])) return;
    if (depth === 0 && !isBegun && byte === OPEN_LIST) {
      isBegun = true;
      depth = 1;
    } else if (depth === 1 && byte === OPEN_ROW) depth = 2;
    else if (depth === 1 && byte === CLOSE_LIST) depth = 0;
    else if (depth !== 1 || byte !== COMMA) {
      throw new NotRows(isBegun ? `is not valid JSON at byte ${at}` : 'is not a list of plays');
    }
  }

  function keep(part: Uint8Array): void {
    begun.push(part);
    begunSize += part.length;
    if (begunSize > MAX_ROW) throw new NotRows('has a row without an end');
  }

  function finish(last: Uint8Array, at: number): void {
    const row = begun.length === 0 ? last : Buffer.concat([...begun, last]);
    begun = [];
    begunSize = 0;
    onRow(parsed(row, at));
  }

  for await (const chunk of chunks) take(chunk);
  if (size === 0) throw new NotRows('is empty');
  if (!isBegun) throw new NotRows('is not a list of plays');
  if (depth > 0) throw new NotRows('ends in the middle');
}

function parsed(row: Uint8Array, end: number): unknown {
  try {
    return JSON.parse(Buffer.from(row.buffer, row.byteOffset, row.length).toString('utf8'));
  } catch {
    throw new NotRows(`is not valid JSON before byte ${end}`);
  }
}
