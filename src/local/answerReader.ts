/** A client's parser for HTTP/1.1 (RFC 9112): reads one answer after another from the bytes of a connection. */

/** The status and the headers of an answer. @internal */
export interface AnswerHead {
  status: number;
  /** The headers by lower-case name; of a repeated field, the last value. */
  headers: ReadonlyMap<string, string>;
}

export interface AnswerTaker {
  head(head: AnswerHead): void;
  body(bytes: Buffer): void;
  /** @param isLast true if no other answer comes on this connection */
  end(isLast: boolean): void;
}

/** A usual head has about 500 bytes. */
const MAX_HEAD = 64 * 1024;
const LINE_END = '\r\n';

/** The part of an answer that comes next. */
type Place =
  | { in: 'head' }
  | { in: 'length'; left: number }
  | { in: 'chunk'; left: number }
  | { in: 'size' | 'chunk end' | 'trailers' | 'rest' };

export class AnswerReader {
  readonly #taker: AnswerTaker;
  #pending: Buffer = Buffer.alloc(0);
  #place: Place = { in: 'head' };
  #isLast = false;

  constructor(taker: AnswerTaker) {
    this.#taker = taker;
  }

  /** @throws Error for what is not an HTTP/1.1 answer */
  take(bytes: Buffer): void {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    while (this.#pending.length > 0 && this.#step());
  }

  /**
   * Ends the last answer. Call this when the other side has closed the connection. @throws Error if the answer was not complete
   */
  close(): void {
    if (this.#place.in !== 'rest') throw new Error('it closed the connection');
    this.#end();
  }

  /** False if more bytes are needed. */
  #step(): boolean {
    const place = this.#place;
    switch (place.in) {
      case 'head':
        return this.#readHead();
      case 'length':
        return this.#readUpTo(place, () => this.#end());
      case 'chunk':
        return this.#readUpTo(place, () => {
          this.#place = { in: 'chunk end' };
        });
      case 'rest':
        this.#taker.body(this.#cut(this.#pending.length));
        return true;
      default:
        return this.#readLine(place.in);
    }
  }

  #readHead(): boolean {
    const end = this.#pending.indexOf(`${LINE_END}${LINE_END}`);
    if ((end === -1 ? this.#pending.length : end) > MAX_HEAD) throw notHttp();
    if (end === -1) return false;
    const [first = '', ...lines] = this.#cut(end + 4)
      .toString('latin1', 0, end)
      .split(LINE_END);
    const [, minor, code] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first) ?? [];
    if (code === undefined) throw notHttp();
    const status = Number(code);
    // An interim answer; the real one follows.
    if (status < 200) return true;
    const headers = new Map(lines.map(fieldOf));
    this.#isLast = minor === '0' || /\bclose\b/i.test(headers.get('connection') ?? '');
    this.#taker.head({ status, headers });
    this.#beginBody(status, headers);
    return true;
  }

  /** RFC 9112, 6.3. */
  #beginBody(status: number, headers: ReadonlyMap<string, string>): void {
    const length = headers.get('content-length');
    const coding = headers.get('transfer-encoding');
    if (status === 204 || status === 304) this.#end();
    else if (coding !== undefined) {
      if (coding.toLowerCase() !== 'chunked') throw notHttp();
      this.#place = { in: 'size' };
    } else if (length !== undefined) {
      if (!/^\d{1,15}$/.test(length)) throw notHttp();
      this.#place = { in: 'length', left: Number(length) };
      if (Number(length) === 0) this.#end();
    } else {
      this.#place = { in: 'rest' };
      this.#isLast = true;
    }
  }

  #readUpTo(place: { left: number }, done: () => void): boolean {
    const bytes = this.#cut(Math.min(place.left, this.#pending.length));
    place.left -= bytes.length;
    this.#taker.body(bytes);
    if (place.left === 0) done();
    return true;
  }

  /** Reads a line around chunks: the size of a chunk, its end, or a field after the last chunk (RFC 9112, 7.1). */
  #readLine(kind: 'size' | 'chunk end' | 'trailers'): boolean {
    const end = this.#pending.indexOf(LINE_END);
    if ((end === -1 ? this.#pending.length : end) > MAX_HEAD) throw notHttp();
    if (end === -1) return false;
    const line = this.#cut(end + 2).toString('latin1', 0, end);
    if (kind === 'trailers') {
      if (line === '') this.#end();
      return true;
    }
    if (kind === 'chunk end') {
      if (line !== '') throw notHttp();
      this.#place = { in: 'size' };
      return true;
    }
    const [, size] = /^([0-9a-f]{1,12})\s*(?:;|$)/i.exec(line) ?? [];
    if (size === undefined) throw notHttp();
    const left = Number.parseInt(size, 16);
    this.#place = left === 0 ? { in: 'trailers' } : { in: 'chunk', left };
    return true;
  }

  #end(): void {
    this.#place = { in: 'head' };
    this.#taker.end(this.#isLast);
  }

  #cut(length: number): Buffer {
    const bytes = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    return bytes;
  }
}

function fieldOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 1) throw notHttp();
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function notHttp(): Error {
  return new Error('what it sends is not HTTP');
}
