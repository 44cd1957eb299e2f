/** The open picker while the same job goes on elsewhere: in a terminal, in a client or in another tab. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { commit, createJob, itemsOf, jobOf, reach } from '../jobs/jobCalls.ts';
import { signIn } from '../oauth/ownerBrowser.ts';
import { card, inChromium, openSignedIn, REFUSED, withPage } from '../support/ownerPage.ts';
import { longTest } from '../support/scale.ts';
import { asQuery, misspelled, uniqueTracks } from '../support/songs.ts';
import type { Relay } from '../support/world.ts';

const inFull = inChromium(longTest);

/** Opens the picker on a job with one song that was found and so many that were not. */
async function openPicker(relay: Relay, page: Page, open: number): Promise<{ id: string; picker: Locator }> {
  const [found, ...others] = uniqueTracks(relay, open + 1);
  assert.ok(found);
  const id = await createJob(relay, 'save_tracks', [...others.map(misspelled), asQuery(found)]);
  await reach(relay, id, 'ready');
  await openSignedIn(page, relay);
  await card(page, 'Needs you')
    .getByRole('button', { name: `Settle ${open}` })
    .click();
  const picker = page.getByRole('dialog');
  await picker.getByText(`${open} entries to settle`).waitFor();
  return { id, picker };
}

const take = async (relay: Relay, id: string, positions: readonly number[]) => {
  const tracks = uniqueTracks(relay, Math.max(...positions) + 2);
  const fixes = positions.map((position) => ({ position, track_id: tracks[position + 1]?.id }));
  await relay.call('resume_job', { job_id: id, fixes });
};

const statusesOf = async (relay: Relay, id: string) =>
  (await itemsOf(relay, id)).map(({ status }) => status).join(' ');

inFull('what is settled elsewhere leaves the open picker', () =>
  withPage({}, async (relay, page) => {
    const { id, picker } = await openPicker(relay, page, 4);
    await page.keyboard.press('Enter');
    await take(relay, id, [0, 1]);
    await picker.getByText('2 entries to settle').waitFor();
    await page.keyboard.press('x');
    await picker.getByText('1 entry to settle, 1 done').waitFor();
    await take(relay, id, [3]);
    await picker.getByText('Everything is settled').waitFor();
    assert.equal(await statusesOf(relay, id), 'matched matched skipped matched matched');
  }),
);

inFull('a choice in a picker that has not read what was decided elsewhere does not overwrite it', () =>
  withPage({}, async (relay, page) => {
    const { id, picker } = await openPicker(relay, page, 3);
    await page.route('**/owner/state', () => {});
    await take(relay, id, [0]);
    await page.keyboard.press('x');
    await picker.getByText('One entry was settled before, and stays as it was.').waitFor();
    await picker.getByRole('heading', { name: '2 entries to settle', exact: true }).waitFor();
    assert.equal(await statusesOf(relay, id), 'matched unmatched unmatched matched');
  }),
);

inFull('when the job is written elsewhere, the picker says that it is over', () =>
  withPage({}, async (relay, page) => {
    const { id, picker } = await openPicker(relay, page, 2);
    await page.keyboard.press('x');
    await page.keyboard.press('x');
    await picker.getByText('Everything is settled').waitFor();
    await commit(relay, id);
    await picker.getByText('This job is over: 1 song written.').waitFor();
    await picker.getByRole('button', { name: 'Done' }).click();
    await picker.waitFor({ state: 'hidden' });
  }),
);

inFull('when the job is cancelled elsewhere, the picker says so and no longer shows entries', () =>
  withPage({}, async (relay, page) => {
    const { id, picker } = await openPicker(relay, page, 2);
    await relay.call('cancel_job', { job_id: id });
    await picker.getByText('This job was cancelled.').waitFor();
    assert.equal(await picker.getByRole('button', { name: /^Skip/ }).count(), 0);
    await page.keyboard.press('x');
    assert.equal((await jobOf(relay, id)).skipped, 0);
  }),
);

inFull('a choice for a job that was cancelled elsewhere ends the picker at once', () =>
  withPage({ page: { expected: REFUSED } }, async (relay, page) => {
    const { id, picker } = await openPicker(relay, page, 2);
    await page.route('**/owner/state', () => {});
    await relay.call('cancel_job', { job_id: id });
    await page.keyboard.press('x');
    await picker.getByRole('alert').getByText('This job was cancelled.').waitFor();
    assert.equal(await picker.getByRole('alert').count(), 1);
    await picker.getByRole('button', { name: 'Done' }).waitFor();
  }),
);

inFull('when the account is forgotten in another tab, the picker says that the job is gone', () =>
  withPage({ page: { expected: REFUSED } }, async (relay, page) => {
    const { picker } = await openPicker(relay, page, 2);
    const other = { 'content-type': 'application/json', 'x-relay-owner': await signIn(relay) };
    const body = JSON.stringify({ erase: true });
    await fetch(`${relay.baseUrl}/owner/account/disconnect`, { method: 'POST', headers: other, body });
    await picker.getByText('relay no longer has this job, so there is nothing to settle.').waitFor();
    assert.equal(await picker.getByText('Reading …').count(), 0);
    await picker.getByRole('button', { name: 'Done' }).click();
    await picker.waitFor({ state: 'hidden' });
  }),
);
