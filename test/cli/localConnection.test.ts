/** The command line's own HTTP client, tried against Node's server and against bytes that arrive in any pieces. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTcp } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AnswerHead, AnswerReader } from '../../src/local/answerReader.ts';
import { openConnection } from '../../src/local/connection.ts';
import { listening } from '../support/http.ts';

/** The answers that a reader finds in these pieces. */
function read(pieces: readonly Buffer[], isClosed = false) {
  const answers: Array<{ head: AnswerHead; text: string; isLast: boolean | null }> = [];
  const reader = new AnswerReader({
    head: (head) => void answers.push({ head, text: '', isLast: null }),
    body(bytes) {
      const last = answers.at(-1);
      if (last) last.text += bytes.toString('latin1');
    },
    end(isLast) {
      const last = answers.at(-1);
      if (last) last.isLast = isLast;
    },
  });
  for (const piece of pieces) reader.take(piece);
  if (isClosed) reader.close();
  return answers.map(({ head: { status }, text, isLast }) => [status, text, isLast]);
}

const ANSWERS = Buffer.from(
  [
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole',
    'HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nin \r\nA\r\ntwo pieces\r\n0\r\nTrailer: 1\r\n\r\n',
    'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 204 No Content\r\n\r\n',
    'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nto the end',
  ].join(''),
  'latin1',
);

test('answers are the same in whatever pieces they come', () => {
  const expected = [
    [200, 'whole', false],
    [404, 'in two pieces', false],
    [202, '', false],
    [204, '', false],
    [200, 'to the end', true],
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(ANSWERS.length)), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), ANSWERS.length];
      const pieces = places.slice(1).map((place, at) => ANSWERS.subarray(places[at], place));
      assert.deepEqual(read(pieces, true), expected);
    }),
  );
});

test('bytes that are not an HTTP answer are refused, and so is an answer that ends too early', () => {
  const wrong = [
    'SSH-2.0-OpenSSH\r\n\r\n',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.1 200 OK\r\nno field\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc\r\n',
    `HTTP/1.1 200 OK\r\nlong: ${'x'.repeat(70_000)}`,
  ];
  for (const text of wrong) assert.throws(() => read([Buffer.from(text)]), { message: /not HTTP/ }, text);
  for (const end of [10, 30, 45]) {
    const cut = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nwhole').subarray(0, end);
    assert.throws(() => read([cut], true), { message: 'it closed the connection' }, String(end));
  }
});

test('requests go one after the other on one connection, with their bodies as UTF-8', async (context) => {
  const sockets = new Set<unknown>();
  const server = createServer(async (request, response) => {
    sockets.add(request.socket);
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    response.setHeader('content-type', 'text/event-stream');
    for (const part of [`${request.method} ${request.url} ${request.headers['x-name']} `, body]) {
      response.write(part);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  const baseUrl = await listening(context, server);
  const connection = openConnection(baseUrl);
  const first = await connection.post(
    '/a',
    { text: 'größer' },
    { headers: { 'x-name': 'n' }, timeoutMs: 60_000 },
  );
  assert.deepEqual(
    [first.status, first.text, first.ends?.server.port],
    [200, 'POST /a n {"text":"größer"}', Number(new URL(baseUrl).port)],
  );
  const signal = new AbortController().signal;
  const second = await connection.open('/b', '["日本"]', { headers: { 'x-name': 'm' }, signal });
  let text = '';
  for await (const part of second.text) text += part;
  assert.deepEqual([second.contentType, text, sockets.size], ['text/event-stream', 'POST /b m ["日本"]', 1]);
  connection.close();
  await assert.rejects(connection.post('/c', {}, { timeoutMs: 60_000 }), {
    message: 'it closed the connection',
  });
});

test('a header value with a line break is not sent', async (context) => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end();
  });
  const baseUrl = await listening(context, server);
  const connection = openConnection(baseUrl);
  for (const value of ['a\r\nauthorization: b', 'a\nb', 'a\0', 'ä']) {
    const sent = connection.post('/', {}, { headers: { 'x-name': value }, timeoutMs: 60_000 });
    await assert.rejects(sent, { message: 'x-name cannot be a header' });
  }
  connection.close();
  assert.equal(asked, 0);
});

test('an answer that is cut off rejects its reader, and an aborted request ends', async (context) => {
  const server = createTcp((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf');
      if (cuts) socket.end();
    });
  });
  let cuts = true;
  const baseUrl = await listening(context, server);
  const whole = async (signal: AbortSignal, onPart = () => {}) => {
    const connection = openConnection(baseUrl);
    const answer = await connection.open('/', '{}', { headers: {}, signal });
    for await (const part of answer.text) {
      assert.equal(part, 'half');
      onPart();
    }
  };
  await assert.rejects(whole(new AbortController().signal), { message: 'it closed the connection' });
  cuts = false;
  const stop = new AbortController();
  await assert.rejects(
    whole(stop.signal, () => stop.abort()),
    { message: 'the request was given up' },
  );
});
