/** What the owner's page says after the fact: with two tabs, and of undos that have to wait. */
import assert from 'node:assert/strict';
import { createJob, reach } from '../jobs/jobCalls.ts';
import { failureOf } from '../support/answers.ts';
import { HOUR } from '../support/clock.ts';
import { card, hold, inChromium, openSignedIn, REFUSED, withPage } from '../support/ownerPage.ts';
import { addPlaylist, assertRows, tracks } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';

const inFull = inChromium(longTest);
const ALL = { env: { RELAY_TOOLSETS: 'all' } };
const LIMIT = { kind: 'rate_limit', retryAfterSeconds: 14 * (HOUR / 1_000) } as const;

inFull('an undo that one tab has carried out is no longer offered by another tab', () =>
  withPage(ALL, async (relay, page) => {
    const rows = tracks(relay, 3);
    const list = addPlaylist(relay.provider, 'Evenings', rows);
    await relay.call('add_tracks_to_playlist', { playlist_id: list.id, track_ids: tracks(relay, 2, 500) });
    await openSignedIn(page, relay);
    const second = await page.context().newPage();
    await second.goto(relay.baseUrl);
    for (const tab of [page, second]) {
      await card(tab, 'What happened')
        .getByRole('button', { name: /^Undo: Added 2 songs/ })
        .click();
      await tab.getByRole('button', { name: 'Undo now' }).waitFor();
    }
    await page.bringToFront();
    await page.getByRole('button', { name: 'Undo now' }).click();
    await card(page, 'What happened').getByText('Undone', { exact: true }).waitFor();
    assertRows(list, rows);
    await second.bringToFront();
    await card(second, 'What happened').getByText('Undone', { exact: true }).waitFor();
    await second.getByRole('button', { name: 'Undo now' }).waitFor({ state: 'detached' });
  }),
);

inFull('an undo that stops part-way says on the page what to do there, and can be asked for again', () =>
  withPage({ ...ALL, page: { expected: REFUSED } }, async (relay, page) => {
    const rows = tracks(relay, 200);
    const list = addPlaylist(relay.provider, 'Evenings', rows);
    await relay.call('remove_tracks_from_playlist', { playlist_id: list.id, track_ids: rows.slice(50) });
    await openSignedIn(page, relay);
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, ...LIMIT });
    const happened = card(page, 'What happened');
    await happened.getByRole('button', { name: /^Undo: Removed 150 songs/ }).click();
    await happened.getByRole('button', { name: 'Undo now' }).click();
    const notice = await page.getByText('100 of 150 written, then').innerText();
    assert.match(notice, /Undo it again after 1[45] hours: that takes back the rest\.$/);
    assert.doesNotMatch(notice, /undo_change|\d{4}-\d\d-\d\dT/);
    // The preview is not right any more.
    await happened.getByRole('button', { name: 'Undo now' }).waitFor({ state: 'detached' });
    await happened.getByRole('button', { name: /^Undo: Removed 150 songs/ }).click();
    await happened.getByText('Puts 50 songs back in "Evenings".').waitFor();
  }),
);

inFull('a change whose undo has to wait is not said to be undone', () =>
  withPage(ALL, async (relay, page) => {
    const rows = tracks(relay, 200);
    const list = addPlaylist(relay.provider, 'Evenings', rows);
    const args = { playlist_id: list.id, track_ids: rows.slice(0, 150) };
    const { change_id } = await relay.call('remove_tracks_from_playlist', args);
    relay.provider.faults.add({ method: 'POST', path: /\/items$/, skip: 1, ...LIMIT });
    const undo = failureOf(await relay.call('undo_change', { change_id }));
    await reach(relay, String(undo?.details?.job_id), 'waiting');
    await openSignedIn(page, relay);
    const happened = card(page, 'What happened');
    await happened.getByText('Not undone yet').waitFor();
    await happened.getByText(/^It continues by itself in 14 hours: Spotify asks relay to wait\.$/).waitFor();
    assert.equal(await happened.getByText('Undone', { exact: true }).count(), 0);
  }),
);

inFull('an undo that is under way cannot be kept from happening, so the page does not offer that', () =>
  withPage(ALL, async (relay, page) => {
    const rows = tracks(relay, 3);
    const list = addPlaylist(relay.provider, 'Evenings', rows);
    await relay.call('add_tracks_to_playlist', { playlist_id: list.id, track_ids: tracks(relay, 2, 500) });
    await openSignedIn(page, relay);
    const happened = card(page, 'What happened');
    await happened.getByRole('button', { name: /^Undo: Added 2 songs/ }).click();
    const keep = happened.getByRole('button', { name: 'Keep it' });
    await keep.waitFor();
    const release = await hold(page, '**/changes/undo');
    const now = happened.getByRole('button', { name: 'Undo now' });
    await now.click();
    await keep.waitFor({ state: 'detached' });
    assert.equal(await now.getAttribute('aria-disabled'), 'true');
    release();
    await happened.getByText('Undone', { exact: true }).waitFor();
    assertRows(list, rows);
  }),
);

inFull('"Try now" does not say that a job was tried while the limit of Spotify lasts', () =>
  withPage(ALL, async (relay, page) => {
    relay.provider.faults.add({ method: 'GET', path: '/search', ...LIMIT });
    const id = await createJob(relay, 'save_tracks', [{ title: 'Plinth', artist: 'Ovo' }]);
    await reach(relay, id, 'waiting');
    await openSignedIn(page, relay);
    await page.getByRole('button', { name: /^Try now/ }).click();
    await page.locator('.toast').getByText('It continues as soon as it can.').waitFor();
    await page.getByText(/^It continues by itself in 14 hours/).waitFor();
    assert.equal(await page.getByText('Tried again.').count(), 0);
  }),
);
