/** Songs that Spotify shows under another ID than they were written with (relinking). */
import { uriOf } from '../domain/rows.ts';
import type { Item } from '../domain/shapes.ts';
import type { Call } from '../provider/api.ts';
import { findTrack, getTrack } from '../provider/resources/catalog.ts';
import type { ChangeContext } from './record.ts';

type Context = Pick<ChangeContext, 'provider'>;

const TRACK = 'spotify:track:';
/** Maximum number of songs to look up for one reading. */
export const MAX_LOOKED_UP = 5;

/**
 * Maps each of `uris` that is in the list to the URI that the list shows for it. A relinked track is shown under another ID than
 * it was added with. If the list does not show the link, up to five tracks are looked up; the rest count as missing. A bare ID
 * was taken for a track's, so an episode with that ID counts too.
 */
export async function shownNames(
  { provider }: Context,
  items: readonly Item[],
  uris: readonly string[],
  call: Call,
): Promise<Map<string, string>> {
  const shown = new Set(items.map(uriOf));
  const named = new Map(items.flatMap((item) => (item.linked_from ? [[item.linked_from, uriOf(item)]] : [])));
  const open: string[] = [];
  const found = new Map<string, string>();
  for (const uri of new Set(uris)) {
    const as = [uri, named.get(uri), episodeOf(uri)].find((one) => one !== undefined && shown.has(one));
    if (as === undefined) open.push(uri);
    else found.set(uri, as);
  }
  const tracks = open.filter((uri) => uri.startsWith(TRACK)).slice(0, MAX_LOOKED_UP);
  await Promise.all(
    tracks.map(async (uri) => {
      const as = await nameToday(provider, uri, call);
      if (as !== null && shown.has(as)) found.set(uri, as);
    }),
  );
  return found;
}

/** Says that rows stay although Spotify has accepted their removal. @param count number of songs */
export function keptText(count: number): string {
  const why = count === 1 ? 'its row was added under an ID' : 'their rows were added under IDs';
  return `Spotify accepted the removal but still shows ${count} of these songs: ${why} that Spotify no longer reports.`;
}

const episodeOf = (uri: string) => uri.replace(TRACK, 'spotify:episode:');

/** The URI that Spotify shows for a track; null if the lookup fails. */
async function nameToday(provider: Context['provider'], uri: string, call: Call): Promise<string | null> {
  try {
    return (await getTrack(provider, uri.slice(TRACK.length), call)).uri;
  } catch {
    call.signal.throwIfAborted();
    return null;
  }
}

/**
 * True if `shown` is among `items` and is the same recording as the track `sent`: Spotify shows `sent` under that URI, or both
 * have the same ISRC.
 */
export async function isSameRecording(
  context: Context,
  sent: string,
  shown: string,
  items: readonly Item[],
  call: Call,
): Promise<boolean> {
  const there = items.filter(({ item }) => item?.uri === shown).slice(0, 1);
  return (await shownAmong(context, sent, there, call)) !== null;
}

/**
 * The URI of the item that is the same recording as the track `sent`, maybe under another ID (relinking); null if there is
 * none.
 */
async function shownAmong(
  { provider }: Context,
  sent: string,
  items: readonly Item[],
  call: Call,
): Promise<string | null> {
  const tracks = items.flatMap(({ item }) => (item?.type === 'track' ? [item] : []));
  if (!sent.startsWith(TRACK) || tracks.length === 0) return null;
  const asked = await findTrack(provider, sent, call);
  if (asked === null) return null;
  const same = tracks.find(
    ({ uri, isrc }) => uri === asked.uri || (asked.isrc !== null && asked.isrc === isrc),
  );
  return same?.uri ?? null;
}

/**
 * The other URIs under which some of `uris` are among `items`. Only the first few of `uris` are looked up.
 * @returns a map from the URI that was written to the URI that is shown
 */
export async function otherNames(
  context: Context,
  uris: readonly string[],
  items: readonly Item[],
  call: Call,
): Promise<Map<string, string>> {
  const others = new Map<string, string>();
  for (const uri of uris.slice(0, MAX_LOOKED_UP)) {
    const other = await shownAmong(context, uri, items, call);
    if (other !== null && other !== uri) others.set(uri, other);
  }
  return others;
}
