/** What the owner's page says is so, also with more of everything than usual, in another order, or after the sign-in ended. */
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { createJob, reach } from '../jobs/jobCalls.ts';
import { edit, LIST_0, rowsOf, spare, unsave } from '../keeps/account.ts';
import { act, keep, WITH_ALL } from '../keeps/keptPlaylists.ts';
import { resize } from '../library/accounts.ts';
import { READING_MS } from '../oauth/ownerBrowser.ts';
import { connect } from '../oauth/tokens.ts';
import { createBrowser } from '../support/browser.ts';
import { at, owner, pluck } from '../support/entries.ts';
import { card, inChromium, openDiagnostics, openSignedIn, REFUSED, withPage } from '../support/ownerPage.ts';
import { addPlaylist, urisOf } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, misspelled, uniqueTracks } from '../support/songs.ts';

const inFull = inChromium(longTest);

inFull(
  'when the sign-in ends while the picker is open, the picker closes and the page asks for the code',
  () =>
    withPage({ page: { expected: REFUSED } }, async (relay, page) => {
      const id = await createJob(relay, 'save_tracks', uniqueTracks(relay, 2).map(misspelled));
      await reach(relay, id, 'ready');
      await openSignedIn(page, relay);
      await card(page, 'Needs you')
        .getByRole('button', { name: /^Settle/ })
        .click();
      const picker = page.getByRole('dialog');
      await picker.getByText('2 entries to settle').waitFor();
      await relay.server.local.forgetBrowsers({ id: null });
      await page.getByText('This browser is no longer remembered. Sign in again.').waitFor();
      await picker.waitFor({ state: 'hidden' });
      assert.equal(await page.locator('dialog').textContent(), '');
      await page.getByLabel('Owner code').fill(relay.server.ownerCode ?? '');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await card(page, 'Needs you').getByRole('button', { name: 'Settle 2' }).waitFor();
    }),
);

inFull('every job that waits for the owner and every approved client can be reached', () =>
  withPage({}, async (relay, page) => {
    const [song] = uniqueTracks(relay, 1);
    for (let jobs = 0; jobs < 205; jobs++)
      await createJob(relay, 'save_tracks', [{ id: song?.id }], { name: `Job ${jobs}` });
    for (let clients = 0; clients < 12; clients++) await connect(relay, { client_name: `Client ${clients}` });
    await openSignedIn(page, relay);
    const needs = card(page, 'Needs you');
    await needs.getByRole('button', { name: 'Show 200 jobs', exact: true }).click();
    await needs.getByText('And 5 more: relay jobs lists them.').waitFor();
    assert.equal(await needs.getByRole('button', { name: /^Write/ }).count(), 200);
    const clients = card(page, 'AI clients');
    await clients.getByRole('button', { name: 'Show all 12 clients' }).click();
    await clients.getByRole('button', { name: 'Revoke: Client 0', exact: true }).waitFor();
    assert.equal(await clients.getByRole('button', { name: /^Revoke/ }).count(), 12);
  }),
);

inFull(
  'where the page ends, it says how to see older jobs, and offers no button that shows nothing more',
  () =>
    withPage({}, async (relay, page) => {
      const [song] = uniqueTracks(relay, 1);
      for (let jobs = 0; jobs < 501; jobs++) {
        const id = await createJob(relay, 'save_tracks', [{ id: song?.id }]);
        await relay.call('cancel_job', { job_id: id });
      }
      await openSignedIn(page, relay);
      const happened = card(page, 'What happened');
      const older = happened.getByRole('button', { name: /^Show older/ });
      for (let shown = 6; shown < 500; shown = Math.min(shown + 50, 500)) {
        await older.click();
        await happened
          .getByRole('listitem')
          .nth(Math.min(shown + 50, 500) - 1)
          .waitFor();
      }
      await happened.getByText('relay jobs list --all').waitFor();
      assert.equal(await older.count(), 0);
      assert.equal(await happened.getByRole('listitem').count(), 500);
    }),
);

inFull('a list can go into any playlist of the account, not only into one of the first fifty', () =>
  withPage({ client: false }, async (relay, page) => {
    for (let lists = 0; lists < 70; lists++) addPlaylist(relay.provider, `Mine ${lists}`, []);
    const { id, playlists } = owner(relay.provider);
    await openSignedIn(page, relay);
    const imported = card(page, 'Import a list');
    await imported.locator('input[type=file]').setInputFiles({
      name: 'songs.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(pluck(uniqueTracks(relay, 2), 'uri').join('\n')),
    });
    await imported.getByLabel('One of my playlists').check();
    const choice = imported.getByLabel('Playlist', { exact: true });
    await choice.waitFor();
    assert.deepEqual(
      await choice.getByRole('option').allInnerTexts(),
      playlists
        .filter(({ ownerId, collaborative }) => ownerId === id || collaborative)
        .map(({ name }) => name),
    );
  }),
);

