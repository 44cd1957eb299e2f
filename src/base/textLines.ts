/** Splits what comes from a stream into lines. */
import { StringDecoder } from 'node:string_decoder';

/** Lines as they come; null stands for one that is too long. */
export type Lines = AsyncGenerator<string | null, void>;

/**
 * Yields each line without its line feed; null for a line of more than `max` characters, which is not kept. Only a line feed ends
 * a line: JSON may hold the other separators of Unicode, which `node:readline` splits at. An unfinished last line counts too. A
 * byte order mark at the beginning is left out.
 */
export async function* linesOf(input: AsyncIterable<Buffer | string>, max: number): Lines {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  let isFirst = true;
  const whole = () => (length > max ? null : parts.join(''));
  for await (const chunk of input) {
    const read = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    const [first = '', ...others] = (isFirst ? read.replace(/^\uFEFF/, '') : read).split('\n');
    isFirst &&= read === '';
    for (const [index, text] of [first, ...others].entries()) {
      if (index > 0) {
        yield whole();
        [parts, length] = [[], 0];
      }
      length += text.length;
      if (length <= max) parts.push(text);
      else parts = [];
    }
  }
  if (length > 0) yield whole();
}
