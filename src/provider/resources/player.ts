/** The player: reading its state. */
import type { Context, Device, Media } from '../../domain/shapes.ts';
import {
  type Call,
  type ProviderApi,
  type ProviderRequest,
  type ProviderResponse,
  requestFor,
} from '../api.ts';
import { invalidResponse } from '../http/failure.ts';
import { noteSong } from '../knownNames.ts';
import { objectBody } from './paging.ts';
import {
  asArray,
  asObject,
  flagOf,
  numberOf,
  parseContext,
  parseDevice,
  parseMedia,
  textOf,
} from './parse.ts';

type PlayingType = 'track' | 'episode' | 'ad' | 'unknown';

export interface PlayerState {
  is_playing: boolean;
  /** `unknown` if neither the item nor the answer says what is playing. */
  item_type: PlayingType | null;
  /** null during an ad, or if Spotify does not say what is playing. */
  item: Media | null;
  progress_ms: number | null;
  context: Context | null;
  /** null from `/me/player/currently-playing`, which does not name the device. */
  device: Device | null;
  repeat_state: string | null;
  shuffle_state: boolean | null;
  /** The actions that the player refuses right now, such as `skipping_prev`. */
  disallows: string[];
}

const watchers = new WeakMap<ProviderApi, (state: PlayerState | null) => void>();

/**
 * Calls `tell` with each state of the player that is read, no matter who asked. Watching sends no requests of its own. Each API
 * has one watcher, which the next call replaces.
 */
export function watchPlayer(api: ProviderApi, tell: (state: PlayerState | null) => void): void {
  watchers.set(api, tell);
}

/** Playback state from `GET /me/player`; null if no device is active (204). */
export function getPlaybackState(api: ProviderApi, call: Call): Promise<PlayerState | null> {
  return readState(api, '/me/player', call);
}

/** Playback state from `/me/player/currently-playing`, which sends less and no device; null if nothing is playing (204). */
export function getCurrentlyPlaying(api: ProviderApi, call: Call): Promise<PlayerState | null> {
  return readState(api, '/me/player/currently-playing', call);
}

async function readState(api: ProviderApi, path: string, call: Call): Promise<PlayerState | null> {
  // Without this, the item is null while an episode is playing.
  const query = { additional_types: 'track,episode' };
  const request = requestFor('GET', path, 'player', { query });
  const response = await api.send(request, call);
  const state = isNothing(response) ? null : parseState(request, response);
  noteSong(api, state?.item ?? null);
  watchers.get(api)?.(state);
  return state;
}

/** True for a 204, or the empty 200 that some apps get instead. */
function isNothing(response: ProviderResponse): boolean {
  return response.status === 204 || (response.body === null && !response.opaque);
}

function parseState(request: ProviderRequest, response: ProviderResponse): PlayerState {
  const raw = objectBody(request, response);
  const item = parseMedia(raw.item);
  return {
    is_playing: raw.is_playing === true,
    item_type: playingType(raw.currently_playing_type, item),
    item,
    progress_ms: numberOf(raw.progress_ms),
    context: parseContext(raw.context),
    device: parseDevice(raw.device),
    repeat_state: textOf(raw.repeat_state),
    shuffle_state: flagOf(raw.shuffle_state),
    disallows: disallowed(raw.actions),
  };
}

function playingType(value: unknown, item: Media | null): PlayingType {
  if (item) return item.type;
  return value === 'ad' || value === 'episode' || value === 'track' ? value : 'unknown';
}

function disallowed(actions: unknown): string[] {
  const nested = asObject(asObject(actions)?.disallows) ?? {};
  return Object.keys(nested)
    .filter((key) => nested[key] === true)
    .sort();
}

export interface PlayQueue {
  /** null if nothing is playing, or if Spotify does not say what is. */
  current: Media | null;
  /** The items that come next; Spotify lists only the first few. */
  next: Media[];
}

/** Reads the queue; empty if no device is active. */
export async function getQueue(api: ProviderApi, call: Call): Promise<PlayQueue> {
  const request = requestFor('GET', '/me/player/queue', 'player');
  const response = await api.send(request, call);
  if (isNothing(response)) return { current: null, next: [] };
  const body = objectBody(request, response);
  const current = parseMedia(body.currently_playing);
  const next = asArray(body.queue).flatMap((row) => parseMedia(row) ?? []);
  for (const media of [current, ...next]) noteSong(api, media);
  return { current, next };
}

/** Reads the devices that Spotify can reach; one that sleeps is often missing. */
export async function getDevices(api: ProviderApi, call: Call): Promise<Device[]> {
  const request = requestFor('GET', '/me/player/devices', 'player');
  const body = objectBody(request, await api.send(request, call));
  if (!Array.isArray(body.devices)) throw invalidResponse(request, 'no list of devices');
  return asArray(body.devices).flatMap((row) => parseDevice(row) ?? []);
}
