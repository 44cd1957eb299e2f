/** Reads the player and its devices, and commands it. */
import { isObject } from '../../base/parsing.ts';
import type { DemoArtist } from '../catalogue/types.ts';
import * as http from '../http.ts';
import { advancePlayer, currentUri, durationMs, moveTo, progressMs, setPlaying, skipTo } from '../player.ts';
import { type DemoAccount, type DemoDevice, findPlaylist } from '../state.ts';
import { contextObject, mediaObject } from './shapes.ts';

type ApiCall = http.ApiCall;
const { refuse } = http;

const LISTED = 20;
const MAX_URIS = 100;

const NOTHING: http.Answer = { status: 204 };

const reading = (handle: (call: ApiCall) => http.Answer, scope = 'user-read-playback-state') =>
  http.scoped(scope, (call) => {
    advancePlayer(call.world, call.account, call.now);
    return handle(call);
  });

/** A command, which needs Premium and gets the device that it is for. */
const command = (run: (call: ApiCall, device: DemoDevice) => void, deviceIn = targetDevice) =>
  http.scoped('user-modify-playback-state', (call) => {
    if (!call.account.premium) throw commandFailed(403, 'Premium required', 'PREMIUM_REQUIRED');
    advancePlayer(call.world, call.account, call.now);
    const device = deviceIn(call);
    if (device.isRestricted) throw commandFailed(403, 'Restricted device', 'UNKNOWN');
    run(call, device);
    return accepted(call);
  });

export const PLAYER_ROUTES: http.Routes = {
  'GET /me/player': reading((call) => {
    const device = visibleDevice(call.account);
    if (!device) return NOTHING;
    const { repeat, shuffle } = call.account.player;
    const own = { device: deviceObject(call.account, device), repeat_state: repeat, shuffle_state: shuffle };
    return http.ok({ ...own, smart_shuffle: false, ...playing(call) });
  }),

  'GET /me/player/currently-playing': reading((call) => {
    const isPlaying = visibleDevice(call.account) && currentUri(call.account.player) !== null;
    return isPlaying ? http.ok(playing(call)) : NOTHING;
  }, 'user-read-currently-playing'),

  'GET /me/player/devices': reading(({ account }) => {
    const awake = account.devices.filter(({ asleep }) => !asleep);
    return http.ok({ devices: awake.map((device) => deviceObject(account, device)) });
  }),

  'GET /me/player/queue': reading(({ world, account }) => {
    const { index, queue } = account.player;
    const uris = visibleDevice(account) ? queue.slice(index, index + 1 + LISTED) : [];
    const [currently_playing = null, ...next] = uris.map((uri) => mediaObject(world, uri, true));
    return http.ok({ currently_playing, queue: next });
  }),

  /** Moves playback to a device; without `play: true`, the player keeps playing or stays paused. */
  'PUT /me/player': command((call, device) => {
    const { player } = call.account;
    device.asleep = false;
    player.deviceId = device.id;
    if (http.jsonBody(call).play === true && currentUri(player) !== null) setPlaying(player, true, call.now);
  }, newDevice),

  'PUT /me/player/play': command((call, device) => {
    const { player } = call.account;
    const start = startIn(call);
    if (start) {
      const { index, positionMs, ...list } = start;
      Object.assign(player, { ...list, queued: 0 });
      moveTo(player, index, positionMs, call.now);
    } else if (currentUri(player) === null || (player.isPlaying && player.deviceId === device.id)) {
      throw restrictionViolated();
    }
    player.deviceId = device.id;
    setPlaying(player, true, call.now);
    advancePlayer(call.world, call.account, call.now);
  }),

  'PUT /me/player/pause': command(({ account: { player }, now }) => {
    if (!player.isPlaying) throw restrictionViolated();
    setPlaying(player, false, now);
  }),

  'POST /me/player/next': command(skipForward),

  /** Skips to the previous entry, even from the middle of the current one. */
  'POST /me/player/previous': command(({ account, now }) => {
    if (account.player.index === 0) throw restrictionViolated();
    skipTo(account, account.player.index - 1, now);
  }),

  /** A position past the end skips to the next entry. */
  'PUT /me/player/seek': command((call) => {
    const { player } = call.account;
    const position = numberIn(call, 'position_ms', Number.POSITIVE_INFINITY);
    const uri = currentUri(player);
    if (uri === null) throw restrictionViolated();
    if (position >= durationMs(call.world, uri)) skipForward(call);
    else moveTo(player, player.index, position, call.now);
  }),

  'PUT /me/player/volume': command((call, device) => {
    const percent = numberIn(call, 'volume_percent', 100);
    if (!device.supportsVolume)
      throw commandFailed(403, 'Cannot control device volume', 'VOLUME_CONTROL_DISALLOW');
    device.volumePercent = percent;
  }),

  /** Remembers the state, but the order stays. */
  'PUT /me/player/shuffle': command(({ query, account }) => {
    account.player.shuffle = query.get('state') === 'true';
  }),

  'PUT /me/player/repeat': command(({ query, account }) => {
    const mode = (['off', 'track', 'context'] as const).find((one) => one === query.get('state'));
    if (!mode) throw refuse(400, 'Bad repeat mode');
    account.player.repeat = mode;
  }),

  /** Adds an item after those already queued by hand, and ahead of all other upcoming entries. */
  'POST /me/player/queue': command((call) => {
    const { player } = call.account;
    const added = playableUris(call, [call.query.get('uri')]);
    if (added.length === 0 || currentUri(player) === null) throw restrictionViolated();
    player.queue.splice(player.index + 1 + player.queued, 0, ...added);
    player.queued += 1;
  }),
};

