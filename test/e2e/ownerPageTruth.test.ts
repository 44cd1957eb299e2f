/** What the owner's page says is so, also with more of everything than usual, in another order, or after the sign-in ended. */
import assert from 'node:assert/strict';
import { createJob, reach } from '../jobs/jobCalls.ts';
import { WITH_ALL } from '../keeps/keptPlaylists.ts';
import { READING_MS } from '../oauth/ownerBrowser.ts';
import { pluck } from '../support/entries.ts';
import { card, inChromium, openSignedIn, REFUSED, withPage } from '../support/ownerPage.ts';
import { addPlaylist } from '../support/playlists.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, misspelled, uniqueTracks } from '../support/songs.ts';

const inFull = inChromium(longTest);

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
    await page.getByText('is connected').first().waitFor();
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
