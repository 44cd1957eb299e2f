/** Names the tracks for which Spotify refused a whole request: its answer says only that one of the IDs does not exist. */
import { inParallel } from '../../base/lists.ts';
import { kindFacts } from '../../domain/change.ts';
import type { RelayError } from '../../domain/errors.ts';
import { failureClassOf } from '../../domain/failureClass.ts';
import type { Call } from '../../provider/api.ts';
import { knownSong } from '../../provider/knownNames.ts';
import { findTrack } from '../../provider/resources/catalog.ts';
import { planOf } from '../../work/write/progress.ts';
import type { RunReport } from '../../work/write/writes.ts';
import type { Services } from '../tool.ts';

/** Maximum number of tracks to look up. Tracks that relay has read before are not looked up. */
const MAX_LOOKED_UP = 40;
const AT_ONCE = 8;
const NAMED = 5;

/**
 * Adds to the refusal of a request which of its tracks Spotify does not know: `details.not_found` has their URIs.
 * @param cause why the change ended; returned as it is if no track is unknown, or if that cannot be found out
 */
export async function withUnknownTracks(
  services: Services,
  report: Pick<RunReport, 'work' | 'body'>,
  cause: RelayError,
  call: Call,
): Promise<RelayError> {
  if (failureClassOf(cause) !== 'item') return cause;
  const unknown = await unknownTracks(services, refusedUris(report), call).catch(() => []);
  if (unknown.length === 0) return cause;
  const more = unknown.length > NAMED ? ` and ${unknown.length - NAMED} more (details.not_found)` : '';
  const which = `${unknown.slice(0, NAMED).join(', ')}${more}`;
  return cause.with({
    message: `${cause.message} Spotify does not know ${which}.`,
    remedy: remedyFor(report.work),
    details: { ...cause.details, not_found: unknown },
  });
}

function remedyFor({ kind, playlistId }: RunReport['work']): string {
  const { isListed, isOfLibrary } = kindFacts(kind);
  const tool = playlistId === null ? 'save_tracks' : 'add_tracks_to_playlist';
  if (!isListed) return `Spotify does not take what it does not know. Write the other songs with ${tool}.`;
  const again = 'Leave these out or use other IDs, and send the call again.';
  return isOfLibrary ? again : `${again} An ID alone means a track: give an episode as spotify:episode:….`;
}

/** The entries of the request that did not take effect. If the change was rolled back, its plan is that of the rollback. */
function refusedUris({ work, body }: Pick<RunReport, 'work' | 'body'>): readonly string[] {
  const op = work.goingBack ? body.ops[Number(body.notes?.completed)] : planOf(body).ops[work.step];
  return op && 'uris' in op ? op.uris : [];
}

/** @throws RelayError if the library cannot be asked which tracks are known */
async function unknownTracks(
  { provider, library }: Services,
  uris: readonly string[],
  call: Call,
): Promise<string[]> {
  const isNew = (uri: string) => uri.startsWith('spotify:track:') && knownSong(provider, uri) === null;
  const fresh = [...new Set(uris)].filter(isNew);
  const known = new Set(await library.knownTracks(fresh));
  const doubted = fresh.filter((uri) => !known.has(uri)).slice(0, MAX_LOOKED_UP);
  // A lookup that fails tells nothing, and must not hide what the others found.
  const found = await inParallel(doubted, AT_ONCE, (uri) =>
    findTrack(provider, uri, call).catch(() => undefined),
  );
  return doubted.filter((_, index) => found[index] === null);
}
