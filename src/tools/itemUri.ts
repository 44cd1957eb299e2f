/** What an ID without a kind names. */
import type { ProviderApi } from '../provider/api.ts';
import { knownSong } from '../provider/knownNames.ts';
import type { GivenRef } from './arguments.ts';

/**
 * The URI of a track or an episode. An ID alone is read as that of a track, but the lean row of an episode has only its ID: if
 * relay has read the episode, the ID names it.
 */
export function itemUri(provider: ProviderApi, { uri, id, input }: GivenRef): string {
  if (input.trim() !== id) return uri;
  const episode = `spotify:episode:${id}`;
  return knownSong(provider, episode) === null ? uri : episode;
}
