/** `relay logs`: the log of a real server, also when nobody saw its stderr. */

import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLog } from '../../src/server/log/log.ts';
import { createLogFile } from '../../src/server/log/logFile.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { linesOf } from '../support/entries.ts';
import { until } from '../support/until.ts';

const event = (n: number) =>
  `${JSON.stringify({ level: 'info', time: '2026-11-22T10:00:00.000Z', pid: 1, tool: 'play', msg: `event ${n}` })}\n`;

test('the log in the home is for its owner alone, bounded, without secrets, and complete even if stderr shows less', async (context) => {
  const home = temporaryHome(context);
  const shown: string[] = [];
  const stream = { write: (line: string) => void shown.push(line) } as unknown as NodeJS.WritableStream;
  const file = { write: createLogFile(home).write, quietStream: true };
  const log = createLog({ logLevel: 'info', logFormat: 'json' }, stream, file);
  const path = join(home, 'relay.log');
  log.info({ token: 'secret-token', request: { headers: { Authorization: 'secret-token' } } }, 'one');
  log.warn({}, 'two');
  const written = () => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return '';
    }
  };
  await until(() => written().includes('two'));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.doesNotMatch(written(), /secret-token/);
  assert.deepEqual(
    shown.map((line) => JSON.parse(line).msg),
    ['two'],
  );
  const long = 'x'.repeat(1_000);
  for (let n = 0; n < 1_200; n++) log.info({ long }, `line ${n}`);
  await until(() => statSync(path, { throwIfNoEntry: false }) === undefined);
  log.info({}, 'after');
  await until(() => written().includes('after'));
  assert.ok(statSync(`${path}.1`).size > 1_000_000);
  assert.ok(statSync(path).size < 1_000);
});

test('logs shows the last lines, as text or as JSON', async (context) => {
  const home = temporaryHome(context);
  const env = { RELAY_HOME: home };
  const none = await relay(['logs'], { env });
  assert.deepEqual(none, {
    code: 0,
    out: '',
    err: 'There is no log yet: no server has logged anything for this home.\n',
  });
  writeFileSync(join(home, 'relay.log'), `${event(1)}${event(2)}${event(3)}${event(4)}{"half`);
  const { code, out } = await relay(['logs', '-n', '3'], { env });
  assert.equal(code, 0);
  assert.deepEqual(
    linesOf(out).map((line) => line.replace(/^\[\d\d:\d\d:\d\d\] /, '')),
    [2, 3, 4].map((n) => `INFO: event ${n} {"tool":"play"}`),
  );
  const json = await relay(['logs', '--json'], { env });
  assert.deepEqual(
    linesOf(json.out).map((line) => JSON.parse(line).msg),
    ['event 1', 'event 2', 'event 3', 'event 4'],
  );
  assert.equal((await relay(['logs', '-n', 'many'], { env })).code, 2);
  assert.deepEqual(await relay(['logs', '-n', '0'], { env }), { code: 0, out: '', err: '' });
});

test('a log that cannot be read is not called missing', async (context) => {
  const home = temporaryHome(context);
  mkdirSync(join(home, 'relay.log'));
  const { code, out, err } = await relay(['logs'], { env: { RELAY_HOME: home } });
  assert.deepEqual([code, out], [1, '']);
  assert.match(
    err,
    /^relay: The log \S+relay\.log cannot be read: .*\n {2}Make it readable for the user that runs/,
  );
});

test('logs -f follows the log, also when the file is rotated, until it is interrupted', async (context) => {
  const home = temporaryHome(context);
  const path = join(home, 'relay.log');
  writeFileSync(path, event(1) + event(2));
  const stop = new AbortController();
  let shown = '';
  const running = relay(['logs', '-f', '-n', '1', '--json'], {
    env: { RELAY_HOME: home },
    signal: stop.signal,
    onOut: (all) => {
      shown = all;
    },
  });
  await until(() => shown.includes('event 2'));
  appendFileSync(path, event(3));
  await until(() => shown.includes('event 3'));
  renameSync(path, `${path}.1`);
  writeFileSync(path, event(5));
  await until(() => shown.includes('event 5'));
  stop.abort();
  const { code, out } = await running;
  assert.deepEqual(
    [code, linesOf(out).map((line) => JSON.parse(line).msg)],
    [130, ['event 2', 'event 3', 'event 5']],
  );
});
