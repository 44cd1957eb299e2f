import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CliOptions, relay } from '../support/cli.ts';
import { linesOf, pluck } from '../support/entries.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { assertRows, fill, named, tracks } from '../support/playlists.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { withUnkind } from '../work/unkind.ts';

const run = (world: Relay, args: string[], options: CliOptions = {}) =>
  relay(args, { ...options, env: world.env, columns: 200 });

function titleOf({ provider }: Relay, uri: string | undefined): string {
  const track = provider.catalogue.trackByUri.get(uri ?? '');
  return `${track?.name} – ${track?.artists.map(({ name }) => name).join(', ')}`;
}

const TERMINAL = { terminal: { stdin: true, stdout: true, stderr: true } };

/** A playlist whose 200 rows a tool has just replaced with 30 others. */
async function withReplaced(
  work: (scene: {
    world: Relay;
    playlist: ReturnType<typeof named>;
    former: string[];
    wanted: string[];
    id: string;
  }) => Promise<void>,
): Promise<void> {
  await withUnkind({}, async (world) => {
    const playlist = named(world, 'Exactly Two Hundred');
    const [former, wanted] = [tracks(world, 200), tracks(world, 30, 3_000)];
    fill(playlist, former);
    const args = { playlist_id: playlist.id, track_ids: wanted };
    const { change_id } = await world.call('replace_playlist_tracks', args);
    await work({ world, playlist, former, wanted, id: String(change_id) });
  });
}

test('history lists what was changed, in words, and what became of it', () =>
  withReplaced(async ({ world, playlist, id }) => {
    await world.call('save_tracks', { track_ids: tracks(world, 2, 7_000) });
    assert.equal((await run(world, ['undo', id])).code, 0);
    const [head = '', undo = '', save = '', replace = ''] = (await run(world, ['history'])).out.split('\n');
    assert.deepEqual(head.split(/ {2,}/), ['WHAT', 'ID', 'WHEN', 'STATE', 'ASKED BY']);
    const cells = [undo, save, replace].map((line) => line.split(/ {2,}/));
    for (const row of cells) assert.match(row[2] ?? '', /^just now$|^\d+ s ago$/);
    const [undoId = ''] = cells.map((row) => row[1]);
    assert.deepEqual(
      cells.map(([what, change, , ...rest]) => [what, change === id.slice(0, 8), ...rest]),
      [
        [
          'undid: replaced the songs of "Exactly Two Hundred" with 30 songs',
          false,
          'done',
          'you, in the terminal',
        ],
        ['saved 2 songs', false, 'done', 'API key'],
        ['replaced the songs of "Exactly Two Hundred" with 30 songs', true, `undone by ${undoId}`, 'API key'],
      ],
    );
    const narrow = await relay(['history'], {
      env: world.env,
      columns: 50,
      terminal: { stdout: true },
    });
    assert.match(narrow.out, /terminal/, 'nothing is left out');
    for (const line of linesOf(narrow.out)) assert.ok(line.length <= 50, line);
    const json = JSON.parse((await run(world, ['history', '--limit', '1', '--json'])).out);
    assert.deepEqual(
      [json.total, json.items.length, json.items[0].undoes, json.items[0].playlist_name],
      [3, 1, id, playlist.name],
    );
  }));

test('undo takes back the last change; before and after, it says what does not come back', () =>
  withReplaced(async ({ world, playlist, former, wanted, id }) => {
    // The undo shows songs by their titles only if relay has read them before.
    await world.call('get_playlist_tracks', { playlist_id: playlist.id });
    const { code, out, err } = await run(world, ['undo']);
    assert.equal(code, 0, err);
    assertRows(playlist, former);
    const what = 'replaced the songs of "Exactly Two Hundred" with 30 songs';
    const dates =
      'Spotify shows today as the date of what the undo writes again, and you as who added it: 200 rows.';
    assert.equal(out, `"Exactly Two Hundred": 200 songs back, 30 songs out.\n${dates}\n`);
    const lines = (mark: string, uris: readonly string[]) => [
      ...uris.slice(0, 5).map((uri) => `  ${mark} ${titleOf(world, uri)}`),
      `  ${mark} and ${uris.length - 5} more`,
    ];
    assert.deepEqual(err.split('\n').slice(0, -2), [
      `Undoing: ${what} (${id.slice(0, 8)})`,
      '"Exactly Two Hundred": 200 songs back, 30 songs out.',
      ...lines('+', former),
      ...lines('-', wanted),
      dates,
    ]);
    const [, back = ''] = /\nTo redo it: relay undo (\w{8})\n$/.exec(err) ?? [];
    const again = await run(world, ['undo', id.slice(0, 6)]);
    assert.equal(again.code, 1);
    assert.match(again.err, /is undone already/);
    assert.equal((await run(world, ['undo', back])).code, 0);
    assertRows(playlist, wanted);
  }));

test('undo --dry-run only says what undo would do', () =>
  withReplaced(async ({ world, playlist, wanted, id }) => {
    const { code, out, err } = await run(world, ['undo', '--dry-run']);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^Undoing: replaced .*\n".*": 200 songs back, 30 songs out\.\n {2}\+ /);
    const json = JSON.parse((await run(world, ['undo', '--dry-run', '--json'])).out);
    assert.deepEqual([json.undone, json.dry_run, json.rows, json.removed], [id, true, 200, 30]);
    assertRows(playlist, wanted);
  }));

