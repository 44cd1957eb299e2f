/** The owner's page with what people bring to it: long lists, files that are not lists, links, and listening histories. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createJob, jobOf, reach } from '../jobs/jobCalls.ts';
import { extended, zipped } from '../library/plays/exports.ts';
import { connect } from '../oauth/tokens.ts';
import { at, owner } from '../support/entries.ts';
import {
  card,
  hold,
  inChromium,
  openDiagnostics,
  openSignedIn,
  REFUSED,
  withPage,
} from '../support/ownerPage.ts';
import { addPlaylist, named, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, lineOf, misspelled, NOTHING, uniqueTracks } from '../support/songs.ts';
import { until } from '../support/until.ts';
import type { Relay } from '../support/world.ts';

const inFull = inChromium(longTest);

function withUniqueNames({ provider }: Relay, amount: number) {
  const counts = new Map<string, number>();
  for (const { name } of provider.catalogue.tracks) counts.set(name, (counts.get(name) ?? 0) + 1);
  const unique = provider.catalogue.tracks.filter(
    ({ name }) => /^[A-Za-z ]{11,}$/.test(name) && counts.get(name) === 1,
  );
  assert.ok(unique.length >= amount, `${unique.length}`);
  return unique.slice(0, amount);
}

/** Drops files with these names on the window, each with `text`. */
async function drop(page: Page, text: string, names = ['Road trip.txt']): Promise<void> {
  await page.evaluate(`{
    const data = new DataTransfer();
    for (const name of ${JSON.stringify(names)})
      data.items.add(new File([${JSON.stringify(text)}], name, { type: 'text/plain' }));
    for (const type of ['dragenter', 'dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
  }`);
}

inFull('three hundred lines become a playlist with one drop and two clicks', () =>
  withPage({ client: false }, async (relay, page) => {
    const songs = withUniqueNames(relay, 300);
    await openSignedIn(page, relay);
    await drop(page, songs.map((song) => `${asQuery(song).artist} - ${song.name}`).join('\n'));
    await card(page, 'Import a list').getByRole('button', { name: 'Find the songs' }).click();
    const write = card(page, 'Needs you').getByRole('button', { name: /Write 300 songs/ });
    await write.click({ timeout: 120_000 });
    const happened = card(page, 'What happened');
    await happened.getByText('Created "Road trip" with 300 songs').waitFor({ timeout: 120_000 });
    // A song may be on two albums under two URIs, so recordings are compared.
    const isrcs = new Map(relay.provider.catalogue.tracks.map(({ uri, isrc }) => [uri, isrc]));
    assert.deepEqual(
      urisOf(named(relay, 'Road trip')).map((uri) => isrcs.get(uri)),
      songs.map(({ isrc }) => isrc),
    );
  }),
);

inFull('with the keyboard, the focus stays on a list from the preview until it can be written', () =>
  withPage({ client: false }, async (relay, page) => {
    const [song] = uniqueTracks(relay, 1);
    await openSignedIn(page, relay);
    await drop(page, `${song && asQuery(song).artist} - ${song?.name}`);
    await page.getByLabel('Name of the playlist').press('Enter');
    await card(page, 'Needs you').getByRole('button', { name: 'Write 1 song' }).waitFor();
    await page.keyboard.press('Tab');
    const focused = await page.evaluate('document.activeElement.textContent');
    assert.equal(focused, 'Write 1 song');
  }),
);

inFull('the page questions a file that is not a list before it searches for anything', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    relay.provider.clearRequests();
    const songs = uniqueTracks(relay, 6).map((song) => `${asQuery(song).artist} - ${song.name}`);
    const prose = ['Things to buy', 'bread', 'two lemons', 'Call the dentist on Monday', 'Pay the rent'];
    await drop(page, [...songs, ...prose].join('\n'));
    await card(page, 'Import a list').getByRole('button', { name: 'Find them anyway' }).waitFor();
    assert.deepEqual(relay.provider.requests, []);
  }),
);

inFull('a name of spaces is refused on the page, before anything is sent', () =>
  withPage({}, async (relay, page) => {
    await openSignedIn(page, relay);
    await drop(page, 'Ovo - Plinth\nTam - Kettle');
    const field = page.getByLabel('Name of the playlist');
    await field.fill('  ');
    await card(page, 'Import a list').getByRole('button', { name: 'Find the songs' }).click();
    assert.equal(await field.evaluate((input) => input.matches(':focus:invalid')), true);
    assert.deepEqual((await relay.call('list_jobs')).items, []);
    await field.fill(' Mine ');
    await card(page, 'Import a list').getByRole('button', { name: 'Find the songs' }).click();
    await card(page, 'Needs you').getByText('Create “Mine”').waitFor();
  }),
);

