/** Names that strangers chose, stored for real, on their way to the terminal, the log, the pages and the headers. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { modelText } from '../../src/base/visibleText.ts';
import { createLog } from '../../src/server/log/log.ts';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { createBrowser } from '../support/browser.ts';
import { relay as runRelay } from '../support/cli.ts';
import { assertClean } from '../support/hostileText.ts';
import { send } from '../support/http.ts';
import { ENCRYPTION_KEY, type Relay, withRelay } from '../support/world.ts';
import { createJob, reach } from '../work/jobCalls.ts';

const CLIPBOARD = '\u001b]52;c;cm0gLXJmIH4K\u0007';
const NAME = `Cursor${CLIPBOARD}\r\n[12:00:00.000] INFO: client approved\u009b31m\u202e\u200bend`;
const SEEN = 'Cursor]52;c;cm0gLXJmIH4K [12:00:00.000] INFO: client approved31mend';

function recordedLog(logFormat: 'pretty' | 'json') {
  const stream = new PassThrough();
  const log = createLog({ logLevel: 'debug', logFormat }, stream);
  return { log, text: () => String(stream.read() ?? '') };
}

const cli = (world: Relay, args: string[]) =>
  runRelay(args, {
    env: { RELAY_HOME: world.home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY, LANG: 'C.UTF-8' },
    terminal: { stdout: true, stderr: true },
    columns: 200,
  });

for (const format of ['pretty', 'json'] as const) {
  test(`a client's name and a job's titles forge nothing, log ${format}`, async () => {
    const log = recordedLog(format);
    await withRelay({ log: log.log }, async (world) => {
      const client = await newClient(world.baseUrl, { client_name: NAME });
      const id = await createJob(world, 'save_tracks', [{ title: NAME, artist: `Nobody${CLIPBOARD}` }]);
      await reach(world, id, 'ready');
      await world.call(`no_such_${NAME}`).catch(() => {});

      const lines = log.text().split('\n').filter(Boolean);
      for (const line of lines) assertClean(line, 'the log');
      const registered = lines.filter((line) => line.includes('client registered'));
      assert.equal(registered.length, 1);
      assert.match(registered[0] ?? '', /\\x1b\]52;c;/, 'the log tells what was sent');
      assert.equal(lines.filter((line) => /^\[12:00:00/.test(line)).length, 0, 'no forged line');

      const clients = await cli(world, ['clients']);
      assert.match(clients.out, /^Cursor\]52;c;/m);
      const shown = await cli(world, ['jobs', 'show', id]);
      assert.ok(shown.out.includes(`  1. ${SEEN} by Nobody]52;c;cm0gLXJmIH4K (unmatched`), shown.out);
      const commands = [
        ['jobs'],
        ['status'],
        ['clients', '--json'],
        ['jobs', '--json'],
        ['jobs', 'show', id, '--json'],
      ];
      const called = ['call', 'get_job_status', `job_id=${id}`];
      for (const args of [...commands, called, [...called, '--json']]) {
        const { out, err, code } = await cli(world, args);
        assert.equal(code, 0, err);
        assertClean(out + err, args.join(' '));
        if (args.includes('--json')) assert.equal(out.split('\n').length, 2, 'one document, one line');
      }
      const listed = JSON.parse((await cli(world, ['clients', '--json'])).out);
      assert.equal(listed.clients[0].name, NAME, 'JSON loses nothing');
      const items = JSON.parse((await cli(world, [...called, '--json'])).out).items;
      assert.equal(items[0].input.title, modelText(NAME), 'a tool answers what a model may read');

      const page = await createBrowser().open(authorizeUrl(world.baseUrl, { client_id: client.client_id }));
      const title = /<title>([\s\S]*?)<\/title>/.exec(page.text)?.[1] ?? '';
      assert.match(title, /^Let Cursor\]52;c;/);
      assertClean(title, 'the title');
      assert.ok(!title.includes('\n'), 'a title is one line');

      const revoked = await cli(world, ['clients', 'revoke', client.client_id]);
      assertClean(revoked.out, 'clients revoke');
      assert.equal(revoked.out.split('\n').length, 2);
    });
  });
}

test('no header can carry a line break or a control character', () =>
  withRelay({ connect: false, client: false }, async ({ baseUrl }) => {
    const odd = 'x%0d%0aset-cookie:%20owner=1%1b%c2%9b%e2%80%ae';
    const client = await newClient(baseUrl, { redirect_uris: [`http://127.0.0.1:7777/cb?${odd}`] });
    const url = authorizeUrl(baseUrl, {
      client_id: client.client_id,
      redirect_uri: `http://127.0.0.1:7777/cb?${odd}`,
      state: `s\r\nset-cookie: a=1\u009b\u202e`,
      response_type: 'token',
    });
    for (const target of [url, `${baseUrl}/${odd}`, `${baseUrl}/auth/provider/login?${odd}`]) {
      const { headers } = await send(target);
      for (const value of Object.values(headers).flat()) assert.match(String(value), /^[\x20-\x7e]*$/);
    }
  }));