inFull('what played in an account that was left is not shown with the next one', () =>
  withPage({}, async (relay, page) => {
    await relay.call('get_playback_state');
    await openSignedIn(page, relay);
    const playing = card(page, 'Playing');
    await playing.getByText('Writing Desk').waitFor();
    const account = card(page, 'Spotify account');
    await account.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.waitForTimeout(READING_MS);
    await account.getByRole('button', { name: 'Disconnect now' }).click();
    await account.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('Your Spotify account is connected').first().waitFor();
    await page.goto(relay.baseUrl);
    await playing.getByText('Not checked yet.').waitFor();
  }),
);

inFull('a refused undo and a job in review say what to do in the words of the page', () =>
  withPage({ ...WITH_ALL, page: { expected: REFUSED } }, async (relay, page) => {
    const songs = uniqueTracks(relay, 9);
    const [first, second] = ['Evenings', 'Mornings'].map((name) =>
      addPlaylist(
        relay.provider,
        name,
        songs.slice(0, 3).map(({ uri }) => uri),
      ),
    );
    assert.ok(first && second);
    await relay.call('add_tracks_to_playlist', {
      playlist_id: first.id,
      track_ids: pluck(songs.slice(3, 5), 'id'),
    });
    relay.provider.editPlaylist(
      first.id,
      songs.slice(6).map(({ uri }) => uri),
    );
    // Another person changes the second playlist while relay writes to it.
    const id = await createJob(relay, 'add_to_playlist', songs.slice(3, 6).map(asQuery), {
      playlist_id: second.id,
    });
    await reach(relay, id, 'ready');
    relay.provider.faults.add(
      {
        method: 'POST',
        path: /\/items$/,
        kind: 'hook',
        fn: () =>
          void relay.provider.editPlaylist(
            second.id,
            songs.slice(7).map(({ uri }) => uri),
          ),
      },
      { method: 'POST', path: /\/items$/, kind: 'drop', when: 'before' },
    );
    await relay.call('commit_job', { job_id: id });
    await reach(relay, id, 'failed');
    await openSignedIn(page, relay);
    const job = card(page, 'Needs you').getByRole('listitem');
    await job.getByRole('button', { name: /^Carry on/ }).waitFor();
    // The page asks for names that it does not know.
    await job.getByText('Mornings').first().waitFor();
    const words = await job.innerText();
    assert.match(words, /Someone else changed "Mornings" while relay was writing to it/);
    assert.match(words, /“Carry on” writes what is missing and keeps what others changed\./);
    assert.doesNotMatch(words, /resume_job|cancel_job|result\./);
    const happened = card(page, 'What happened');
    await happened.getByRole('button', { name: /^Undo: Added 2 songs to "Evenings"/ }).click();
    await happened.getByRole('button', { name: 'Undo anyway' }).waitFor();
    const refusal = await happened.getByText('Someone changed "Evenings" since').innerText();
    assert.match(refusal, /“Undo anyway” brings back the rows from before this change/);
    assert.doesNotMatch(refusal, /list_changes|force/);
  }),
);

inFull('the bar of a job that writes counts the songs that it writes', () =>
  withPage({}, async (relay, page) => {
    const songs = uniqueTracks(relay, 9);
    const entries = [...songs.slice(0, 6).map(asQuery), ...songs.slice(6).map(misspelled)];
    const id = await createJob(relay, 'create_playlist', entries, { name: 'Evenings' });
    await reach(relay, id, 'ready');
    const fixes = [6, 7, 8].map((position) => ({ position, skip: true }));
    await relay.call('resume_job', { job_id: id, fixes });
    await reach(relay, id, 'ready');
    await openSignedIn(page, relay);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, kind: 'hook', fn: () => held });
    await card(page, 'Needs you')
      .getByRole('button', { name: /^Write 6 songs/ })
      .click();
    const bar = card(page, 'What happened').getByRole('progressbar', { name: /Writing$/ });
    await bar.waitFor();
    assert.deepEqual([await bar.getAttribute('max'), await bar.getAttribute('value')], ['6', '0']);
    release();
    await page.getByText('Created "Evenings" with 6 songs').waitFor();
  }),
);

