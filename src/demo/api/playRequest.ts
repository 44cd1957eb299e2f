/** Parses the body of `PUT /me/player/play`. */
import { type ApiCall, jsonBody, notFound, type Refusal, refuse } from '../http.ts';
import { findPlaylist } from '../state.ts';

const MAX_URIS = 100;

export interface PlayStart {
  readonly queue: string[];
  readonly index: number;
  readonly contextUri: string | null;
  readonly positionMs: number;
}

/**
 * What to play; null to resume. `context_uri` and `uris` exclude each other; `offset` is refused for an artist.
 * @throws Refusal 400, 404 or 413 for an invalid request, 403 if nothing in it is playable, or if `offset` is not in the queue
 */
export function readPlayBody(call: ApiCall): PlayStart | null {
  const { context_uri: contextUri, uris, offset, position_ms: positionMs = 0 } = jsonBody(call);
  if (typeof positionMs !== 'number' || !(positionMs >= 0)) throw refuse(400, 'Invalid position_ms');
  if (contextUri !== undefined && uris !== undefined)
    throw refuse(400, 'Only one of context_uri and uris is allowed');
  if (contextUri === undefined && uris === undefined) return null;
  const queue = contextUri === undefined ? playableUris(call, uris) : contextUris(call, contextUri, offset);
  if (queue.length === 0) throw restrictionViolated();
  const context = typeof contextUri === 'string' ? contextUri : null;
  return { queue, index: offsetIndex(queue, offset), contextUri: context, positionMs };
}

function playableUris(call: ApiCall, uris: unknown): string[] {
  if (!Array.isArray(uris) || uris.length === 0) throw refuse(400, 'Invalid uris');
  if (uris.length > MAX_URIS) throw refuse(413, 'Request entity too large');
  for (const uri of uris) {
    if (!/^spotify:(track|episode):[0-9A-Za-z]{22}$/.test(String(uri)))
      throw refuse(400, `Invalid track uri: ${uri}`);
  }
  const { trackByUri, episodeByUri } = call.world.catalogue;
  return uris.map(String).filter((uri) => trackByUri.has(uri) || episodeByUri.has(uri));
}

function contextUris(call: ApiCall, contextUri: unknown, offset: unknown): string[] {
  if (typeof contextUri !== 'string') throw refuse(400, 'Invalid context uri');
  const { world, account } = call;
  if (contextUri === `spotify:user:${account.id}:collection`) return account.saved.map(({ uri }) => uri);
  const [, type, id = ''] = /^spotify:(album|artist|playlist|show):([0-9A-Za-z]{22})$/.exec(contextUri) ?? [];
  if (type === undefined) throw refuse(400, 'Invalid context uri');
  if (type === 'artist' && offset !== undefined) {
    throw refuse(400, "Can't have offset for context type: ARTIST");
  }
  const { albumByUri, showByUri } = world.catalogue;
  const entries = type === 'album' ? albumByUri.get(contextUri)?.tracks : showByUri.get(contextUri)?.episodes;
  const uris = entries?.map(({ uri }) => uri) ?? otherContext(call, contextUri, id);
  if (!uris) throw notFound();
  return uris;
}

function otherContext({ world }: ApiCall, contextUri: string, id: string): string[] | undefined {
  const playlist = contextUri.startsWith('spotify:playlist:') ? findPlaylist(world, id) : undefined;
  if (playlist) return playlist.rows.filter((row) => !row.unavailable).map(({ uri }) => uri);
  const artist = world.catalogue.artistByUri.get(contextUri);
  if (!artist) return undefined;
  const tracks = world.catalogue.tracks.filter((track) => track.artists.includes(artist));
  return tracks.sort((a, b) => b.popularity - a.popularity).map(({ uri }) => uri);
}

function offsetIndex(queue: readonly string[], offset: unknown): number {
  if (offset === undefined) return 0;
  if (typeof offset !== 'object' || offset === null) throw refuse(400, 'Invalid offset');
  if ('uri' in offset) return knownIndex(queue.indexOf(String(offset.uri)));
  if (!('position' in offset) || !Number.isInteger(offset.position)) throw refuse(400, 'Invalid offset');
  const position = Number(offset.position);
  return knownIndex(position < queue.length ? position : -1);
}

function knownIndex(index: number): number {
  if (index < 0) throw restrictionViolated();
  return index;
}

/** The refusal if the player already does what is asked, has nothing to skip to, or has nothing to play. */
export function restrictionViolated(): Refusal {
  return refuse(403, 'Player command failed: Restriction violated', 'UNKNOWN');
}
