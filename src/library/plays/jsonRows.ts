/** Reads the rows of a JSON array one at a time, so that a file of any length takes the memory of one row. */
import { JSONParser } from '@streamparser/json';

/** Maximum size of a row. Real ones have less than a kilobyte; one that never ends must not fill the memory. */
const MAX_ROW = 256 * 1024;
const PART = 64 * 1024;

/** Why a file of rows is refused. The message is the end of a sentence that begins with the file's name. */
export class NotRows extends Error {}

/** Calls `onRow` with each row of a JSON array. @throws NotRows, and what `chunks` or `onRow` throws */
export async function eachRow(
  chunks: AsyncIterable<Uint8Array>,
  onRow: (row: unknown) => void,
): Promise<void> {
  const parser = new JSONParser({ paths: ['$.*'], keepStack: false });
  let waiting = 0;
  let thrown: unknown = null;
  parser.onValue = ({ value }) => {
    waiting = 0;
    try {
      onRow(value);
    } catch (error) {
      thrown = error;
      throw error;
    }
  };
  let isBegun = false;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PART) {
      const part = chunk.subarray(at, at + PART);
      if (!isBegun) isBegun = begins(part);
      waiting += part.length;
      write(parser, part, () => thrown);
      if (waiting > MAX_ROW + PART && !parser.isEnded) throw new NotRows('has a row without an end');
    }
  }
  if (!parser.isEnded) throw new NotRows(isBegun ? 'ends in the middle' : 'is empty');
}

/** True if the array begins in this part, false if the part is blank. @throws NotRows if it begins with anything else */
function begins(part: Uint8Array): boolean {
  const first = Buffer.from(part)
    .toString('utf8')
    .replace(/^\ufeff/u, '')
    .trimStart();
  if (first === '') return false;
  if (first.startsWith('[')) return true;
  throw new NotRows('is not a list of plays');
}

function write(parser: JSONParser, part: Uint8Array, thrown: () => unknown): void {
  try {
    parser.write(part);
  } catch (error) {
    const own = thrown();
    if (own !== null) throw own;
    const where = /absolute position "(\d+)"/.exec(String(error))?.[1];
    throw new NotRows(`is not valid JSON${where === undefined ? '' : ` at byte ${where}`}`);
  }
}
