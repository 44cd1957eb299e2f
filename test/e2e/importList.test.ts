/** A person's list is imported and corrected, in a terminal and through MCP. In the terminal, it is exported too. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { sharedCatalogue } from '../../src/demo/catalogue/generate.ts';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import { parseTitle } from '../../src/music/title.ts';
import { WAYS } from '../music/waysOfWriting.ts';
import { pluck } from '../support/entries.ts';
import { named } from '../support/playlists.ts';
import { type Desk, withDesk } from '../support/program.ts';
import { longTest } from '../support/scale.ts';
import { seeded } from '../support/seeded.ts';
import { until } from '../support/until.ts';
import { withRelay } from '../support/world.ts';

const SONGS = 2_000;

/** Songs whose name and artist belong to only one recording. Names that hold what separates title and artist are left out. */
function distinctSongs(count: number): DemoTrack[] {
  const { tracks } = sharedCatalogue();
  const nameOf = ({ name, artists }: DemoTrack) => `${name} | ${artists[0]?.name}`;
  const recordings = new Map<string, Set<string>>();
  for (const track of tracks) {
    recordings.set(nameOf(track), (recordings.get(nameOf(track)) ?? new Set()).add(track.isrc));
  }
  const seen = new Set<string>();
  const distinct = tracks.filter((track) => {
    const isFirst = !seen.has(nameOf(track));
    seen.add(nameOf(track));
    return isFirst && recordings.get(nameOf(track))?.size === 1 && !/ [-–] | by /.test(nameOf(track));
  });
  const step = distinct.length / count;
  return Array.from({ length: count }, (_, n) => distinct[Math.floor(n * step)] ?? assert.fail());
}

/** A list as people keep it: numbered, with a heading and some empty lines. Every fifth song has a typo. */
function writtenList(songs: readonly DemoTrack[]): string {
  const next = seeded(2_000);
  const typos = WAYS.filter(({ name }) => /^one typo in the (?:title|artist)$/.test(name));
  assert.equal(typos.length, 2);
  const lines = songs.map((song, n) => {
    const plain = { title: song.name, artist: song.artists[0]?.name ?? '' };
    const misspelled = n % 5 === 4 ? typos[(n % 10 === 4 ? 0 : 1) % 2]?.write(plain, next) : null;
    const { title, artist } = misspelled ?? plain;
    return `${n + 1}. ${artist} - ${title}${n % 100 === 99 ? '\n' : ''}`;
  });
  return ['My 2,000 songs', '', ...lines, ''].join('\n');
}

const keyOf = ({ name, artists }: { name: string; artists: readonly { name: string }[] }) =>
  `${parseTitle(name).base} | ${artists[0]?.name}`;

/** Runs commands as a person types them, and records each. */
function typist(desk: Desk) {
  const typed: string[] = [];
  return {
    typed,
    async type(...args: string[]) {
      typed.push(args.join(' '));
      return desk.relay(args);
    },
  };
}

longTest(
  'from a fresh demo, 2,000 lines with typos become a correct playlist in a few commands',
  async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'relay-list-'));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const songs = distinctSongs(SONGS);
    const path = join(dir, 'My songs.txt');
    writeFileSync(path, writtenList(songs));
    await withDesk({}, async (desk) => {
      await desk.host(['--demo']);
      const { type, typed } = typist(desk);
      const shown = await type('import', path, '--dry-run');
      assert.match(shown.out, /My songs\.txt: 2000 songs, read as text with one song a\s+line/);
      assert.match(shown.out, /line 1, no artist: My 2,000 songs\n/);

      const stopped = await type('import', path);
      assert.equal(stopped.code, 1, stopped.err);
      const [, unresolved = ''] = /relay: (\d+) of 2000 songs were not found/.exec(stopped.err) ?? [];
      t.diagnostic(`${unresolved} of 2000 were not found`);
      assert.ok(Number(unresolved) <= 0.2 * 0.2 * SONGS, unresolved);
      const [, id = ''] = /jobs fix (\w[\w-]+)/.exec(stopped.err) ?? assert.fail(stopped.err);
      const near = await type('jobs', 'fix', id, '--accept-near', '0.36');
      assert.equal(near.code, 0, near.err);
      const done = await type('jobs', 'commit', id, '--skip-unresolved', '--watch');
      assert.equal(done.code, 0, done.err);

      const exported = await type('export', 'My songs', '--json');
      const rows = JSON.parse(exported.out).tracks as Array<{ uri: string; isrc: string }>;
      t.diagnostic(`${rows.length} songs in the playlist, ${typed.length} commands`);
      assert.ok(rows.length >= SONGS - Number(unresolved) / 2, `${rows.length} rows`);
      // Each row is the song of a line, in the order of the lines.
      const byUri = new Map(sharedCatalogue().tracks.map((track) => [track.uri, track]));
      let line = 0;
      for (const { uri } of rows) {
        const track = byUri.get(uri) ?? assert.fail(uri);
        while (line < songs.length && !isSong(track, songs[line] ?? assert.fail())) line += 1;
        assert.ok(line < songs.length, `${keyOf(track)} is not in the list, or not in this order`);
        line += 1;
      }
      assert.ok(typed.length < 10, typed.join('\n'));
    });
  },
);

