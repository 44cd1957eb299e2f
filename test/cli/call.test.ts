import assert from 'node:assert/strict';
import test from 'node:test';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { RelayError } from '../../src/domain/errors.ts';
import { relay } from '../support/cli.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';

/** Three tools: one that echoes what arrives, one that reports progress and fails, one that never ends. */
function echoServer(log: { started?: () => void; cancelled?: () => void } = {}): McpServer {
  const server = new McpServer({ name: 'echo', version: '1' });
  const Input = z.object({
    query: z.string(),
    limit: z.int().optional(),
    ids: z.array(z.string()).optional(),
  });
  server.registerTool(
    'echo',
    {
      description: 'Echoes.',
      inputSchema: Input.loose(),
      outputSchema: z.object({ got: z.record(z.string(), z.unknown()) }),
    },
    async (args) => ({ content: [], structuredContent: { got: args } }),
  );
  server.registerTool(
    'fail',
    { description: 'Fails.', inputSchema: z.object({ code: z.string() }) },
    async ({ code }, context) => {
      const progressToken = context.mcpReq._meta?.progressToken;
      if (progressToken !== undefined) {
        await context.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2, message: 'Half way' },
        });
      }
      const error = { code, message: 'It does not work.', remedy: 'Do something else.' };
      return { isError: true, content: [{ type: 'text', text: 'x' }], structuredContent: { error } };
    },
  );
  server.registerTool('hang', { description: 'Hangs.', inputSchema: z.object({}) }, (_args, context) => {
    log.started?.();
    return new Promise((resolve) => {
      context.mcpReq.signal.addEventListener('abort', () => {
        log.cancelled?.();
        resolve({ content: [] });
      });
    });
  });
  return server;
}

test('call prints what the tool answers: JSON in a pipe, YAML on a terminal', async (context) => {
  const { env, calls } = await startFakeLocal(context, { mcp: () => echoServer() });
  const args = ['call', 'echo', 'query=blue in green', 'limit=5', 'ids=a,b', 'other=1'];
  const got = { query: 'blue in green', limit: 5, ids: ['a', 'b'], other: '1' };
  assert.deepEqual(await relay(args, { env }), { code: 0, out: `${JSON.stringify({ got })}\n`, err: '' });
  const onTerminal = await relay(args, { env, terminal: { stdout: true } });
  assert.equal(
    onTerminal.out,
    'got:\n  query: blue in green\n  limit: 5\n  ids:\n    - a\n    - b\n  other: "1"\n',
  );
  const asJson = await relay([...args, '--json'], { env, terminal: { stdout: true } });
  assert.equal(asJson.out, `${JSON.stringify({ got })}\n`);
  assert.deepEqual(calls, []);
});

test('--args gives arguments as JSON, from stdin too', async (context) => {
  const { env } = await startFakeLocal(context, { mcp: () => echoServer() });
  const direct = await relay(['call', 'echo', '--args', '{"query":"a","limit":1}', 'limit=2'], { env });
  assert.equal(direct.out, '{"got":{"query":"a","limit":2}}\n');
  const piped = await relay(['call', 'echo', '--args', '-'], { env, stdin: '{\n"query": "a"\n}\n' });
  assert.equal(piped.out, '{"got":{"query":"a"}}\n');
});

const QUOTES = 'Put it in quotes as your shell needs them, in sh and PowerShell in single ones.';
const BAD_JSON: ReadonlyArray<[args: string[], platform: NodeJS.Platform, remedy: string]> = [
  [['--args', '{query'], 'linux', QUOTES],
  [['ids=[a'], 'darwin', QUOTES],
  [['--args', '{query'], 'win32', QUOTES],
  [['ids=[a'], 'win32', QUOTES],
  [['--args', '-'], 'linux', 'Correct what goes to stdin, then run this again.'],
  [['--args', '-'], 'win32', 'Correct what goes to stdin, then run this again.'],
  [['--args', '[1]'], 'linux', `For example: --args '{"query": "carousel"}'`],
  [['--args', '[1]'], 'win32', String.raw`For example: --args "{\"query\": \"carousel\"}"`],
  [['ids='], 'linux', `To really pass an empty list: --args '{"ids":[]}'`],
  [['ids='], 'win32', String.raw`To really pass an empty list: --args "{\"ids\":[]}"`],
];

for (const [args, platform, remedy] of BAD_JSON) {
  test(`call echo ${args.join(' ')} on ${platform} says how to pass JSON there`, async (context) => {
    const { env } = await startFakeLocal(context, { mcp: () => echoServer() });
    const { code, out, err } = await relay(['call', 'echo', ...args], { env, platform, stdin: '{query' });
    assert.deepEqual([code, out, err.split('\n').slice(1)], [2, '', [`  ${remedy}`, '']]);
  });
}

test('a failed tool is exit 1 with its error on stderr, a missing login exit 3; with --json one line of JSON', async (context) => {
  const { env } = await startFakeLocal(context, { mcp: () => echoServer() });
  const [message, remedy] = ['It does not work.', 'Do something else.'];
  for (const [code, exit] of [
    ['NOT_FOUND', 1],
    ['LOGIN_REQUIRED', 3],
  ] as const) {
    const args = ['call', 'fail', `code=${code}`];
    const err = `relay: ${code}: ${message}\n  ${remedy}\n`;
    assert.deepEqual(await relay(args, { env }), { code: exit, out: '', err });
    const json = `${JSON.stringify({ error: { code, message, remedy } })}\n`;
    assert.deepEqual(await relay([...args, '--json'], { env }), { code: exit, out: '', err: json });
  }
});

test('progress is drawn on a terminal only, and wiped off before the result', async (context) => {
  const { env } = await startFakeLocal(context, { mcp: () => echoServer() });
  const args = ['call', 'fail', 'code=NOT_FOUND'];
  const { err } = await relay(args, { env, terminal: { stderr: true } });
  assert.equal(
    err,
    '\r\u001b[K1 of 2: Half way\r\u001b[Krelay: NOT_FOUND: It does not work.\n  Do something else.\n',
  );
});

test('a server that stops before it answers is exit 4, and the call may have had its effect', async (context) => {
  const server = await startFakeLocal(context, {
    mcp: () => echoServer({ started: () => server.cut() }),
  });
  assert.deepEqual(await relay(['call', 'hang'], { env: server.env }), {
    code: 4,
    out: '',
    err: `relay: The server at ${server.baseUrl} stopped before it answered.\n  What was asked for may have been done all the same. \`relay status\` shows whether the server runs.\n`,
  });
});

test('interrupted: the call is cancelled at the server, and the exit code is 130', {
  timeout: 60_000,
}, async (context) => {
  const stop = new AbortController();
  let cancelled: () => void = () => {};
  const end = new Promise<void>((resolve) => {
    cancelled = resolve;
  });
  const started = () => stop.abort(new RelayError('INTERRUPTED', 'Interrupted.'));
  const { env } = await startFakeLocal(context, {
    mcp: () => echoServer({ started, cancelled: () => cancelled() }),
  });
  const result = await relay(['call', 'hang'], { env, signal: stop.signal });
  assert.deepEqual(result, { code: 130, out: '', err: 'relay: Interrupted.\n' });
  await end;
});
