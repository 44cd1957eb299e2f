/** Commands in a real terminal: questions, widths, colours. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { widthOf } from '../../src/cli/terminal/textWidth.ts';
import { sharedCatalogue } from '../../src/demo/catalogue/generate.ts';
import { type Desk, withDesk } from '../support/program.ts';
import { inTerminal, withoutTerminal } from '../support/terminal.ts';

const skip = { skip: withoutTerminal };

/** A demo, and a list of songs in a file. The last `wrong` titles of the list have two extra letters each. */
async function withList(songs: number, work: (desk: Desk, list: string, wrong: number) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'relay-terminal-'));
  try {
    const seen = new Set<string>();
    const tracks = sharedCatalogue().tracks.filter(({ name, artists }) => {
      const line = `${artists[0]?.name} - ${name}`;
      const isPlain = /^[\w' ]+ - [\w' ]{6,}$/.test(line) && !seen.has(name);
      seen.add(name);
      return isPlain;
    });
    const wrong = Math.floor(songs / 10);
    const lines = tracks.slice(0, songs).map(({ name, artists }, at) => {
      const title = at < songs - wrong ? name : `${name.slice(0, 3)}zq${name.slice(3)}`;
      return `${artists[0]?.name} - ${title}`;
    });
    assert.equal(lines.length, songs);
    const list = join(folder, 'Road trip.txt');
    await writeFile(list, lines.join('\n'));
    await withDesk({}, async (desk) => {
      await desk.host(['--demo']);
      await work(desk, list, wrong);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const environment = (desk: Desk, more: Record<string, string> = {}) => ({
  RELAY_HOME: desk.home,
  RELAY_KEYCHAIN: 'file',
  HOME: desk.home,
  ...more,
});

test('a list becomes a playlist with one command and two answers, in 50 columns', skip, async () => {
  const [songs, columns] = [20, 50];
  await withList(songs, async (desk, list, wrong) => {
    const screen = inTerminal(['import', list, '--new', 'Road trip'], columns, environment(desk));
    await screen.answer(new RegExp(`${wrong} of \\d+ songs need you\\. Go through them now\\?`), 'n');
    await screen.answer(/Write \d+ songs to "Road trip", without the \d+ that were not found\?/, 'y');
    assert.equal(await screen.ended(), 0, screen.raw);
    const shown = screen.lines();
    assert.ok(
      shown.some((line) => /^https:\/\/open\.spotify\.com\/playlist\/\w+$/.test(line)),
      screen.raw,
    );
    // A question with its answer is not wrapped, nor is an address.
    for (const line of shown)
      assert.ok(widthOf(line) <= columns || /\? \[|^https:|relay\.mjs /.test(line), line);
    const { out } = await desk.relay(['playlists']);
    assert.match(out, new RegExp(`^Road trip +${songs - wrong} `, 'm'));
  });
});
