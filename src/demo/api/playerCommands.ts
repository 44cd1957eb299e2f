/** Player commands. Successes alternate between Spotify's two kinds of answers. */
import { type Answer, type ApiCall, jsonBody, type Refusal, refuse } from '../http.ts';
import { advancePlayer, currentUri, durationMs, moveTo, progressMs, setPlaying, skipTo } from '../player.ts';
import type { DemoDevice } from '../state.ts';
import { wholeNumber } from './paging.ts';
import { activeDevice } from './playerReads.ts';
import { readPlayBody, restrictionViolated } from './playRequest.ts';

/** `PUT /me/player`: moves playback to a device; without `play: true`, the player keeps playing or stays paused. */
export function transfer(call: ApiCall): Answer {
  needPremium(call);
  advancePlayer(call.world, call.account, call.now);
  const { device_ids: ids, play } = jsonBody(call);
  if (!Array.isArray(ids) || ids.length !== 1) throw refuse(400, 'Exactly one device id must be supplied');
  const device = call.account.devices.find((one) => one.id === ids[0]);
  if (!device) throw refuse(404, 'Device not found');
  if (device.isRestricted) throw commandFailed(403, 'Restricted device', 'UNKNOWN');
  device.asleep = false;
  const { player } = call.account;
  player.deviceId = device.id;
  if (play === true && currentUri(player) !== null) setPlaying(player, true, call.now);
  return accepted(call);
}

/** `PUT /me/player/play`: resumes, or starts what the body asks for. */
export function play(call: ApiCall): Answer {
  const device = prepareCommand(call);
  const { player } = call.account;
  const start = readPlayBody(call);
  if (!start) {
    const elsewhere = player.deviceId !== device.id;
    if ((player.isPlaying && !elsewhere) || currentUri(player) === null) throw restrictionViolated();
  } else {
    player.queue = start.queue;
    player.queued = 0;
    player.contextUri = start.contextUri;
    moveTo(player, start.index, start.positionMs, call.now);
  }
  player.deviceId = device.id;
  setPlaying(player, true, call.now);
  advancePlayer(call.world, call.account, call.now);
  return accepted(call);
}

/** `PUT /me/player/pause`. */
export function pause(call: ApiCall): Answer {
  prepareCommand(call);
  const { player } = call.account;
  if (!player.isPlaying) throw restrictionViolated();
  setPlaying(player, false, call.now);
  return accepted(call);
}

/** `POST /me/player/next`. */
export function next(call: ApiCall): Answer {
  prepareCommand(call);
  skipForward(call);
  return accepted(call);
}

/** `POST /me/player/previous`: skips to the previous entry, even from the middle of the current one. */
export function previous(call: ApiCall): Answer {
  prepareCommand(call);
  const { player } = call.account;
  if (player.index === 0) throw restrictionViolated();
  skipTo(call.account, player.index - 1, call.now);
  return accepted(call);
}

/** `PUT /me/player/seek`: a position past the end skips to the next entry. */
export function seek(call: ApiCall): Answer {
  const position = wholeNumber(call.query.get('position_ms'));
  if (position === null) throw refuse(400, 'Required parameter position_ms missing');
  if (!(position >= 0)) throw refuse(400, 'position_ms must be positive');
  prepareCommand(call);
  const { player } = call.account;
  const uri = currentUri(player);
  if (uri === null) throw restrictionViolated();
  if (position >= durationMs(call.world, uri)) skipForward(call);
  else moveTo(player, player.index, position, call.now);
  return accepted(call);
}

/** `PUT /me/player/volume`. */
export function setVolume(call: ApiCall): Answer {
  const percent = wholeNumber(call.query.get('volume_percent'));
  if (percent === null) throw refuse(400, 'Required parameter volume_percent missing');
  if (!(percent >= 0 && percent <= 100)) throw refuse(400, 'volume_percent must be in the range 0 to 100');
  const device = prepareCommand(call);
  if (!device.supportsVolume)
    throw commandFailed(403, 'Cannot control device volume', 'VOLUME_CONTROL_DISALLOW');
  device.volumePercent = percent;
  return accepted(call);
}

/** `PUT /me/player/shuffle`: remembers the state, but the order stays. */
export function setShuffle(call: ApiCall): Answer {
  const state = call.query.get('state');
  if (state !== 'true' && state !== 'false') throw refuse(400, 'Required parameter state missing');
  prepareCommand(call);
  call.account.player.shuffle = state === 'true';
  return accepted(call);
}

/** `PUT /me/player/repeat`. */
export function setRepeat(call: ApiCall): Answer {
  const state = call.query.get('state');
  if (state !== 'off' && state !== 'track' && state !== 'context') throw refuse(400, 'Bad repeat mode');
  prepareCommand(call);
  call.account.player.repeat = state;
  return accepted(call);
}

/** `POST /me/player/queue`: adds an item after those already queued by hand, and ahead of all other upcoming entries. */
export function addToQueue(call: ApiCall): Answer {
  const uri = call.query.get('uri') ?? '';
  const { trackByUri, episodeByUri } = call.world.catalogue;
  if (!trackByUri.has(uri) && !episodeByUri.has(uri)) throw refuse(400, `Invalid track uri: ${uri}`);
  prepareCommand(call);
  const { player } = call.account;
  if (currentUri(player) === null) throw restrictionViolated();
  player.queue.splice(player.index + 1 + player.queued, 0, uri);
  player.queued += 1;
  return accepted(call);
}

/** Skips to the next entry. From the last one, skips to the first if `repeat` is `context`; otherwise the command is refused. */
function skipForward(call: ApiCall): void {
  const { player } = call.account;
  const isLast = player.index >= player.queue.length - 1;
  if (isLast && (player.repeat !== 'context' || player.queue.length === 0)) throw restrictionViolated();
  skipTo(call.account, isLast ? 0 : player.index + 1, call.now);
}

/**
 * Checks that the account may send commands, brings the player up to date, and returns the device: the named one, or else the
 * active one.
 * @throws Refusal without Premium, without a device, and for a device that is unknown, asleep or restricted
 */
function prepareCommand(call: ApiCall): DemoDevice {
  needPremium(call);
  advancePlayer(call.world, call.account, call.now);
  const id = call.query.get('device_id');
  const named = call.account.devices.find((one) => one.id === id && !one.asleep);
  if (id !== null && !named) throw refuse(404, 'Device not found');
  const device = named ?? activeDevice(call.account);
  if (!device) throw commandFailed(404, 'No active device found', 'NO_ACTIVE_DEVICE');
  if (device.isRestricted) throw commandFailed(403, 'Restricted device', 'UNKNOWN');
  return device;
}

function needPremium({ account }: ApiCall): void {
  if (!account.premium) throw commandFailed(403, 'Premium required', 'PREMIUM_REQUIRED');
}

function commandFailed(status: number, what: string, reason: string): Refusal {
  return refuse(status, `Player command failed: ${what}`, reason);
}

/** 204, or 200 with a short text that claims to be JSON but is not. */
function accepted({ world, account, now }: ApiCall): Answer {
  world.commands += 1;
  if (world.commands % 2 === 1) return { status: 204 };
  const mark = `${account.id}:${world.commands}:${progressMs(account.player, now)}`;
  const text = Buffer.from(mark).toString('base64url');
  return { status: 200, text, headers: { 'content-type': 'application/json; charset=utf-8' } };
}
