/** What an argument means that names no kind: a name in place of an ID, and an ID alone. */
import { didYouMean } from '../base/nearest.ts';
import { modelText } from '../base/visibleText.ts';
import { calledLike } from '../music/names.ts';
import type { Call, ProviderApi } from '../provider/api.ts';
import { knownSong } from '../provider/knownNames.ts';
import { getDevices } from '../provider/resources/player.ts';
import { getAllMyPlaylists } from '../provider/resources/playlists.ts';
import { getAccount } from '../store/tables/account.ts';
import { badArgument, type GivenPlaylist, type GivenRef, isDeviceId } from './arguments.ts';
import type { Services } from './services.ts';

/** The arguments that may hold a name. */
interface Named {
  playlist_id?: GivenPlaylist | undefined;
  device_id?: string | undefined;
  payload?: Named;
}

/** Returns the arguments with the ID of each playlist and device that is given by its name. @throws RelayError `INVALID_ARGUMENT` */
export async function withIds<T>(services: Services, given: T, call: Call): Promise<T> {
  const { playlist_id: playlist, device_id: device, payload, ...rest } = given as T & Named;
  return {
    ...rest,
    ...(playlist && {
      playlist_id: playlist.isName ? await playlistNamed(services, playlist, call) : playlist,
    }),
    ...(device !== undefined && {
      device_id: isDeviceId(device) ? device : await deviceNamed(services, device, call),
    }),
    ...(payload && { payload: await withIds(services, payload, call) }),
  } as T;
}

/** Finds the playlist that alone has a name. The account's own playlists come before those that it follows. */
async function playlistNamed(services: Services, given: GivenPlaylist, call: Call): Promise<GivenPlaylist> {
  const { items } = await getAllMyPlaylists(services.provider, Number.MAX_SAFE_INTEGER, call);
  const account = getAccount(services.store)?.providerUserId;
  const listed = items.map(({ id, uri, name, owner, total_items }) => {
    const told = `${id} (${total_items ?? 'unknown'} rows)`;
    return { id, uri, name: modelText(name), isOwn: owner.id === account, told };
  });
  const all = calledLike(listed, given.input);
  const own = all.filter(({ isOwn }) => isOwn);
  const { id, uri } = onlyOne('playlist', given.input, own.length > 0 ? own : all, listed);
  return { kind: 'playlist', id, uri, input: given.input };
}

async function deviceNamed({ provider }: Services, given: string, call: Call): Promise<string> {
  const devices = (await getDevices(provider, call)).flatMap(({ id, name }) =>
    id === null ? [] : [{ id, name: modelText(name), told: id }],
  );
  const found = calledLike(devices, given);
  // Spotify does not say how IDs look. What has the form of one, and is none of these, is for Spotify to refuse.
  const looksLikeId = /^[\w-]*[\d_-][\w-]*$/.test(given);
  if (devices.some(({ id }) => id === given) || (found.length === 0 && looksLikeId)) return given;
  return onlyOne('device', given, found, devices).id;
}

/** @throws RelayError `INVALID_ARGUMENT` unless exactly one is found; it lists those that fit, or the nearest name */
function onlyOne<T extends { name: string; told: string }>(
  what: 'playlist' | 'device',
  given: string,
  found: readonly T[],
  all: readonly T[],
): T {
  const [first] = found;
  if (first && found.length === 1) return first;
  if (first) {
    const ids = found.map(({ told }) => told).join(', ');
    const remedy = `Pass one of these IDs as ${what}_id: ${ids}.`;
    throw badArgument(`${found.length} ${what}s are called "${given}".`, remedy);
  }
  const names = all.map(({ name }) => name);
  const list = `${what === 'playlist' ? 'get_my_playlists' : 'get_devices'} lists them.`;
  const remedy = [didYouMean(given, names), list].filter(Boolean).join(' ');
  throw badArgument(`There is no ${what} called "${given}".`, remedy);
}

/**
 * The URI of a track or an episode. An ID alone is read as that of a track, but the lean row of an episode has only its ID: if
 * relay has read the episode, the ID names it.
 */
export function itemUri(provider: ProviderApi, { uri, id, input }: GivenRef): string {
  if (input.trim() !== id) return uri;
  const episode = `spotify:episode:${id}`;
  return knownSong(provider, episode) === null ? uri : episode;
}
