/** `relay jobs fix` asks questions on a terminal. Without a terminal, its options decide. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { widthOf } from '../../src/cli/terminal/textWidth.ts';
import type { DemoTrack } from '../../src/demo/catalogue/types.ts';
import { type CliOptions, run } from '../support/cli.ts';
import { linesOf } from '../support/entries.ts';
import { trackShape } from '../support/shapes.ts';
import { asQuery, misspelled, NOTHING, uniqueTracks } from '../support/songs.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { createJob, itemsOf, reach } from '../work/jobCalls.ts';

const TERMINAL = { stdin: true, stdout: true, stderr: true };

const jobs = (world: Relay, args: string[], options: CliOptions = {}) =>
  run(world, ['jobs', ...args], { ...options, env: { LANG: 'C.UTF-8' } });

/** The URI of each item, or its status if it has no URI. */
async function outcomes(world: Relay, id: string) {
  return (await itemsOf(world, id)).map(({ status, uri }) => (uri === null ? status : uri));
}

test('on a terminal, jobs fix goes through the items; answers are a number, a link, a search, leave out, later or quit', () =>
  withRelay(async (world) => {
    const all = uniqueTracks(world, 8);
    const [a, b, c, d, e, f] = all;
    assert.ok(a && b && c && d && e && f);
    const list = [
      asQuery(a),
      misspelled(b),
      NOTHING,
      misspelled(c),
      misspelled(d),
      { ...NOTHING, title: 'Nor This' },
    ];
    const id = await createJob(world, 'save_tracks', list);
    await reach(world, id, 'ready');
    const typed = [
      '1', // item 2: its only candidate
      '9', // item 3: there is no such number
      `l https://open.spotify.com/track/0000000000000000000000`,
      e.id, // pasted
      'x', // item 4: left out
      `s ${f.name} ${asQuery(f).artist}`, // item 5
      '1',
      '', // item 6: later
    ];
    const { code, out, err } = await jobs(world, ['fix', id.slice(0, 8)], {
      terminal: TERMINAL,
      stdin: typed.map((line) => `${line}\n`).join(''),
    });
    assert.equal(code, 0, err);
    assert.deepEqual(await outcomes(world, id), [a.uri, b.uri, e.uri, 'skipped', f.uri, 'unmatched']);
    const shown = err.replace(/\s+/g, ' ');
    const text = (track: DemoTrack) => {
      const { name, artists, album, duration_ms } = trackShape(track);
      const seconds = Math.round((duration_ms ?? 0) / 1_000);
      const length = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
      return [name, artists.map((one) => one.name).join(', '), album.name, length].join(' - ');
    };
    for (const line of [
      'Item 2 of 6, 5 open',
      `Taken: ${text(b)}`,
      'Item 3 of 6, 4 open',
      'No close match was found.',
      'No track is listed.',
      'Item 3: Spotify has no track spotify:track:0000000000000000000000. Nothing was changed.',
      `Taken: ${text(e)}`,
      'Left out.',
      `Taken: ${text(f)}`,
    ]) {
      assert.ok(shown.includes(line), `${line}\n---\n${err}`);
    }
    assert.equal(linesOf(err).at(-1), '1 still open.');
    const short = id.slice(0, 8);
    assert.equal(
      out,
      `1 song needs you: relay jobs fix ${short}\nTo write it without them: relay jobs commit ${short} --skip-unresolved\n`,
    );
  }));

test('one answer accepts all near matches, after the weakest of them were shown', () =>
  withRelay(async (world) => {
    const all = uniqueTracks(world, 6);
    const id = await createJob(world, 'save_tracks', [NOTHING, ...all.map(misspelled)]);
    await reach(world, id, 'ready');
    const { code, out, err } = await jobs(world, ['fix', id], {
      terminal: TERMINAL,
      columns: 40,
      stdin: 'a\nn\na\ny\nx\n',
    });
    assert.equal(code, 0, err);
    assert.deepEqual(await outcomes(world, id), ['skipped', ...all.map(({ uri }) => uri)]);
    assert.equal(err.match(/The weakest matches:/g)?.length, 2);
    assert.match(err, /Accept the first match for 6 near-identical songs\? \[y\/N\] 6 taken\./);
    assert.match(err, /Nothing is open\.\n$/);
    // On a real terminal, what the person types ends the line of a prompt. The text after a prompt is then a new line.
    for (const line of err.replace(/(?:> |\[y\/N\] |\]: )/g, '$&\n').split('\n')) {
      assert.ok(widthOf(line) <= 60, line);
    }
    assert.equal(out, `To write it: relay jobs commit ${id.slice(0, 8)}\n`);
  }));