inFull('before all near matches are accepted, they are listed with the weakest first', () =>
  withPage({}, async (relay, page) => {
    const songs = uniqueTracks(relay, 40)
      .sort((one, other) => other.name.length - one.name.length)
      .filter((_song, index) => index % 10 === 0);
    const id = await createJob(relay, 'save_tracks', songs.map(misspelled));
    await reach(relay, id, 'ready');
    const { items } = (await relay.call('get_job_status', { job_id: id })) as unknown as {
      items: { input: { title: string }; candidates: { score: number }[] }[];
    };
    const weakestFirst = items
      .map(({ input, candidates }) => ({ title: input.title, score: candidates[0]?.score ?? 0 }))
      .sort((one, other) => one.score - other.score);
    await openSignedIn(page, relay);
    await card(page, 'Needs you').getByRole('button', { name: 'Settle 4' }).click();
    const picker = page.getByRole('dialog');
    await picker.getByText(/^4 entries/).waitFor();
    await page.keyboard.press('a');
    await picker.getByText('Accept the first match for 4 near-identical songs?').waitFor();
    const shown = await picker.getByRole('listitem').allInnerTexts();
    assert.deepEqual(
      shown.map((text) => weakestFirst.find(({ title }) => text.includes(title))?.score),
      weakestFirst.map(({ score }) => score),
    );
  }),
);

inFull('the picker offers to write only if there is something, and says itself why that is refused', () =>
  withPage({ page: { expected: REFUSED } }, async (relay, page) => {
    const songs = uniqueTracks(relay, 40).sort((one, other) => other.name.length - one.name.length);
    const id = await createJob(relay, 'save_tracks', [NOTHING]);
    await reach(relay, id, 'ready');
    await openSignedIn(page, relay);
    const settle = card(page, 'Needs you').getByRole('button', { name: 'Settle 1' });
    const picker = page.getByRole('dialog');
    const write = picker.getByRole('button', { name: 'Write it now' });
    await settle.click();
    await picker.getByText('No Such Song Anywhere').waitFor();
    await page.keyboard.press('x');
    await picker.getByText('Every entry is left out, so there is nothing to write.').waitFor();
    assert.equal(await write.count(), 0);
    await page.keyboard.press('Enter');
    await picker.waitFor({ state: 'hidden' });
    await settle.waitFor({ state: 'hidden' });

    const other = await createJob(relay, 'save_tracks', [misspelled(at(songs, 0))]);
    await reach(relay, other, 'ready');
    await settle.click();
    await picker.getByText(/^1 entry/).waitFor();
    await page.keyboard.press('1');
    await picker.getByText('Everything is settled').waitFor();
    // The page has not read yet that the job was cancelled.
    await page.route('**/owner/state', () => {});
    await relay.call('cancel_job', { job_id: other });
    await write.click();
    await picker.getByRole('alert').getByText('This job was cancelled.').waitFor();
  }),
);

inFull('a double click or a key that is held settles one entry, not others that nobody has seen', () =>
  withPage({}, async (relay, page) => {
    const id = await createJob(relay, 'save_tracks', uniqueTracks(relay, 8).map(misspelled));
    await reach(relay, id, 'ready');
    await openSignedIn(page, relay);
    await card(page, 'Needs you').getByRole('button', { name: 'Settle 8' }).click();
    const picker = page.getByRole('dialog');
    await picker.getByText(/^8 entries/).waitFor();
    await picker.locator('button.candidate').first().dblclick({ delay: 40 });
    await picker.getByText('7 entries to settle, 1 done').waitFor();
    for (const key of ['1', 'x']) {
      for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down(key);
      await page.keyboard.up(key);
    }
    await picker.getByText('5 entries to settle, 3 done').waitFor();
    await page.keyboard.press('Escape');
    await until(async () => {
      const { unmatched, ambiguous } = await jobOf(relay, id);
      return unmatched + ambiguous === 5;
    });
  }),
);

