/**
 * An account's player, whose position in the queue follows the clock. Nothing runs in the background: a request that reads or
 * changes the player first brings it up to date.
 */
import type { DemoAccount, DemoPlayer, DemoWorld } from './state.ts';

/** A skipped entry is added to the history if the player was at least this far into it. */
const COUNTS_AFTER_MS = 30_000;

/** URI of what is playing or paused; null if there is nothing. */
export function currentUri(player: DemoPlayer): string | null {
  return player.queue[player.index] ?? null;
}

/** Milliseconds into the current entry at `now`. */
export function progressMs(player: DemoPlayer, now: number): number {
  return player.isPlaying ? player.positionMs + Math.max(0, now - player.at) : player.positionMs;
}

export function durationMs(world: DemoWorld, uri: string): number {
  const media = world.catalogue.trackByUri.get(uri) ?? world.catalogue.episodeByUri.get(uri);
  if (media) return media.durationMs;
  return Number(uri.split(':').at(-1)) * 1_000 || 180_000;
}

/** Brings the player up to date at `now`: moves past entries that have ended, and stops after the last one. */
export function advancePlayer(world: DemoWorld, account: DemoAccount, now: number): void {
  const { player } = account;
  while (player.isPlaying) {
    const uri = currentUri(player);
    if (uri === null) {
      player.isPlaying = false;
      return;
    }
    const endsAt = player.at + Math.max(1, durationMs(world, uri) - player.positionMs);
    if (endsAt > now) return;
    remember(account, uri, endsAt);
    goOn(player, endsAt);
  }
}

/** Moves from the current entry to the one at `index` at `now`; the player keeps playing or stays paused. */
export function skipTo(account: DemoAccount, index: number, now: number): void {
  const { player } = account;
  const uri = currentUri(player);
  if (uri !== null && progressMs(player, now) >= COUNTS_AFTER_MS) remember(account, uri, now);
  moveTo(player, index, 0, now);
}

/** Sets the position in the queue without starting or stopping playback. */
export function moveTo(player: DemoPlayer, index: number, positionMs: number, now: number): void {
  const isNext = index === player.index + 1;
  if (index !== player.index) player.queued = isNext ? Math.max(0, player.queued - 1) : 0;
  player.index = index;
  player.positionMs = positionMs;
  player.at = now;
}

/** Starts or stops playback at the position reached at `now`. */
export function setPlaying(player: DemoPlayer, isPlaying: boolean, now: number): void {
  player.positionMs = progressMs(player, now);
  player.at = now;
  player.isPlaying = isPlaying;
}

function goOn(player: DemoPlayer, now: number): void {
  const next = player.repeat === 'track' ? player.index : player.index + 1;
  const atEnd = next >= player.queue.length;
  moveTo(player, atEnd ? 0 : next, 0, now);
  if (atEnd && player.repeat === 'off') player.isPlaying = false;
}

function remember(account: DemoAccount, uri: string, playedAt: number): void {
  account.history.unshift({ uri, playedAt, contextUri: account.player.contextUri });
  account.history.splice(200);
}