inFull('the chosen client is still chosen when the person comes back from the diagnostics', () =>
  withPage({ client: false }, async (relay, page) => {
    await openSignedIn(page, relay);
    const choice = card(page, 'AI clients').getByLabel('Connect a client');
    await choice.selectOption('claude-code');
    await page.getByText('Run this in a terminal').waitFor();
    await openDiagnostics(page);
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('Run this in a terminal').waitFor();
    assert.equal(await choice.inputValue(), 'claude-code');
  }),
);

inFull('if the environment decides about covers, the page says so instead of doing nothing', () =>
  withPage(
    { client: false, env: { RELAY_COVERS: 'false' }, page: { expected: REFUSED } },
    async (relay, page) => {
      await openSignedIn(page, relay);
      await card(page, 'What happened').getByRole('button', { name: 'Show covers' }).click();
      await page.getByText('RELAY_COVERS decides this. To choose on this page, unset the variable').waitFor();
    },
  ),
);

/** The words of a text as they stand from left to right. */
const READ = `(element) => {
  const words = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (const { index, 0: word } of node.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      words.push([range.getBoundingClientRect().left, word]);
    }
  return words.sort(([one], [other]) => one - other).map(([, word]) => word).join(' ');
}`;
const read = (text: Locator): Promise<string> =>
  text.evaluate(new Function('element', `return (${READ})(element);`) as never);

inFull('a name that is written from right to left leaves the words around it in order', () =>
  withPage({}, async (relay, page) => {
    owner(relay.provider).displayName = 'שלום 7';
    const [song] = uniqueTracks(relay, 1);
    await relay.call('remember_track', { title: 'שלום', artist: 'עולם', track_id: song?.id, confirm: true });
    await page.setViewportSize({ width: 1280, height: 800 });
    await openSignedIn(page, relay);
    await card(page, 'Spotify account').getByRole('button', { name: 'Connect again' }).click();
    await page.getByText('Your Spotify account is connected').first().waitFor();
    await page.goto(`${relay.baseUrl}/#diagnostics`);
    const account = card(page, 'Health').getByText('12 permissions');
    assert.match(await read(account), /^fine: 7 שלום , 12 permissions, login ends in \d+ days$/);
    await card(page, 'Remembered matches')
      .getByRole('button', { name: /^Forget/ })
      .click();
    const notice = page.getByText('is forgotten.');
    await notice.waitFor();
    assert.equal(await read(notice), 'שלום is forgotten.');
  }),
);

inFull('what keeps relay from working is among what needs the owner', () =>
  withPage({ client: false }, async (relay, page) => {
    const remedy = { text: 'free disk space; relay then saves by itself', command: null };
    await page.route('**/owner/state', async (route) => {
      const response = await route.fetch();
      const state = await response.json();
      for (const part of state.parts)
        if (part.part === 'database')
          Object.assign(part, { state: 'bad', summary: 'cannot be saved', remedy });
      await route.fulfill({ response, json: state });
    });
    await openSignedIn(page, relay);
    await page.getByRole('heading', { name: '1 problem needs attention' }).waitFor();
    assert.equal(
      await card(page, 'Needs you').getByRole('listitem').innerText(),
      'Database: cannot be saved.\n\nFree disk space; relay then saves by itself',
    );
  }),
);

inFull('Stop asks only where it was pressed', () =>
  withPage(WITH_ALL, async (relay, page) => {
    resize(relay, 20, 1);
    const { keep: held } = await keep(relay, { name: 'Fresh' });
    unsave(relay, 10);
    await act(relay, held.id, 'run');
    await openSignedIn(page, relay);
    await card(page, 'Needs you').getByRole('button', { name: 'Stop: Fresh' }).click();
    await card(page, 'Needs you').getByRole('button', { name: 'Stop keeping it: Fresh' }).waitFor();
    await card(page, 'Kept playlists').getByRole('button', { name: 'Stop: Fresh' }).waitFor();
  }),
);

inFull('the title of a page whose server has stopped says so', () =>
  withPage({ client: false, page: { expected: REFUSED } }, async (relay, page) => {
    await openSignedIn(page, relay);
    await relay.server.close();
    await page.getByRole('heading', { name: 'relay has stopped' }).waitFor();
    assert.equal(await page.title(), 'relay has stopped · relay');
  }),
);

