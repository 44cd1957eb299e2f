/** `relay connect --skill`: where the skill is written, that it can be removed, and that its commands run. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { relay as cli, run, temporaryHome } from '../support/cli.ts';
import { owner } from '../support/entries.ts';
import { withRelay } from '../support/world.ts';

const WHERE: ReadonlyArray<[client: string, folder: string]> = [
  ['claude-code', '.claude/skills'],
  ['codex', '.agents/skills'],
  ['gemini', '.gemini/skills'],
  ['copilot', '.copilot/skills'],
  ['vscode', '.copilot/skills'],
  ['cursor', '.cursor/skills'],
  ['goose', '.agents/skills'],
  ['opencode', '.agents/skills'],
  ['cline', '.agents/skills'],
];

/** Every path below a directory, with the bytes of the files. */
function treeOf(directory: string): Record<string, string | null> {
  const entries = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    entries.map((path) => {
      const whole = join(directory, path);
      return [path, statSync(whole).isDirectory() ? null : readFileSync(whole, 'latin1')];
    }),
  );
}

test('each client gets the skill where it looks for skills, and --remove leaves everything as it was', async (t) => {
  const home = temporaryHome(t);
  const env = { HOME: home, RELAY_HOME: join(home, 'relay-home') };
  mkdirSync(join(home, '.copilot', 'skills', 'others'), { recursive: true });
  const before = treeOf(home);
  for (const [client, folder] of WHERE) {
    const written = await cli(['connect', client, '--skill', '--json'], { env });
    const path = join(home, folder, 'relay', 'SKILL.md');
    const { skill, changed } = JSON.parse(written.out);
    assert.deepEqual([written.code, skill, changed], [0, path, true], client);
    const [, header = ''] = /^---\n([\s\S]*?)\n---\n/.exec(readFileSync(path, 'utf8')) ?? [];
    // https://agentskills.io/specification
    assert.deepEqual(Object.keys(parse(header)), ['name', 'description']);
    assert.equal(
      JSON.parse((await cli(['connect', client, '--skill', '--json'], { env })).out).changed,
      false,
    );
    assert.equal((await cli(['connect', client, '--skill', '--remove'], { env })).out, `Removed ${path}.\n`);
    assert.deepEqual(treeOf(home), before, client);
  }
});

test('--skill takes any directory, --remove brings back the skill it replaced, and a client without a known directory is refused', async (t) => {
  const home = temporaryHome(t);
  const env = { HOME: home, RELAY_HOME: join(home, 'relay-home') };
  const folder = join(home, 'project', '.agents', 'skills');
  const path = join(folder, 'relay', 'SKILL.md');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '---\nname: relay\ndescription: Runs a relay race.\n---\nRun!\r\n');
  const before = treeOf(home);
  const none = await cli(['connect', '--skill', folder, '--remove'], { env });
  assert.deepEqual([none.code, none.out], [0, `There is no skill of relay's at ${path}.\n`]);
  assert.equal((await cli(['connect', '--skill', folder], { env })).code, 0);
  assert.match(readFileSync(path, 'utf8'), /^---\nname: relay\ndescription: "Controls/);
  await cli(['connect', '--skill', folder, '--remove'], { env });
  assert.deepEqual(treeOf(home), before);
  // If the person then replaces relay's skill with a second one of their own, the kept copy of the first stays.
  await cli(['connect', '--skill', folder], { env });
  writeFileSync(path, 'second');
  await cli(['connect', '--skill', folder], { env });
  await cli(['connect', '--skill', folder, '--remove'], { env });
  assert.equal(readFileSync(path, 'utf8'), 'second');
  assert.match(readFileSync(`${path}.before-relay`, 'utf8'), /^Run!/m);
  const desktop = await cli(['connect', 'claude-desktop', '--skill'], { env });
  assert.equal(desktop.code, 2);
  assert.match(desktop.err, /relay knows no directory from which Claude Desktop reads skills/);
  const wrong = await cli(['connect', 'cursor', '--skill', '--key'], { env });
  assert.equal(wrong.code, 2);
});

test('a skill that cannot be written or removed is reported with what to do about it', async (t) => {
  const home = temporaryHome(t);
  const env = { HOME: home, RELAY_HOME: join(home, 'relay-home') };
  const file = join(home, 'file');
  writeFileSync(file, '');
  const written = await cli(['connect', '--skill', file], { env });
  assert.deepEqual([written.code, written.out], [1, '']);
  assert.match(
    written.err,
    /SKILL\.md cannot be written: ENOTDIR.*\n {2}Give another directory with --skill DIR\.\n$/,
  );
  await cli(['connect', '--skill', home], { env });
  const own = join(home, 'relay');
  rmSync(join(own, '.made-by-relay'));
  mkdirSync(join(own, '.made-by-relay'));
  const { code, out, err } = await cli(['connect', '--skill', home, '--remove'], { env });
  assert.deepEqual([code, out], [1, '']);
  // What comes after the code of the error are Node's words, which differ between its versions.
  const [reason, remedy] = err.split(/(?<=\.\n)/);
  assert.ok(reason?.startsWith(`relay: ${own}/SKILL.md cannot be removed: EISDIR: `), err);
  assert.equal(remedy, `  Check the permissions of ${own}, or remove it yourself.\n`);
});

test('every command of the skill runs as it is written', async (t) => {
  const folder = temporaryHome(t);
  await withRelay({ env: { RELAY_ACCESS: 'everything' } }, async (relay) => {
    await run(relay, ['connect', '--skill', folder], { env: { HOME: folder } });
    const text = readFileSync(join(folder, 'relay', 'SKILL.md'), 'utf8');
    const lines = (/```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? '').trim().split('\n');
    assert.equal(lines.length, 15);
    await relay.call('play');
    // A small library, since the SQL query first reads all of it.
    const account = owner(relay.provider);
    account.playlists = account.playlists.filter(({ name }) => name === 'Morning Ferry');
    account.saved.splice(50);
    for (const line of lines) {
      // The words as a shell reads them, without the comment.
      const words = line.replace(/ +# .*/, '').match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
      const plain = words.map((word) => word.replace(/(["'])(.*)\1/, '$2'));
      const { code, out, err } = await run(relay, plain.slice(1));
      assert.equal(code, 0, `${line}\n${err}`);
      assert.notEqual(out, '', line);
    }
  });
});
