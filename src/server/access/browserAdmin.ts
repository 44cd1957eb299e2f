/** The browsers that approve without the owner code, for `relay browsers`. */
import { isoOf } from '../../base/clock.ts';
import { RelayError } from '../../domain/errors.ts';
import type { BrowserSummary } from '../../domain/localApi.ts';
import { forgetAllBrowsers, forgetBrowser, listBrowsers } from '../../store/tables/browsers.ts';
import type { Core } from '../core.ts';

export function browserSummaries({ store, clock }: Core): BrowserSummary[] {
  return listBrowsers(store, clock.now()).map((browser) => ({
    ...browser,
    createdAt: isoOf(browser.createdAt),
    lastUsedAt: isoOf(browser.lastUsedAt),
    expiresAt: isoOf(browser.expiresAt),
  }));
}

/**
 * Forgets one browser or all. A forgotten browser has to sign in again.
 * @param id ID of the browser; null for all of them
 * @returns the browsers that were forgotten
 * @throws RelayError `NOT_FOUND`, `STORE_ERROR`
 */
export async function forgetBrowsers(core: Core, id: string | null): Promise<BrowserSummary[]> {
  const forgotten = browserSummaries(core).filter((browser) => id === null || browser.id === id);
  if (id !== null && forgotten.length === 0) {
    throw new RelayError('NOT_FOUND', `There is no browser "${id}".`, {
      remedy: { text: 'Run {command} to see the IDs.', command: ['browsers'] },
    });
  }
  if (forgotten.length === 0) return [];
  // If the save fails, the browser stays forgotten in memory. It comes back only if the server stops before a save succeeds.
  await core.store.durable(() =>
    id === null ? forgetAllBrowsers(core.store) : forgetBrowser(core.store, id),
  );
  core.log.info({ browsers: forgotten.length }, 'browsers forgotten');
  return forgotten;
}