inFull('a list that cannot be searched for yet says what it waits for', () =>
  withPage({}, async (relay, page) => {
    const search = { path: '/search', kind: 'rate_limit', retryAfterSeconds: 50_400 } as const;
    relay.provider.faults.add({ method: 'GET', ...search });
    await relay.call('search_tracks', { query: 'ferry' });
    await openSignedIn(page, relay);
    await drop(page, 'Ovo - Plinth');
    await card(page, 'Import a list').getByRole('button', { name: 'Find the songs' }).click();
    await page.getByText('relay finds 1 song once Spotify allows searches again, in 14 hours.').waitFor();
  }),
);

inFull('a file that has changed since its preview, and files that were dropped beside it, are named', () =>
  withPage({ page: { expected: REFUSED } }, async (relay, page) => {
    const folder = mkdtempSync(join(tmpdir(), 'relay-page-'));
    try {
      const path = join(folder, 'Mine.txt');
      writeFileSync(path, 'Ovo - Plinth\n');
      await openSignedIn(page, relay);
      await page.locator('#import-file').setInputFiles(path);
      const list = card(page, 'Import a list');
      await list.getByRole('button', { name: 'Find the songs' }).waitFor();
      writeFileSync(path, 'Ovo - Plinth\nTam - Kettle\n');
      await list.getByRole('button', { name: 'Find the songs' }).click();
      await page.getByText(/^Mine\.txt is a folder, or has changed since\. Give the file again\.$/).waitFor();
      await drop(page, 'Ovo - Plinth', ['One.txt', 'Two.txt']);
      await page.getByText('One list at a time: this is One.txt.').waitFor();
    } finally {
      rmSync(folder, { recursive: true });
    }
  }),
);

inFull('choices that are still on their way when the picker is closed belong to their own list', () =>
  withPage({}, async (relay, page) => {
    const songs = uniqueTracks(relay, 4);
    const first = await createJob(relay, 'save_tracks', songs.slice(0, 2).map(misspelled));
    const second = await createJob(relay, 'save_tracks', songs.slice(2).map(misspelled));
    for (const id of [first, second]) await reach(relay, id, 'ready');
    await openSignedIn(page, relay);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    await page.route('**/jobs/settle', async (route) => {
      if (++asked === 1) await held;
      await route.continue();
    });
    const picker = page.getByRole('dialog');
    const buttons = card(page, 'Needs you').getByRole('button', { name: 'Settle 2' });
    await buttons.first().click();
    await picker.getByText('2 entries to settle').waitFor();
    await page.keyboard.press('1');
    await until(() => asked === 1);
    await page.keyboard.press('1');
    await page.keyboard.press('Escape');
    await picker.waitFor({ state: 'hidden' });
    await buttons.last().click();
    await picker.waitFor();
    release();
    await picker.getByText('2 entries to settle').waitFor();
    const left = async (id: string) => {
      const { unmatched, ambiguous } = await jobOf(relay, id);
      return unmatched + ambiguous;
    };
    await until(async () => [await left(first), await left(second)].sort().join() === '0,2');
  }),
);

inFull('a link that is pasted into the search of the picker finds that track', () =>
  withPage({}, async (relay, page) => {
    const [song] = uniqueTracks(relay, 1);
    const id = await createJob(relay, 'save_tracks', [NOTHING]);
    await reach(relay, id, 'ready');
    await openSignedIn(page, relay);
    await card(page, 'Needs you').getByRole('button', { name: 'Settle 1' }).click();
    const picker = page.getByRole('dialog');
    await picker.getByText('No Such Song Anywhere').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.type(`https://open.spotify.com/track/${song?.uri.split(':').at(-1)}`);
    await page.keyboard.press('Enter');
    await picker
      .getByRole('button', { name: song?.name ?? '' })
      .first()
      .click();
    await picker.getByText('Everything is settled').waitFor();
  }),
);

inFull(
  'the tools outside the standard toolset are offered once, and the answer is saved as the setting',
  () =>
    withPage({ client: false }, async (relay, page) => {
      await openSignedIn(page, relay);
      await connect(relay, { client_name: 'Claude Code (relay)' });
      const clients = card(page, 'AI clients');
      const question = clients.getByText(/^Also offer undo/);
      await question.waitFor();
      await clients.getByRole('button', { name: /^Yes/ }).click();
      await page.getByText('AI clients get these tools once relay has restarted').waitFor();
      await question.waitFor({ state: 'hidden' });
      const { toolsets } = JSON.parse(readFileSync(join(relay.home, 'config.json'), 'utf8'));
      assert.deepEqual([toolsets].flat().join(','), 'standard,extras');
    }),
);

