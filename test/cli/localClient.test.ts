import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import test, { type TestContext } from 'node:test';
import { createLocalClient } from '../../src/local/localClient.ts';
import { answerHello } from '../support/hello.ts';
import { listening } from '../support/http.ts';

/** A server that has the key. With null as status it answers nothing but `hello`. */
async function answering(context: TestContext, status: number | null, body: string): Promise<string> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    if (request.url === '/local/hello') answerHello(request, response, text, 't');
    else if (status !== null) response.writeHead(status).end(body);
  });
  return listening(context, server);
}

test('a port where nothing listens is NO_SERVER', async () => {
  // Port 1 is reserved and no test machine serves it.
  await assert.rejects(createLocalClient({ baseUrl: 'http://127.0.0.1:1', key: 't' }).logout(), {
    code: 'NO_SERVER',
    message: 'The server at http://127.0.0.1:1 cannot be reached: nothing listens there.',
    remedy: 'Start it with `relay serve`.',
  });
});

test('a server that never answers is NO_SERVER', async (context) => {
  const baseUrl = await answering(context, null, '');
  await assert.rejects(createLocalClient({ baseUrl, key: 't', timeoutMs: 20 }).logout(), {
    code: 'NO_SERVER',
    message: `The server at ${baseUrl} cannot be reached: it does not answer.`,
    remedy:
      'Try again in a minute. If it still does not answer, end its process (its pid is in server.json in the home directory) and start it again with `relay serve`.',
  });
});

test('a program that does not answer like relay is NO_SERVER', async (context) => {
  for (const body of ['<html>', '{"error":"x"}', '{"error":{"code":"E_OTHER","message":"x"}}']) {
    const baseUrl = await answering(context, 404, body);
    await assert.rejects(createLocalClient({ baseUrl, key: 't' }).status(), {
      code: 'NO_SERVER',
      message: `The program listening at ${baseUrl} does not answer like relay (HTTP 404).`,
    });
  }
});

test('an error arrives with all its members', async (context) => {
  const error = {
    code: 'RATE_LIMITED',
    message: 'Too many.',
    remedy: 'Wait.',
    retryAfterSeconds: 7,
    details: { scope: 'search' },
  };
  const baseUrl = await answering(context, 429, JSON.stringify({ error }));
  await assert.rejects(createLocalClient({ baseUrl, key: 't' }).status(), error);
});

test('an abort ends the call with its reason', async (context) => {
  const baseUrl = await answering(context, null, '');
  const stop = new AbortController();
  const asked = createLocalClient({ baseUrl, key: 't', signal: stop.signal }).status();
  const reason = new Error('stopped');
  stop.abort(reason);
  await assert.rejects(asked, reason);
});