/** Chooses "all near", and says yes once `meanwhile` is done. */
async function acceptAll(world: Relay, id: string, meanwhile: () => Promise<unknown>) {
  const stdin = new PassThrough();
  stdin.write('a\n');
  let answered: Promise<void> | null = null;
  const answer = async () => {
    await meanwhile();
    stdin.end('y\n');
  };
  const ended = await jobs(world, ['fix', id], {
    terminal: TERMINAL,
    stdin,
    onErr: (all) => {
      if (all.includes('[y/N]')) answered ??= answer();
    },
  });
  await answered;
  return ended;
}

test('"all near" leaves what was decided elsewhere while it asked', () =>
  withRelay(async (world) => {
    const [a, b, c] = uniqueTracks(world, 3);
    assert.ok(a && b && c);
    const id = await createJob(world, 'save_tracks', [a, b, c].map(misspelled));
    await reach(world, id, 'ready');
    const fixes = [
      { position: 1, skip: true },
      { position: 2, track_id: a.uri },
    ];
    const { code, err } = await acceptAll(world, id, () => world.call('resume_job', { job_id: id, fixes }));
    assert.equal(code, 0, err);
    assert.match(err, / 1 taken\./);
    assert.deepEqual(await outcomes(world, id), [a.uri, 'skipped', a.uri]);
  }));

test('without a terminal the options settle items, and the items that stay open are printed', () =>
  withRelay(async (world) => {
    const [a, b, c, d] = uniqueTracks(world, 4);
    assert.ok(a && b && c && d);
    const list = [NOTHING, { ...NOTHING, title: 'Nor This' }, misspelled(a), misspelled(b), asQuery(c)];
    const id = await createJob(world, 'save_tracks', list);
    await reach(world, id, 'ready');
    const short = id.slice(0, 8);
    const item = (number: number, title: string) => `${number}. ${title} by ${NOTHING.artist} (unmatched)\n`;

    const nothing = await jobs(world, ['fix', short]);
    assert.match(
      nothing.out,
      /^1\. No Such Song Anywhere by Nobody of That Name \(unmatched\)\n2\. Nor This/,
    );

    const wrong = await jobs(world, ['fix', short, '--take', `1=${d.id}`, '--skip', '9']);
    assert.deepEqual([wrong.code, wrong.out], [1, '']);
    assert.match(wrong.err, /Item 9: the list has only 5 items\. Nothing was changed\./);

    const fixed = await jobs(world, ['fix', short, '--take', `1=${d.uri}`, '--accept-near', '0.2']);
    assert.deepEqual(fixed, {
      code: 0,
      out: `3 settled, 0 left out.\n${item(2, 'Nor This')}1 song needs you: relay jobs fix ${short}\nTo write it without them: relay jobs commit ${short} --skip-unresolved\n`,
      err: '',
    });
    const refused = await jobs(world, ['commit', short]);
    assert.deepEqual(
      [refused.code, refused.err],
      [
        1,
        `relay: The job is strict and 1 of its 5 items did not resolve (0 ambiguous, 1 unmatched, 0 failed).\n  Settle them with \`relay jobs fix ${short}\`. \`relay jobs commit ${short} --skip-unresolved\` writes the job without them.\n`,
      ],
    );
    const last = JSON.parse((await jobs(world, ['fix', short, '--skip', '2', '--json'])).out);
    assert.deepEqual([last.left, last.job.resolved, last.job.skipped], [[], 4, 1]);
    assert.deepEqual(await outcomes(world, id), [d.uri, 'skipped', a.uri, b.uri, c.uri]);
    assert.equal((await jobs(world, ['commit', short, '--watch'])).code, 0);
  }));