inFull(
  'an undo whose playlist has changed since the preview is asked again, with the button that it names',
  () =>
    withPage({ ...WITH_ALL, page: { expected: REFUSED } }, async (relay, page) => {
      const songs = uniqueTracks(relay, 9);
      const before = songs.slice(0, 3).map(({ uri }) => uri);
      const list = addPlaylist(relay.provider, 'Evenings', before);
      await relay.call('add_tracks_to_playlist', {
        playlist_id: list.id,
        track_ids: pluck(songs.slice(3, 5), 'id'),
      });
      await openSignedIn(page, relay);
      const happened = card(page, 'What happened');
      await happened.getByRole('button', { name: /^Undo: Added 2 songs/ }).click();
      await happened.getByRole('button', { name: 'Undo now' }).waitFor();
      await page.locator('#undo-asked:focus').waitFor();
      relay.provider.editPlaylist(
        list.id,
        songs.slice(6).map(({ uri }) => uri),
      );
      await happened.getByRole('button', { name: 'Undo now' }).click();
      await happened.getByText('“Undo anyway” brings back the rows from before this change').waitFor();
      await happened.getByRole('button', { name: 'Undo anyway' }).click();
      await happened.getByText('Undone', { exact: true }).waitFor();
      assert.deepEqual(urisOf(list), before);
    }),
);

inFull(
  'a version is restored only as it was shown: if the playlist has changed since, it is shown anew',
  () =>
    withPage({ ...WITH_ALL, page: { expected: REFUSED } }, async (relay, page) => {
      resize(relay, 4, 1);
      await relay.call('query_library', { sql: 'SELECT count(*) FROM saved' });
      const then = rowsOf(relay, LIST_0);
      edit(relay, LIST_0, (uris) => [...uris, ...spare(relay, 0, 1)]);
      await openSignedIn(page, relay);
      const library = card(page, 'Library');
      await library.getByRole('button', { name: 'Earlier versions: playlists' }).click();
      await library.getByRole('button', { name: /^Earlier versions: List 0/ }).click();
      await library.getByRole('button', { name: /^Show/ }).last().click();
      const restore = async () => {
        await library.getByRole('button', { name: 'Restore', exact: true }).click();
        await library.getByRole('button', { name: 'Restore it now' }).waitFor();
        await page.waitForTimeout(READING_MS);
        await library.getByRole('button', { name: 'Restore it now' }).click();
      };
      await library.getByText('Restoring it adds 0, removes 1 and moves 0.').waitFor();
      edit(relay, LIST_0, (uris) => [...uris, ...spare(relay, 1, 300)]);
      await restore();
      await page.getByText('Restoring would no longer do what was shown, so nothing was changed.').waitFor();
      await library.getByText('Restoring it adds 0, removes 301 and moves 0.').waitFor();
      assert.equal(rowsOf(relay, LIST_0).length, then.length + 301);
      await restore();
      await page.getByText('is as it was. You can undo this').waitFor();
      assert.deepEqual(rowsOf(relay, LIST_0), then);
    }),
);

inFull('what a page shows of an account leaves it once another account is connected elsewhere', () =>
  withPage({ ...WITH_ALL }, async (relay, page) => {
    resize(relay, 4, 1);
    await relay.call('query_library', { sql: 'SELECT count(*) FROM saved' });
    await openSignedIn(page, relay);
    const library = card(page, 'Library');
    await library.getByRole('button', { name: 'Earlier versions: playlists' }).click();
    const versions = library.getByRole('button', { name: /^Earlier versions: List 0/ });
    await versions.waitFor();
    relay.provider.loginAs(1);
    const { browserUrl } = await relay.server.local.startLogin({ switchAccount: true });
    assert.equal((await createBrowser().open(browserUrl)).status, 200);
    await versions.waitFor({ state: 'hidden' });
    await card(page, 'Spotify account').getByText(at(relay.provider.accounts, 1).displayName).waitFor();
  }),
);