function isSong(track: DemoTrack, song: DemoTrack): boolean {
  return track.isrc === song.isrc || keyOf(track) === keyOf(song);
}

longTest('through MCP, the same list takes at most 12 calls and 30,000 tokens, including the list', (t) =>
  withRelay({ env: { RELAY_TOOLSETS: 'all' } }, async (relay) => {
    const songs = distinctSongs(SONGS);
    const text = writtenList(songs);
    const paid = { calls: 0, asked: 0, answered: 0 };
    const call = async (tool: string, args: Record<string, unknown>) => {
      const { structuredContent } = await relay.client.callTool({ name: tool, arguments: args });
      const answer = structuredContent as Record<string, unknown>;
      assert.equal(answer.error, undefined, JSON.stringify(answer.error));
      paid.calls += 1;
      const { text: list = '', ...rest } = args;
      paid.asked += countTokens(JSON.stringify(rest)) + countTokens(String(list));
      paid.answered += countTokens(JSON.stringify(answer));
      return answer;
    };
    // A model asks for the status of a job a few times while it waits. Two calls after the wait stand for these.
    const reached = async (id: string, status: string) => {
      await until(async () => {
        const job = await relay.server.local.getJob({ id });
        if (job.status === status) return true;
        assert.ok(!['failed', 'cancelled'].includes(job.status), job.status);
        await setTimeout(250);
        return false;
      }, 5 * 60_000);
      for (let asked = 0; asked < 2; asked += 1) await call('get_job_status', { job_id: id, limit: 1 });
    };
    const { job_id } = await call('import_list', { text, name: 'Two thousand', strict: false });
    await reached(String(job_id), 'ready');
    await call('get_job_status', { job_id, only: 'unresolved' });
    await call('resume_job', { job_id, accept_near: 0.36 });
    await call('get_job_status', { job_id, only: 'unresolved' });
    await call('commit_job', { job_id, skip_unresolved: true });
    await reached(String(job_id), 'completed');
    const rows = named(relay, 'Two thousand').rows.length;
    assert.ok(rows >= 0.99 * SONGS, String(rows));
    t.diagnostic(`${rows} rows, ${JSON.stringify(paid)}, of which the list ${countTokens(text)}`);
    assert.ok(paid.calls <= 12 && paid.asked + paid.answered <= 30_000, JSON.stringify(paid));
  }),
);

test('the demo imports a list, and exports the same songs', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'relay-list-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const songs = distinctSongs(12);
  const path = join(dir, 'A dozen.txt');
  writeFileSync(path, songs.map(({ name, artists }) => `${artists[0]?.name} - ${name}`).join('\n'));
  await withDesk({}, async (desk) => {
    await desk.host(['--demo']);
    const done = await desk.relay(['import', path]);
    assert.equal(done.code, 0, done.err);
    const exported = await desk.relay(['export', 'A dozen', '--json']);
    assert.deepEqual(pluck(JSON.parse(exported.out).tracks, 'isrc'), pluck(songs, 'isrc'));
  });
});
