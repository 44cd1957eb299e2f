/** Reads the body of an answer to `fetch`. */

export class TooLarge extends Error {}

/**
 * Returns the body as text. Reading stops as soon as `signal` aborts. The same signal in the options of `fetch` is not enough.
 * In Node 20, `fetch` forgets that signal if garbage is collected between the headers and the end of the body. The read would
 * then wait for five minutes.
 * @throws TooLarge if the body is longer than `maxBytes`; the reason of `signal`, or the error of the network
 */
export async function bodyText({ body }: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  if (!body) return '';
  const reader = body.getReader();
  // This also cuts the connection.
  const giveUp = () => void reader.cancel().catch(() => {});
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return Buffer.concat(chunks).toString('utf8');
      size += value.byteLength;
      if (size > maxBytes) {
        giveUp();
        throw new TooLarge('the answer is too large');
      }
      chunks.push(value);
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