inFull('a playlist that was deleted while its versions are open comes back as a new one', () =>
  withPage({ ...WITH_ALL, page: { expected: REFUSED } }, async (relay, page) => {
    resize(relay, 4, 1);
    await relay.call('query_library', { sql: 'SELECT count(*) FROM saved' });
    const then = rowsOf(relay, LIST_0);
    await openSignedIn(page, relay);
    const library = card(page, 'Library');
    await library.getByRole('button', { name: 'Earlier versions: playlists' }).click();
    await library.getByRole('button', { name: /^Earlier versions: List 0/ }).click();
    await relay.call('delete_playlist', { playlist_id: LIST_0 });
    await library.getByRole('button', { name: /^Show/ }).click();
    await library.getByText('(not in the library of the connected account)').waitFor();
    await library.getByRole('button', { name: 'Restore as a new playlist' }).click();
    await page.waitForTimeout(READING_MS);
    await library.getByRole('button', { name: 'Restore it now' }).click();
    await page.getByText(/You can undo this/).waitFor();
    const made = owner(relay.provider).playlists.find(({ id }) => id !== LIST_0);
    assert.deepEqual(
      made?.rows.map(({ uri }) => uri),
      then,
    );
  }),
);

inFull('Undo anyway is offered only where it helps', () =>
  withPage({ ...WITH_ALL, page: { expected: REFUSED } }, async (relay, page) => {
    const list = addPlaylist(relay.provider, 'Evenings', []);
    await relay.call('update_playlist_details', { playlist_id: list.id, description: 'Slow songs' });
    list.description = 'Quiet songs';
    await openSignedIn(page, relay);
    const undo = card(page, 'What happened').getByRole('button', { name: /^Undo: / });
    await undo.click();
    const refusal = await card(page, 'What happened').getByRole('group').innerText();
    assert.match(
      refusal,
      /^Someone changed the description .* “Undo anyway” brings back what was there before/,
    );
    await page.getByRole('button', { name: 'Keep it' }).click();
    list.description = 'Slow songs';
    // While this page shows an old state, the change is undone elsewhere.
    await page.route('**/owner/state', () => {});
    await relay.server.local.undoChange({ change: null, force: false, dryRun: false });
    await undo.click();
    await page.getByText('is undone already.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Undo anyway' }).count(), 0);
  }),
);

inFull('a version that differs only by what cannot come back offers nothing to restore', () =>
  withPage(WITH_ALL, async (relay, page) => {
    const [list] = resize(relay, 4, 1).playlists;
    assert.ok(list?.rows[3]);
    list.rows[3].unavailable = true;
    await relay.call('query_library', { sql: 'SELECT count(*) FROM saved' });
    const others = urisOf(list).filter((_, row) => row !== 3);
    relay.provider.editPlaylist(list.id, others);
    await openSignedIn(page, relay);
    const library = card(page, 'Library');
    await library.getByRole('button', { name: 'Earlier versions: playlists' }).click();
    await library.getByRole('button', { name: /^Earlier versions: List 0/ }).click();
    await library.getByRole('button', { name: /^Show/ }).last().click();
    await library.getByText('Cannot come back: row 4 (no longer offered).').waitFor();
    await library.getByText('The playlist is as it was then, but for what cannot come back.').waitFor();
    assert.equal(await library.getByRole('button', { name: /^Restore/ }).count(), 0);
  }),
);

inFull('the picker counts each entry that a choice settles', () =>
  withPage({}, async (relay, page) => {
    const [often, once] = uniqueTracks(relay, 2).map(misspelled);
    const id = await createJob(relay, 'save_tracks', [often, once, often, often]);
    await reach(relay, id, 'ready');
    await openSignedIn(page, relay);
    await card(page, 'Needs you')
      .getByRole('button', { name: /^Settle 4/ })
      .click();
    const picker = page.getByRole('dialog');
    await picker.getByText('4 entries to settle').waitFor();
    await page.keyboard.press('1');
    await picker.getByText('1 entry to settle, 3 done').waitFor();
  }),
);

inFull('the picker continues by itself after relay was away', () =>
  withPage({ page: { expected: REFUSED } }, async (relay, page) => {
    const [often, once] = uniqueTracks(relay, 2).map(misspelled);
    const id = await createJob(relay, 'save_tracks', [often, once, often]);
    await reach(relay, id, 'ready');
    await openSignedIn(page, relay);
    await card(page, 'Needs you')
      .getByRole('button', { name: /^Settle 3/ })
      .click();
    const picker = page.getByRole('dialog');
    await picker.getByText('3 entries to settle').waitFor();
    await page.route('**/owner/**', (route) => route.abort());
    await page.keyboard.press('1');
    await picker.getByText('relay does not answer.').waitFor();
    await page.unroute('**/owner/**');
    await picker.getByRole('heading', { name: '3 entries to settle', exact: true }).waitFor();
    assert.equal(await picker.getByText('relay does not answer.').count(), 0);
  }),
);
