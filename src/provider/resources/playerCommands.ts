/**
 * The player: commands. Any 2xx means "accepted"; the bodies are opaque. A 403 "restriction violated" often only means that the
 * player is already in the requested state. So `play` and `pause` read the player's state before they report this failure.
 */
import { NEVER } from '../../base/abort.ts';
import { RelayError } from '../../domain/errors.ts';
import { type Call, type ProviderApi, requestFor } from '../api.ts';
import { getDevices, getPlaybackState, type PlayerState } from './player.ts';

type Query = Record<string, string | number | undefined>;

/** How far the player may be from the requested position and still count as being there. */
const POSITION_TOLERANCE_MS = 5_000;

const IS_PRIVATE =
  'A private session is on, so Spotify hides what the player does. End the session in the Spotify app, or use the player there.';

/** What to advise if Spotify refuses to play; null for the usual advice. */
function playRemedy({ device_id, context_uri, uris, offset }: PlayCommand): string | null {
  // Some devices refuse to play until playback has been moved to them.
  const device =
    device_id === undefined ? '' : 'If that device is idle, call transfer_playback, then play again. ';
  const within = offset === undefined ? '' : ' and contains the offset';
  const isContent = context_uri !== undefined || uris !== undefined;
  if (device === '' && !isContent) return null;
  // Spotify answers a request to play content that it cannot play with the same error.
  const otherwise = isContent ? `Check that the requested content exists${within}. If it does` : 'Otherwise';
  return `${device}${otherwise}, call get_playback_state: disallows lists what the player refuses right now.`;
}

/** Sends a command. Once it is sent, its answer is always awaited: if the request were aborted, the outcome would be unknown. */
async function sendCommand(
  api: ProviderApi,
  method: 'PUT' | 'POST',
  path: string,
  call: Pick<Call, 'signal'>,
  query: Query = {},
  body?: unknown,
): Promise<void> {
  const request = requestFor(method, path, 'player', { query, ...(body === undefined ? {} : { body }) });
  await api.send(request, { signal: NEVER, untilSent: call.signal });
}

export interface PlayCommand {
  device_id?: string | undefined;
  context_uri?: string | undefined;
  uris?: string[] | undefined;
  offset?: { position: number } | { uri: string } | undefined;
  position_ms?: number | undefined;
}

/**
 * `verified`: Spotify refused the command, but the player already was as requested. `state` is what was read to
 * check this; null if nothing was read, or no device is active.
 */
export interface Verified {
  verified: boolean;
  state: PlayerState | null;
}

export async function play(api: ProviderApi, command: PlayCommand, call: Call): Promise<Verified> {
  const { device_id, ...rest } = command;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const body = given.length > 0 ? Object.fromEntries(given) : undefined;
  const send = () => sendCommand(api, 'PUT', '/me/player/play', call, { device_id }, body);
  return verified(api, send, (state) => isPlayingAsRequested(state, command), call, playRemedy(command));
}

export async function pause(api: ProviderApi, deviceId: string | undefined, call: Call): Promise<Verified> {
  const send = () => sendCommand(api, 'PUT', '/me/player/pause', call, { device_id: deviceId });
  return verified(api, send, (state) => state === null || !state.is_playing, call, null);
}

/** @param remedy what to advise if Spotify refuses and the player is not already as requested; null for the usual advice */
async function verified(
  api: ProviderApi,
  send: () => Promise<void>,
  isAsRequested: (state: PlayerState | null) => boolean,
  call: Call,
  remedy: string | null,
): Promise<Verified> {
  try {
    await send();
    return { verified: false, state: null };
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== 'RESTRICTION_VIOLATED') throw error;
    const refusal = remedy === null ? error : error.with({ remedy });
    const unread = () => {
      call.signal.throwIfAborted();
      // Nothing shows that the player is as requested.
      throw refusal;
    };
    const state = await getPlaybackState(api, call).catch(unread);
    // During a private session, Spotify answers as if nothing were active.
    const devices = state === null ? await getDevices(api, call).catch(unread) : [];
    if (devices.some((device) => device.is_active && device.is_private_session)) {
      throw error.with({ remedy: IS_PRIVATE });
    }
    if (isAsRequested(state)) return { verified: true, state };
    throw refusal;
  }
}

/** True if the player does what the command asked for. Pure. */
function isPlayingAsRequested(state: PlayerState | null, wanted: PlayCommand): boolean {
  if (!state?.is_playing) return false;
  if (wanted.device_id !== undefined && state.device?.id !== wanted.device_id) return false;
  if (wanted.context_uri !== undefined && state.context?.uri !== wanted.context_uri) return false;
  // The state does not say at which entry of an album or playlist the player is.
  if (wanted.uris === undefined && wanted.offset && 'position' in wanted.offset) return false;
  // If the song plays in an album or playlist, the other songs that are wanted do not come next.
  if ((wanted.uris?.length ?? 0) > 1 && state.context !== null) return false;
  const first = firstUri(wanted);
  if (first !== undefined && state.item?.uri !== first) return false;
  const { position_ms: position } = wanted;
  return position === undefined || Math.abs((state.progress_ms ?? 0) - position) <= POSITION_TOLERANCE_MS;
}

function firstUri({ uris, offset }: PlayCommand): string | undefined {
  if (offset && 'uri' in offset) return offset.uri;
  return uris?.[offset?.position ?? 0];
}

/** Makes the function that sends one command with one value. Without a device ID, Spotify uses the active device. */
function setting<V>(method: 'PUT' | 'POST', name: string, queryOf: (value: V) => Query) {
  return (api: ProviderApi, value: V, deviceId: string | undefined, call: Call): Promise<void> =>
    sendCommand(api, method, `/me/player/${name}`, call, { ...queryOf(value), device_id: deviceId });
}

export const seek = setting('PUT', 'seek', (positionMs: number) => ({ position_ms: positionMs }));
export const setVolume = setting('PUT', 'volume', (percent: number) => ({ volume_percent: percent }));
export const setShuffle = setting('PUT', 'shuffle', (on: boolean) => ({ state: String(on) }));
export const setRepeat = setting('PUT', 'repeat', (mode: 'off' | 'track' | 'context') => ({ state: mode }));
/** Adds an item to the queue. Spotify takes one item at a time, and offers no way to remove it. */
export const addToQueue = setting('POST', 'queue', (uri: string) => ({ uri }));

export function skip(
  api: ProviderApi,
  direction: 'next' | 'previous',
  deviceId: string | undefined,
  call: Call,
): Promise<void> {
  return sendCommand(api, 'POST', `/me/player/${direction}`, call, { device_id: deviceId });
}

/** Moves playback to another device. If `start` is true, it also starts playing; otherwise playback stays as it is. */
export function transfer(
  api: ProviderApi,
  deviceId: string,
  start: boolean | undefined,
  call: Call,
): Promise<void> {
  const body = { device_ids: [deviceId], ...(start === undefined ? {} : { play: start }) };
  return sendCommand(api, 'PUT', '/me/player', call, {}, body);
}