test('an undo leaves a playlist as it is if others have changed it since, and shows what differs', () =>
  withReplaced(async ({ world, playlist, wanted }) => {
    const [song = ''] = tracks(world, 1, 8_000);
    const edited = [...wanted.slice(0, 20), song, ...wanted.slice(20)];
    world.provider.editPlaylist(playlist.id, edited);
    const { code, out, err } = await run(world, ['undo']);
    assert.deepEqual([code, out], [1, '']);
    assert.deepEqual(err.split('\n').slice(0, 2), [
      'More than relay left there:',
      `  + ${titleOf(world, song)}`,
    ]);
    assert.match(
      err,
      /^relay: Someone changed "Exactly Two Hundred" since: it should have 30 rows and has 31\.$/m,
    );
    assert.match(
      err,
      /^ {2}Add --force to bring back the rows from before this change\. Later changes are then lost\.$/m,
    );
    const json = JSON.parse((await run(world, ['undo', '--json'])).err);
    const { missing_count, extra_count, extra, expected_count, present_count } = json.error.details;
    assert.deepEqual([json.error.code, missing_count, extra_count], ['CONFLICT', 0, 1]);
    assert.deepEqual([extra, expected_count, present_count], [[titleOf(world, song)], 30, 31]);
    assertRows(playlist, edited);
  }));

test('--force asks on a terminal unless --yes is given; without a terminal it acts at once', () =>
  withReplaced(async ({ world, playlist, former, wanted }) => {
    const edited = [...wanted, ...tracks(world, 2, 8_000)];
    world.provider.editPlaylist(playlist.id, edited);
    const no = await run(world, ['undo', '--force'], { ...TERMINAL, stdin: 'n\n' });
    assert.equal(no.code, 130);
    assert.match(no.err, /^"Exactly Two Hundred": 200 songs back, 32 songs out\.$/m);
    assert.match(no.err, /Undo\? \[y\/N\] .*relay: Nothing was changed\.\n$/s);
    assertRows(playlist, edited);
    assert.equal((await run(world, ['undo', '--force'], { ...TERMINAL, stdin: 'y\n' })).code, 0);
    assertRows(playlist, former);
    for (const [words, options] of [
      [['--yes'], TERMINAL],
      [[], {}],
    ] as const) {
      await world.call('replace_playlist_tracks', { playlist_id: playlist.id, track_ids: wanted });
      world.provider.editPlaylist(playlist.id, edited);
      assert.equal((await run(world, ['undo', '--force', ...words], options)).code, 0);
      assertRows(playlist, former);
    }
  }));

test('a missing change, and an ambiguous ID, are reported', () =>
  withRelay(async (world) => {
    assert.deepEqual(await run(world, ['history']), {
      code: 0,
      out: '',
      err: 'No changes in the last 30 days.\n',
    });
    assert.deepEqual(await run(world, ['undo']), {
      code: 1,
      out: '',
      err: 'relay: There is no change to undo.\n  `relay history` lists the changes of the last 30 days.\n',
    });
    // Of 17 hexadecimal IDs, two begin with the same digit.
    for (let at = 0; at < 17; at++)
      await world.call('save_tracks', { track_ids: tracks(world, 1, 7_000 + at) });
    const { items } = JSON.parse((await run(world, ['history', '--json'])).out);
    const starts = (items as Array<{ change_id: string }>).map(({ change_id }) => change_id.slice(0, 1));
    const twice = starts.find((start, index) => starts.indexOf(start) < index) ?? '';
    const several = await run(world, ['undo', twice]);
    assert.equal(several.code, 2);
    assert.match(several.err, new RegExp(`^relay: Several change IDs begin with "${twice}"\\.\n`));
    assert.equal((await run(world, ['undo', 'zzz'])).code, 1);
    assert.equal((await run(world, ['history', '--limit', '0'])).code, 2);
  }));

test('an undo that takes longer continues as a job, and the job is shown', async (context) => {
  const undone = '1f0c2b3a-0000-4000-8000-000000000000';
  const none = { count: 0, first: [] };
  const facts = {
    ok: true,
    undone,
    playlist_id: 'p'.repeat(22),
    rows: null,
    removed: null,
    notes: [],
    summary: 'Restores "Evening" (40 songs).',
    added: none,
    taken: none,
  };
  const { env, calls } = await startFakeLocal(context, {
    answers: {
      undoChange: async ({ dryRun }) => ({
        ...facts,
        dry_run: dryRun,
        requests: 40,
        ...(dryRun ? {} : { job_id: '9e0c2b3a-0000', reason: '1 of 40 written so far.' }),
      }),
    },
  });
  assert.deepEqual(await relay(['undo'], { env }), {
    code: 0,
    out: 'The undo is not finished; it continues as job 9e0c2b3a. 1 of 40 written so far.\n',
    err: `Undoing: ${undone}\nRestores "Evening" (40 songs).\nTo follow it: relay jobs show 9e0c2b3a --watch\n`,
  });
  assert.deepEqual(pluck(calls, 'body'), [
    { change: null, force: false, dryRun: true },
    { change: undone, force: false, dryRun: false },
  ]);
});