function numberIn({ query }: ApiCall, name: string, most: number): number {
  const value = http.wholeNumber(query, name);
  if (value === undefined) throw refuse(400, `Required parameter ${name} missing`);
  if (!(value >= 0 && value <= most)) throw refuse(400, `Invalid ${name}`);
  return value;
}

/**
 * What a body asks to play; null to resume. `context_uri` and `uris` exclude each other; `offset` is refused for an artist.
 * @throws Refusal 400, 404 or 413 for an invalid request, 403 if nothing in it is playable, or if `offset` is not in the queue
 */
function startIn(call: ApiCall) {
  const { context_uri: context, uris, offset, position_ms: positionMs = 0 } = http.jsonBody(call);
  if (typeof positionMs !== 'number' || !(positionMs >= 0)) throw refuse(400, 'Invalid position_ms');
  if (context === undefined && uris === undefined) return null;
  if (context !== undefined && uris !== undefined)
    throw refuse(400, 'Only one of context_uri and uris is allowed');
  if (offset !== undefined && String(context).startsWith('spotify:artist:'))
    throw refuse(400, "Can't have offset for context type: ARTIST");
  const contextUri = context === undefined ? null : String(context);
  const queue = contextUri === null ? playableUris(call, uris) : contextUris(call, contextUri);
  const index = offsetIndex(queue, offset);
  if (!(index >= 0 && index < queue.length)) throw restrictionViolated();
  return { queue, contextUri, index, positionMs };
}

function playableUris({ world }: ApiCall, uris: unknown): string[] {
  if (!Array.isArray(uris) || uris.length === 0) throw refuse(400, 'Invalid uris');
  if (uris.length > MAX_URIS) throw refuse(413, 'Request entity too large');
  const bad = uris.find((uri) => !/^spotify:(track|episode):[0-9A-Za-z]{22}$/.test(String(uri)));
  if (bad !== undefined) throw refuse(400, `Invalid track uri: ${bad}`);
  return uris.filter((uri) => world.catalogue.trackByUri.has(uri) || world.catalogue.episodeByUri.has(uri));
}

function contextUris({ world, account }: ApiCall, uri: string): string[] {
  if (uri === `spotify:user:${account.id}:collection`) return account.saved.map((one) => one.uri);
  const [, type, id = ''] = /^spotify:(album|artist|playlist|show):([0-9A-Za-z]{22})$/.exec(uri) ?? [];
  if (type === undefined) throw refuse(400, 'Invalid context uri');
  const { albumByUri, showByUri, artistByUri, tracks } = world.catalogue;
  const artist = artistByUri.get(uri);
  const ofArtist = (one: DemoArtist) => {
    return tracks.filter(({ artists }) => artists.includes(one)).sort((a, b) => b.popularity - a.popularity);
  };
  const entries =
    albumByUri.get(uri)?.tracks ??
    showByUri.get(uri)?.episodes ??
    (artist && ofArtist(artist)) ??
    findPlaylist(world, id)?.rows.filter(({ unavailable }) => !unavailable);
  if (!entries) throw http.notFound();
  return entries.map((entry) => entry.uri);
}

