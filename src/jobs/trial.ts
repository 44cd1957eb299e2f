/** Whether searching works at all, asked with one plain search whose words no song of a job has chosen. */
import { asRelayError, type RelayError } from '../domain/errors.ts';
import type { ProviderApi } from '../provider/api.ts';
import { searchTracks } from '../provider/resources/catalog.ts';

const PLAIN_WORDS = 'love';

/** The error of the search, or null if it was answered. */
export async function trySearch(provider: ProviderApi, signal: AbortSignal): Promise<RelayError | null> {
  try {
    await searchTracks(provider, PLAIN_WORDS, 1, { signal, progress() {} });
    return null;
  } catch (error) {
    return asRelayError(error);
  }
}
