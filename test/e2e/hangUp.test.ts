/** A terminal or a client that goes away ends relay in good order. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withDesk } from '../support/program.ts';
import { inTerminal, withoutTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

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

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