inFull('an archive with a listening history can be chosen on the page, and goes into the library', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    const rows = [1, 2, 3].map((song) => extended({ at: `2026-01-0${song}T10:00:00Z`, song }));
    const archive = zipped({
      'Spotify Account Data/Streaming_History_Audio_2026_0.json': [...rows, rows[0]],
    });
    const choose = () =>
      page.locator('input[type=file]').setInputFiles({
        name: 'my_spotify_data.zip',
        mimeType: 'application/zip',
        buffer: Buffer.from(archive),
      });
    await choose();
    await page.getByText('4 plays, 2026; 3 are new.').waitFor();
    await choose();
    await page.getByText('4 plays, 2026; none is new.').waitFor();
  }),
);

inFull('the page says that it reads a history until that is done, and takes a list meanwhile', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/plays/progress', async (route) => {
      await held;
      await route.continue();
    });
    const rows = [extended({ at: '2026-01-01T10:00:00Z', song: 1 })];
    const history = {
      name: 'hist.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from(zipped({ 'Spotify Account Data/Streaming_History_Audio_2026_0.json': rows })),
    };
    const imported = card(page, 'Import a list');
    const file = imported.locator('input[type=file]');
    await file.setInputFiles(history);
    const progress = imported.getByRole('progressbar', { name: 'Reading hist.zip' });
    await progress.waitFor();
    await file.setInputFiles({ ...history, name: 'second.zip' });
    await page.getByText('relay is still at work on another file. Give it second.zip again').waitFor();
    await drop(page, uniqueTracks(relay, 2).map(lineOf).join('\n'));
    await imported.getByRole('button', { name: 'Find the songs' }).waitFor();
    await progress.waitFor();
    release();
    await page.getByText('1 play, 2026.').waitFor();
    await progress.waitFor({ state: 'hidden' });
  }),
);