function offsetIndex(queue: readonly string[], offset: unknown): number {
  if (offset === undefined) return 0;
  if (isObject(offset) && 'uri' in offset) return queue.indexOf(String(offset.uri));
  if (isObject(offset) && Number.isInteger(offset.position)) return Number(offset.position);
  throw refuse(400, 'Invalid offset');
}

/** Skips to the next entry. From the last one, skips to the first if `repeat` is `context`; otherwise the command is refused. */
function skipForward({ account, now }: ApiCall): void {
  const { player } = account;
  const isLast = player.index >= player.queue.length - 1;
  if (isLast && (player.repeat !== 'context' || player.queue.length === 0)) throw restrictionViolated();
  skipTo(account, isLast ? 0 : player.index + 1, now);
}

/** The device that the query names, or else the active one. */
function targetDevice({ query, account }: ApiCall): DemoDevice {
  const id = query.get('device_id');
  const named = account.devices.find((one) => one.id === id && !one.asleep);
  if (id !== null && !named) throw refuse(404, 'Device not found');
  const device = named ?? activeDevice(account);
  if (!device) throw commandFailed(404, 'No active device found', 'NO_ACTIVE_DEVICE');
  return device;
}

function newDevice(call: ApiCall): DemoDevice {
  const { device_ids: ids } = http.jsonBody(call);
  if (!Array.isArray(ids) || ids.length !== 1) throw refuse(400, 'Exactly one device id must be supplied');
  const device = call.account.devices.find(({ id }) => id === ids[0]);
  if (!device) throw refuse(404, 'Device not found');
  return device;
}

function commandFailed(status: number, what: string, reason: string): http.Refusal {
  return refuse(status, `Player command failed: ${what}`, reason);
}

/** The refusal if the player already does what is asked, has nothing to skip to, or has nothing to play. */
function restrictionViolated(): http.Refusal {
  return commandFailed(403, 'Restriction violated', 'UNKNOWN');
}

/** 204, or 200 with a short text that claims to be JSON but is not. */
function accepted({ world, account }: ApiCall): http.Answer {
  world.commands += 1;
  if (world.commands % 2 === 1) return NOTHING;
  const text = Buffer.from(`${account.id}:${world.commands}`).toString('base64url');
  return { status: 200, text, headers: { 'content-type': 'application/json; charset=utf-8' } };
}

/** The active device; undefined if there is none, or if it is asleep. */
function activeDevice({ devices, player }: DemoAccount): DemoDevice | undefined {
  return devices.find(({ id, asleep }) => id === player.deviceId && !asleep);
}

/** The active device, unless the session is private. */
function visibleDevice(account: DemoAccount): DemoDevice | undefined {
  return account.player.privateSession ? undefined : activeDevice(account);
}

function playing(call: ApiCall): Record<string, unknown> {
  const { player } = call.account;
  const uri = currentUri(player);
  const type = uri?.split(':')[1] === 'episode' ? 'episode' : 'track';
  const disallows = {
    ...(player.isPlaying ? { resuming: true } : { pausing: true }),
    ...(player.index === 0 ? { skipping_prev: true } : {}),
    ...(player.index >= player.queue.length - 1 ? { skipping_next: true } : {}),
  };
  return {
    context: contextObject(player.contextUri),
    progress_ms: uri === null ? null : progressMs(player, call.now),
    item: uri === null ? null : mediaObject(call.world, uri, http.wantsEpisodes(call)),
    currently_playing_type: uri === null ? 'unknown' : type,
    actions: { disallows },
    is_playing: player.isPlaying,
  };
}

function deviceObject({ player }: DemoAccount, device: DemoDevice): Record<string, unknown> {
  return {
    id: device.id,
    is_active: device.id === player.deviceId,
    is_private_session: player.privateSession,
    is_restricted: device.isRestricted,
    name: device.name,
    supports_volume: device.supportsVolume,
    type: device.type,
    volume_percent: device.volumePercent,
  };
}
