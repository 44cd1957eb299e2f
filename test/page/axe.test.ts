/** Every view in light and dark: axe-core finds nothing, the page fits, and the focus of the keyboard can be seen. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';
import { resize } from '../library/accounts.ts';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { asQuery, misspelled, NOTHING, uniqueTracks } from '../support/songs.ts';
import { createJob, reach } from '../work/jobCalls.ts';
import { unsave } from '../work/keeps/account.ts';
import { act, keep, WITH_ALL } from '../work/keeps/keptPlaylists.ts';
import { card, drop, LONG_MS, pageTest } from './browser.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What has the focus, and its outline; nothing at the end of the page. */
const FOCUSED = `(() => {
  const { activeElement: it } = document;
  if (it === document.body) return [null, ''];
  return [it.getAttribute('aria-label') ?? it.textContent, getComputedStyle(it.closest('.drop') ?? it).outlineStyle];
})()`;

async function assertAccessible(page: Page, view: string): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${readFileSync(AXE, 'utf8')};0`);
  for (const width of [1280, 360, 320]) {
    await page.setViewportSize({ width, height: 740 });
    const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assert.ok(Number(beyond) <= 0, `${view} is ${beyond} px too wide for ${width} px`);
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Only colours differ in the dark.
    const options = colorScheme === 'light' ? '{}' : "{ runOnly: ['color-contrast'] }";
    const run = `axe.run(document, ${options}).then(({ violations }) => violations)`;
    const found = ((await page.evaluate(run)) as Result[]).map(({ id, nodes }) => [
      id,
      ...nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
    ]);
    assert.deepEqual(found, [], `${view}, ${colorScheme}`);
  }
}

pageTest(
  'axe-core finds nothing on any view, which fits from 320 px on; the focus of the keyboard can be seen',
  WITH_ALL,
  async ({ relay, page, pass }) => {
    const songs = uniqueTracks(relay, 5);
    resize(relay, 20, 8);
    const { keep: held } = await keep(relay, { name: 'Fresh' });
    unsave(relay, 10);
    await act(relay, held.id, 'run');
    await relay.call('get_playback_state');
    await relay.call('save_tracks', { track_ids: [songs[0]?.id] });
    const items = [...songs.slice(0, 3).map(asQuery), ...songs.slice(3).map(misspelled), NOTHING];
    await reach(relay, await createJob(relay, 'create_playlist', items, { name: 'Road trip' }), 'ready');
    const client = await newClient(relay.baseUrl, { client_name: 'Cursor' });
    const approval = authorizeUrl(relay.baseUrl, { client_id: client.client_id });
    await fetch(approval);

    pass(LONG_MS);
    await page.goto(relay.baseUrl);
    await page.getByLabel('Owner code').fill('WRONG');
    await page.keyboard.press('Enter');
    await page.getByText('That is not the owner code').waitFor();
    await assertAccessible(page, 'signed-out');
    await page.getByLabel('Owner code').fill(relay.server.ownerCode ?? '');
    await page.keyboard.press('Enter');
    await page.getByText('Cursor asks to use your account').waitFor();
    await page.getByRole('button', { name: 'Undo: Saved 1 song' }).click();
    await page.getByRole('button', { name: 'Undo now' }).waitFor();
    await page.getByLabel('Connect a client').selectOption('claude-code');
    await page.getByText('Run this in a terminal').waitFor();
    await drop(
      page,
      'Road trip.txt',
      'One Band - One Song\nAnother Band - Another Song\nnot a song at all\n',
    );
    await page.getByText('Where to').waitFor();
    await assertAccessible(page, 'home');

    // Tab goes on from where somebody clicked.
    await page.mouse.click(1, 1);
    const reached = new Set<string>();
    for (;;) {
      await page.keyboard.press('Tab');
      const [name, outline] = (await page.evaluate(FOCUSED)) as [string | null, string];
      if (name === null) break;
      assert.notEqual(outline, 'none', `no focus to see on "${name}"`);
      reached.add(name);
    }
    for (const name of [
      'Home',
      'Review: Cursor',
      'Copy the MCP address',
      'More: the account',
      'Find a playlist',
    ])
      assert.ok(reached.has(name), `${name} in ${[...reached].join(', ')}`);

    await card(page, 'Waiting for you').getByRole('button', { name: 'Choose 3' }).click();
    await page.locator('.settling').getByText('3 unclear').waitFor();
    await assertAccessible(page, 'choosing');
    await page.keyboard.press('a');
    await page.getByText('Accept the first match for').waitFor();
    await assertAccessible(page, 'near');
    await page.keyboard.press('n');
    await page.keyboard.press('q');
    const lists = card(page, 'Your playlists');
    await lists.getByRole('button', { name: 'List 0', exact: true }).click();
    for (const part of ['Songs', 'Duplicates', 'Earlier versions', 'Keep', 'Export']) {
      await lists.getByRole('button', { name: `${part}: List 0` }).click();
      await lists.locator('.part').waitFor();
      await assertAccessible(page, part);
    }
    await page.locator('#account').getByText('More').click();
    await assertAccessible(page, 'menu');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Diagnostics' }).click();
    await page.getByRole('heading', { name: 'Remembered matches' }).waitFor();
    await assertAccessible(page, 'diagnostics');
    await page.goto(approval);
    await page.getByText('Goes to').waitFor();
    await assertAccessible(page, 'approval');
  },
);
