/** `relay stdio` offers the tools of the home, limited by its own options and environment. Other clients are not affected. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Toolset } from '../../src/domain/toolsets.ts';
import { ALL_TOOLS, TOOLS, toolsOf } from '../../src/tools/index.ts';
import { relayProcess, temporaryHome } from '../support/cli.ts';
import { assertNone, pluck } from '../support/entries.ts';
import { longTest } from '../support/scale.ts';
import { type RawStdio, rawStdio } from '../support/stdio.ts';
import { ENCRYPTION_KEY, withRelay } from '../support/world.ts';

const namesOf = (toolsets: Toolset[], readOnly = false) =>
  toolsOf({ toolsets, readOnly }).map(({ name }) => name);
const READING = namesOf(['standard'], true);
const STANDARD = namesOf(['standard']);

async function offered(stdio: RawStdio): Promise<string[]> {
  const { result } = await stdio.ask('tools/list');
  return (result as { tools: Array<{ name: string }> }).tools.map(({ name }) => name);
}

/** Calls every tool that is not on offer, with arguments that could work. */
async function assertRefused(stdio: RawStdio, tools: readonly string[]): Promise<void> {
  for (const name of tools) {
    const error = await stdio.call(name, { track_ids: ['4uLU6hMCjMI75M1A2tKUQC'], playlist_id: 'x' });
    assert.equal(error.code, -32602, name);
    assert.match(String(error.message), new RegExp(`^Unknown tool "${name}"`));
  }
}

test('beside a running server, the settings of a relay stdio limit the tools of its client and of nobody else', async (t) => {
  await withRelay(async ({ home, client, provider }) => {
    const env = { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY, PATH: '' };
    const started: Array<[args: string[], env: Record<string, string>, names: string[]]> = [
      [[], { RELAY_READ_ONLY: 'true' }, READING],
      [['--read-only'], { RELAY_TOOLSETS: 'catalog,library' }, namesOf(['catalog', 'library'], true)],
      [['--toolsets', 'playlists'], { RELAY_TOOLSETS: 'catalog' }, namesOf(['playlists'])],
      [[], { RELAY_TOOLSETS: 'all', RELAY_READ_ONLY: 'false' }, STANDARD],
      [[], { RELAY_TOOLSETS: '', RELAY_READ_ONLY: '' }, STANDARD],
    ];
    await Promise.all(
      started.map(async ([args, more, names]) => {
        const stdio = rawStdio(t, { env: { ...env, ...more }, args });
        assert.deepEqual(await offered(stdio), names, JSON.stringify([args, more]));
        const missing = ALL_TOOLS.map(({ name }) => name).filter((name) => !names.includes(name));
        await assertRefused(stdio, missing);
        assert.equal(await stdio.close(), 0);
      }),
    );
    assert.equal((await client.listTools()).tools.length, TOOLS.length);
    assertNone(provider.requests, ({ method }) => method !== 'GET');
  });
});

longTest(
  'a relay stdio that is the server offers other clients the tools that the settings of the home name',
  async (t) => {
    const home = temporaryHome(t);
    const settings = { toolsets: ['standard', 'extras'], readOnly: false };
    writeFileSync(join(home, 'config.json'), JSON.stringify(settings));
    const env = { RELAY_HOME: home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY, RELAY_PORT: '0', PATH: '' };
    const host = rawStdio(t, { env: { ...env, RELAY_READ_ONLY: 'true' }, args: ['--toolsets', 'standard'] });
    assert.deepEqual(await offered(host), READING);
    const status = await relayProcess(['status', '--json'], { env });
    const { server } = JSON.parse(status.out) as { server: { pid: number } };
    assert.equal(server.pid, host.pid);
    const joined = rawStdio(t, { env });
    assert.deepEqual(await offered(joined), pluck(ALL_TOOLS, 'name'));
    await assertRefused(host, ['save_tracks', 'pause', 'undo_change']);
    assert.equal(await joined.close(), 0);
    assert.equal(await host.close(), 0);
  },
);

longTest(
  'an invalid setting in the environment is reported to the client, and no tools are offered',
  async (t) => {
    const env = {
      RELAY_HOME: temporaryHome(t),
      RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY,
      RELAY_PORT: '0',
      RELAY_READ_ONLY: 'perhaps',
      PATH: '',
    };
    const stdio = rawStdio(t, { env });
    const { error } = await stdio.ask('tools/list');
    assert.match((error as { message: string }).message, /RELAY_READ_ONLY in the environment must be/);
    assert.equal(await stdio.close(), 0);
  },
);
