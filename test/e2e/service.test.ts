import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { type Desk, withDesk } from '../support/program.ts';

const NO_SYSTEMD = process.platform === 'linux' ? false : 'systemd is a part of Linux';

/** A stand-in for systemctl. It starts, shows and stops what the unit says, and parses it as systemd does. */
const SYSTEMCTL = `#!${process.execPath}
const { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const { dirname, join } = require('node:path');
const [mode, verb, ...rest] = process.argv.slice(2);
const folder = join(process.env.HOME, '.config/systemd/user');
const unit = join(folder, 'relay.service');
const link = join(folder, 'default.target.wants/relay.service');
const pidFile = join(process.env.HOME, 'pid');
const pid = () => {
  try {
    const found = Number(readFileSync(pidFile, 'utf8'));
    process.kill(found, 0);
    return found;
  } catch {
    return 0;
  }
};
const stop = () => {
  const found = pid();
  if (!found) return;
  process.kill(found, 'SIGTERM');
  while (pid()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
};
if (mode !== '--user') process.exit(1);
if (verb === 'enable') {
  mkdirSync(dirname(link), { recursive: true });
  if (!existsSync(link)) symlinkSync(unit, link);
}
if (verb === 'disable') {
  stop();
  rmSync(link, { force: true });
}
if (verb === 'restart') {
  stop();
  const [, line] = /^ExecStart=(.*)$/m.exec(readFileSync(unit, 'utf8'));
  const words = [...line.matchAll(/"((?:[^"\\\\]|\\\\.)*)"|(\\S+)/g)].map(([, inside, bare]) =>
    (inside === undefined ? bare : inside.replace(/\\\\(.)/g, '$1')).replaceAll('%%', '%').replaceAll('$$', () => '$'),
  );
  const env = { HOME: process.env.HOME, PATH: '/usr/bin:/bin' };
  const child = spawn(words[0], words.slice(1), { env, cwd: process.env.HOME, detached: true, stdio: 'ignore' });
  writeFileSync(pidFile, String(child.pid));
  child.unref();
}
if (verb === 'show') {
  console.log('MainPID=' + pid());
  console.log('ActiveState=' + (pid() ? 'active' : 'inactive'));
  console.log('SubState=' + (pid() ? 'running' : 'dead'));
  console.log('UnitFileState=' + (existsSync(link) ? 'enabled' : 'disabled'));
}
`;

/** The person's home directory, with a home for relay whose name is hard to quote. */
function furnish(desk: Desk, systemctl: string | null) {
  const person = join(desk.home, 'ann');
  const home = join(person, `my $HOME 100% it's "ü" \\relay`);
  const bin = join(person, 'bin');
  mkdirSync(home, { recursive: true });
  mkdirSync(bin);
  writeFileSync(join(home, 'config.json'), '{"port": 0, "keychain": "file"}');
  const command = join(bin, 'systemctl');
  writeFileSync(
    command,
    systemctl ?? '#!/bin/sh\necho "Failed to connect to bus: No medium found" >&2\nexit 1\n',
  );
  chmodSync(command, 0o755);
  const env = { HOME: person, RELAY_HOME: home, PATH: [bin, process.env.PATH].join(delimiter) };
  const service = (...args: string[]) => desk.start(['service', ...args], env).ended;
  const unit = join(person, '.config/systemd/user/relay.service');
  const link = join(person, '.config/systemd/user/default.target.wants/relay.service');
  return { person, home, env, service, unit, link };
}

test(
  'a service is installed, serves, is found, installed again and removed',
  {
    skip: NO_SYSTEMD,
  },
  () =>
    withDesk({}, async (desk) => {
      const { person, home, env, service, unit, link } = furnish(desk, SYSTEMCTL);
      try {
        const installed = await service('install', '--json');
        assert.deepEqual([installed.code, installed.err], [0, '']);
        const { url, ...answer } = JSON.parse(installed.out);
        assert.deepEqual([answer.started, answer.enabled, answer.file, answer.left], ['now', true, unit, []]);
        assert.equal((await fetch(new URL('/health', url))).status, 200);
        assert.equal(statSync(link).ino, statSync(unit).ino);
        verify(unit, person);

        const pid = Number(readFileSync(join(person, 'pid'), 'utf8'));
        const server = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8'));
        assert.equal(server.pid, pid);
        const status = await service('status', '--json');
        const found = JSON.parse(status.out);
        assert.deepEqual(
          [status.code, found.running, found.pid, found.current, found.problems],
          [0, true, pid, true, []],
        );
        assert.equal(found.command, found.expectedCommand);

        const again = await service('install');
        assert.deepEqual(again, { code: 0, out: `Already installed: ${unit}\nRunning: ${url}\n`, err: '' });
        assert.equal(Number(readFileSync(join(person, 'pid'), 'utf8')), pid);

        assert.deepEqual(await service('uninstall'), { code: 0, out: `Removed ${unit}\n`, err: '' });
        assert.deepEqual(
          [existsSync(unit), existsSync(link), existsSync(join(home, 'server.json'))],
          [false, false, false],
        );
        assert.equal((await service()).code, 1);
      } finally {
        spawnSync(join(person, 'bin', 'systemctl'), ['--user', 'disable'], { env });
      }
    }),
);

test('without a service manager nothing is installed, and the error says so', { skip: NO_SYSTEMD }, () =>
  withDesk({}, async (desk) => {
    const { service, unit, link } = furnish(desk, null);
    const { code, out, err } = await service('install');
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /systemd/);
    assert.deepEqual([existsSync(unit), existsSync(link)], [false, false]);
  }),
);

/** If systemd is installed, has it check the unit. */
function verify(unit: string, home: string): void {
  const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home };
  const { error, status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--user', unit], {
    env,
    encoding: 'utf8',
  });
  if (error) return;
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
}
