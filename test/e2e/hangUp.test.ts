/** A terminal or a client that goes away ends relay in good order; `nohup` keeps it running. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withDesk } from '../support/program.ts';
import { inTerminal, withoutTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const RELAY = fileURLToPath(new URL('../../bin/relay.mjs', import.meta.url));

test('a server whose terminal is closed stops in good order', { skip: withoutTerminal }, () =>
  withDesk({}, async ({ home }) => {
    const env = { RELAY_HOME: home, RELAY_KEYCHAIN: 'file', HOME: home };
    const screen = inTerminal(['serve', '--port', '0'], 80, env);
    const file = join(home, 'server.json');
    await until(() => existsSync(file));
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number };
    screen.close();
    await until(() => !isRunning(pid));
    assert.deepEqual([existsSync(file), existsSync(join(home, 'relay.lock'))], [false, false]);
  }),
);

test('a server with a client on stdin stops when it is hung up', () =>
  withDesk({}, async ({ home, serve }) => {
    const { server } = await serve();
    const { code } = await server.stop('SIGHUP');
    assert.deepEqual([code, existsSync(join(home, 'server.json'))], [0, false]);
  }));

test('a server that nohup has started runs on without its terminal', { skip: withoutTerminal }, () =>
  withDesk({}, ({ home }) => runsOn(home, started(home, 'exec "$NODE" "$RELAY" serve --port 0', 'ignore'))),
);

test('a server that nohup has started runs on if stdin is still open', { skip: withoutTerminal }, () =>
  withDesk({}, ({ home }) => runsOn(home, started(home, 'nohup "$NODE" "$RELAY" serve --port 0', 'pipe'))),
);

/** Starts a server with a shell. `nohup` on Linux leaves nothing on stdin in place of a terminal; that of macOS leaves all. */
function started(home: string, command: string, stdin: 'ignore' | 'pipe'): ChildProcess {
  const own = { NODE: process.execPath, RELAY, HOME: home, RELAY_HOME: home, RELAY_KEYCHAIN: 'file' };
  const env = { PATH: process.env.PATH ?? '', ...own };
  return spawn('bash', ['-c', command], { env, stdio: [stdin, 'ignore', 'ignore'] });
}

async function runsOn(home: string, child: ChildProcess): Promise<void> {
  try {
    const file = join(home, 'server.json');
    await until(() => existsSync(file));
    const { baseUrl } = JSON.parse(readFileSync(file, 'utf8')) as { baseUrl: string };
    child.kill('SIGHUP');
    assert.equal((await fetch(`${baseUrl}/health`)).status, 200);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  } finally {
    child.kill('SIGKILL');
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
