/**
 * A player that really plays: its place in the queue follows the clock. Nothing runs in the background; every look at
 * the player first moves it to where it must be by now.
 */
import type { DemoAccount, DemoPlayer, World } from './state.ts';

/** A play counts for the history after this long. */
const COUNTS_AFTER_MS = 30_000;

/** What is playing or paused, if anything. */
export function currentUri(player: DemoPlayer): string | null {
  return player.queue[player.index] ?? null;
}

/** Milliseconds into the present entry at `now`. */
export function progressMs(player: DemoPlayer, now: number): number {
  return player.isPlaying ? player.positionMs + Math.max(0, now - player.at) : player.positionMs;
}

/** Milliseconds that the thing named by `uri` lasts. */
export function durationMs(world: World, uri: string): number {
  const media = world.catalogue.trackByUri.get(uri) ?? world.catalogue.episodeByUri.get(uri);
  if (media) return media.durationMs;
  return Number(uri.split(':').at(-1)) * 1_000 || 180_000;
}

/** Moves the player to where it stands at `now`: over the ends of entries, and to a stop after the last one. */
export function settlePlayer(world: World, account: DemoAccount, now: number): void {
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

/** Leaves the present entry at `now` for the one at `index`, playing on if it was playing. */
export function skipTo(account: DemoAccount, index: number, now: number): void {
  const { player } = account;
  const uri = currentUri(player);
  if (uri !== null && progressMs(player, now) >= COUNTS_AFTER_MS) remember(account, uri, now);
  moveTo(player, index, 0, now);
}

/** Puts the player at a place in its queue without changing whether it plays. */
export function moveTo(player: DemoPlayer, index: number, positionMs: number, now: number): void {
  player.index = index;
  player.positionMs = positionMs;
  player.at = now;
}

/** Starts or stops the player where it is at `now`. */
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