inFull('a command in a notice is shown as code, without its backquotes', () =>
  withPage({ client: false, page: { expected: REFUSED } }, async (relay, page) => {
    await openSignedIn(page, relay);
    await drop(
      page,
      'Dear Ovo,\nthank you for the kettle - it works.\nIt is blue\nand round\nand sings\nat night\n',
    );
    const notice = page.locator('.toast');
    await notice.locator('code').getByText('relay import FILE --format txt').waitFor();
    assert.doesNotMatch(await notice.innerText(), /`/);
  }),
);

/** Spotify's own export of playlists, with one song in each, so many times. */
function exported(
  relay: Relay,
  lists: number,
  times = 1,
): { name: string; mimeType: string; buffer: Buffer } {
  const [song] = uniqueTracks(relay, 1);
  const track = { trackName: song?.name, artistName: song?.artists[0]?.name, trackUri: song?.uri };
  const playlists = Array.from({ length: lists }, (_, index) => ({
    name: `Плейлист номер ${index} на долгое лето`,
    items: Array.from({ length: times }, () => ({ track })),
  }));
  const buffer = Buffer.from(JSON.stringify({ playlists }));
  return { name: 'Playlist1.json', mimeType: 'application/json', buffer };
}

inFull('a file with many playlists becomes as many playlists', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    const imported = card(page, 'Import a list');
    await imported.locator('input[type=file]').setInputFiles(exported(relay, 120));
    await imported
      .getByLabel('120 playlists in the file')
      .selectOption({ label: 'Each as a new playlist of its own' });
    await imported.getByRole('button', { name: 'Find the songs' }).click();
    await card(page, 'Needs you').getByRole('button', { name: 'Show all 120 jobs' }).waitFor();
  }),
);

inFull('playlists of a file keep their repeated songs if the person wants it so', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    const imported = card(page, 'Import a list');
    await imported.locator('input[type=file]').setInputFiles(exported(relay, 2, 3));
    await imported
      .getByLabel('2 playlists in the file')
      .selectOption({ label: 'Each as a new playlist of its own' });
    await imported.getByLabel('Skip duplicates', { exact: true }).uncheck();
    await imported.getByRole('button', { name: 'Find the songs' }).click();
    const write = card(page, 'Needs you').getByRole('button', { name: 'Write 3 songs' });
    for (let left = 2; left > 0; left--) {
      await until(async () => (await write.count()) === left);
      await write.first().click();
    }
    const made = () => owner(relay.provider).playlists.filter(({ name }) => name.startsWith('Плейлист'));
    await until(() => made().length === 2 && made().every(({ rows }) => rows.length === 3));
  }),
);

inFull('each playlist of a file can be reached with the arrow keys', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    const imported = card(page, 'Import a list');
    await imported.locator('input[type=file]').setInputFiles(exported(relay, 5));
    const choice = imported.getByLabel('5 playlists in the file');
    await choice.focus();
    // The second option is "each", and the sixth the fourth playlist. The keys are faster than the reading.
    for (let times = 0; times < 5; times++) await page.keyboard.press('ArrowDown');
    const name = imported.getByLabel('Name of the playlist');
    await until(async () => (await name.inputValue()) === 'Плейлист номер 3 на долгое лето');
    assert.equal(await choice.inputValue(), 'Плейлист номер 3 на долгое лето');
    assert.equal(await choice.getByRole('option').count(), 7);
    for (let times = 0; times < 5; times++) await page.keyboard.press('ArrowUp');
    await imported.getByText('5 songs, read as').waitFor();
  }),
);

inFull('if the playlists to import into cannot be read, the page says so, and reads them again', () =>
  withPage({ client: false, page: { expected: REFUSED } }, async (relay, page) => {
    await openSignedIn(page, relay);
    const imported = card(page, 'Import a list');
    await imported.getByLabel('Paste songs').fill(uniqueTracks(relay, 2).map(lineOf).join('\n'));
    await imported.getByRole('button', { name: 'Read', exact: true }).click();
    const go = imported.getByRole('button', { name: 'Find the songs' });
    await go.waitFor();
    relay.provider.faults.add({ method: 'GET', path: /\/me\/playlists$/, kind: 'status', status: 400 });
    await imported.getByLabel('One of my playlists').check();
    await imported.getByText('Your playlists could not be read.').waitFor();
    assert.equal(await go.isDisabled(), true);
    const notice = page.locator('.toast').getByRole('button', { name: 'Close' });
    await notice.waitFor();
    await imported.getByRole('button', { name: 'Read them again' }).click();
    await imported.getByLabel('Playlist', { exact: true }).waitFor();
    await notice.waitFor({ state: 'hidden' });
    assert.equal(await go.isEnabled(), true);
  }),
);

inFull('what the person chose for a list is still chosen after a look at the diagnostics', () =>
  withPage({ client: false }, async (relay, page) => {
    for (const name of ['First', 'Second', 'Third']) addPlaylist(relay.provider, name, []);
    const songs = uniqueTracks(relay, 2);
    await openSignedIn(page, relay);
    const imported = card(page, 'Import a list');
    const text = imported.getByLabel('Paste songs');
    const away = async () => {
      await openDiagnostics(page);
      await page.goBack();
    };
    await text.fill(songs.map(lineOf).join('\n'));
    await away();
    assert.equal(await text.inputValue(), songs.map(lineOf).join('\n'));
    await imported.getByRole('button', { name: 'Read', exact: true }).click();
    const name = imported.getByLabel('Name of the playlist');
    await name.fill('Mine');
    const once = imported.getByLabel(/Skip duplicates/);
    await once.uncheck();
    await away();
    assert.equal(await name.inputValue(), 'Mine');
    assert.equal(await once.isChecked(), false);
    await imported.getByLabel('One of my playlists').check();
    const choice = imported.getByLabel('Playlist', { exact: true });
    await choice.selectOption({ label: 'Second' });
    await openDiagnostics(page);
    await page.getByRole('link', { name: 'Home' }).click();
    assert.equal(await choice.locator('option:checked').innerText(), 'Second');
    await imported.getByRole('button', { name: 'Find the songs' }).click();
    await card(page, 'Needs you').getByText('Add to “Second”').waitFor();
    // The next list is pasted anew, and begins with nothing chosen.
    assert.equal(await text.inputValue(), '');
    await drop(page, songs.map(lineOf).join('\n'));
    await name.fill('Mine');
    await once.uncheck();
    await imported.getByLabel('Liked Songs').check();
    await drop(page, lineOf(songs[0] ?? assert.fail()));
    await imported.getByText('1 song, read as').waitFor();
    assert.equal(await name.inputValue(), 'Road trip');
    assert.equal(await once.isChecked(), true);
    assert.equal(await imported.getByLabel('A new playlist').isChecked(), true);
  }),
);

inFull('the selectors show what the page shows, also after a request that failed', () =>
  withPage({ client: false, page: { expected: REFUSED } }, async (relay, page) => {
    await openSignedIn(page, relay);
    const imported = card(page, 'Import a list');
    await imported.locator('input[type=file]').setInputFiles(exported(relay, 3));
    const choice = imported.getByLabel('3 playlists in the file');
    await choice.selectOption({ index: 3 });
    await imported.getByText('1 song, read as').waitFor();
    const second = await choice.inputValue();
    await page.route('**/import/read', (route) => route.abort());
    await choice.selectOption({ index: 4 });
    await page.getByText('relay does not answer.').waitFor();
    await until(async () => (await choice.inputValue()) === second);

    const setup = page.getByLabel('Connect a client');
    await page.route('**/clients/setup', (route) => route.abort());
    await setup.selectOption({ index: 1 });
    await until(async () => (await setup.inputValue()) === '');
  }),
);

inFull(
  'Cancel drops a list that is being read in another way, and cannot be pressed once a job is made',
  () =>
    withPage({ client: false }, async (relay, page) => {
      await openSignedIn(page, relay);
      const imported = card(page, 'Import a list');
      await imported.locator('input[type=file]').setInputFiles(exported(relay, 3));
      const choice = imported.getByLabel('3 playlists in the file');
      await choice.waitFor();
      const read = await hold(page, '**/import/read');
      await choice.selectOption({ index: 3 });
      const cancel = imported.getByRole('button', { name: 'Cancel' });
      await cancel.click();
      await imported.getByText('Drop a list here').waitFor();
      const answer = page.waitForResponse('**/import/read');
      read();
      await answer;
      await page.waitForResponse('**/owner/state');
      await imported.getByText('Drop a list here').waitFor();

      await page.unroute('**/import/read');
      await drop(page, uniqueTracks(relay, 2).map(lineOf).join('\n'));
      const start = await hold(page, '**/import/start');
      await imported.getByRole('button', { name: 'Find the songs' }).click();
      await imported.locator('form[inert]').getByText('Cancel').waitFor();
      start();
      await card(page, 'Needs you').getByText('Create “Road trip”').waitFor();
    }),
);

inFull('the preview of one playlist of a file says nothing of the songs in the others', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    const imported = card(page, 'Import a list');
    await imported.locator('input[type=file]').setInputFiles(exported(relay, 3, 2));
    await imported.getByLabel('3 playlists in the file').selectOption({ index: 3 });
    await imported.getByText('2 songs, read as').waitFor();
    assert.doesNotMatch(await imported.innerText(), /not songs|not a song/);
  }),
);

inFull(
  'choices in the picker that may not have been saved are counted there, and on the page once it is closed',
  () =>
    withPage({ page: { expected: REFUSED } }, async (relay, page) => {
      const id = await createJob(relay, 'save_tracks', uniqueTracks(relay, 3).map(misspelled));
      await reach(relay, id, 'ready');
      await openSignedIn(page, relay);
      await card(page, 'Needs you').getByRole('button', { name: 'Settle 3' }).click();
      const picker = page.getByRole('dialog');
      await picker.getByText('3 entries to settle').waitFor();
      await page.route('**/jobs/settle', (route) => route.abort());
      await page.keyboard.press('1');
      await picker.getByText('1 choice may not have been saved.').waitFor();
      // The entries were read again, and the choice is still to be made.
      await picker.getByText('3 entries to settle').waitFor();
      await picker.getByText('relay does not answer.').waitFor({ state: 'detached' });
      await picker.getByText('1 choice may not have been saved.').waitFor();
      // The answer is lost, but the choice is saved.
      await page.unroute('**/jobs/settle');
      await page.route('**/jobs/settle', async (route) => {
        await route.fetch();
        await route.abort();
      });
      await page.keyboard.press('1');
      await picker.getByText('2 entries to settle').waitFor();
      await picker.getByText('1 choice may not have been saved.').waitFor();
      await page.unroute('**/jobs/settle');
      const fail = await hold(page, '**/jobs/settle', 'abort');
      await page.keyboard.press('1');
      await page.keyboard.press('1');
      await page.keyboard.press('Escape');
      await picker.waitFor({ state: 'hidden' });
      fail();
      await page.locator('.toast').getByText('2 choices may not have been saved.').waitFor();
      await card(page, 'Needs you').getByRole('button', { name: 'Settle 2' }).waitFor();
    }),
);

inFull('backquotes in the name of a playlist stay as they are in a notice', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    const song = lineOf(uniqueTracks(relay, 1)[0] ?? assert.fail());
    await drop(page, song, ['The `best` of.txt', 'Two.txt']);
    await page.locator('.toast').getByText('One list at a time: this is The `best` of.txt.').waitFor();
  }),
);
