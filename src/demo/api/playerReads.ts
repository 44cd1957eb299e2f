/** Reads the player and its devices. */
import { type Answer, type ApiCall, ok } from '../http.ts';
import { advancePlayer, currentUri, progressMs } from '../player.ts';
import type { DemoAccount, DemoDevice } from '../state.ts';
import { contextObject, mediaObject } from './shapes.ts';

/** `GET /me/player`; 204 if no device is active or the session is private. */
export function getPlayer(call: ApiCall): Answer {
  advancePlayer(call.world, call.account, call.now);
  const device = activeDevice(call.account);
  if (!device || call.account.player.privateSession) return { status: 204 };
  const { repeat, shuffle } = call.account.player;
  const own = { device: deviceObject(call.account, device), repeat_state: repeat, shuffle_state: shuffle };
  return ok({ ...own, smart_shuffle: false, ...playing(call) });
}

/** `GET /me/player/currently-playing`; 204 in the same cases as `getPlayer`, and if the queue is empty. */
export function getCurrentlyPlaying(call: ApiCall): Answer {
  advancePlayer(call.world, call.account, call.now);
  const { player } = call.account;
  if (!activeDevice(call.account) || player.privateSession || currentUri(player) === null)
    return { status: 204 };
  return ok(playing(call));
}

/** `GET /me/player/devices`, without sleeping devices. */
export function getDevices({ account }: ApiCall): Answer {
  const awake = account.devices.filter((device) => !device.asleep);
  return ok({ devices: awake.map((device) => deviceObject(account, device)) });
}

/** Number of upcoming entries that `GET /me/player/queue` lists. */
const LISTED = 20;

/** `GET /me/player/queue`: what is playing, and what comes next. */
export function getQueue(call: ApiCall): Answer {
  advancePlayer(call.world, call.account, call.now);
  const { player } = call.account;
  const uri = activeDevice(call.account) && !player.privateSession ? currentUri(player) : null;
  const next = uri === null ? [] : player.queue.slice(player.index + 1, player.index + 1 + LISTED);
  const queue = next.map((one) => mediaObject(call.world, one, true));
  return ok({ currently_playing: uri === null ? null : mediaObject(call.world, uri, true), queue });
}

/** The active device; undefined if there is none, or if it is asleep. */
export function activeDevice(account: DemoAccount): DemoDevice | undefined {
  return account.devices.find((device) => device.id === account.player.deviceId && !device.asleep);
}

function playing({ world, account, now, query }: ApiCall): Record<string, unknown> {
  const { player } = account;
  const uri = currentUri(player);
  const withEpisodes = query.get('additional_types')?.split(',').includes('episode') ?? false;
  const type = uri?.split(':')[1] === 'episode' ? 'episode' : 'track';
  return {
    timestamp: player.at,
    context: contextObject(world, player.contextUri),
    progress_ms: uri === null ? null : progressMs(player, now),
    item: uri === null ? null : mediaObject(world, uri, withEpisodes),
    currently_playing_type: uri === null ? 'unknown' : type,
    actions: { disallows: disallows(account) },
    is_playing: player.isPlaying,
  };
}

function disallows({ player }: DemoAccount): Record<string, true> {
  return {
    ...(player.isPlaying ? { resuming: true } : { pausing: true }),
    ...(player.index === 0 ? { skipping_prev: true } : {}),
    ...(player.index >= player.queue.length - 1 ? { skipping_next: true } : {}),
  };
}

function deviceObject(account: DemoAccount, device: DemoDevice): Record<string, unknown> {
  return {
    id: device.id,
    is_active: device.id === account.player.deviceId,
    is_private_session: account.player.privateSession,
    is_restricted: device.isRestricted,
    name: device.name,
    supports_volume: device.supportsVolume,
    type: device.type,
    volume_percent: device.volumePercent,
  };
}
