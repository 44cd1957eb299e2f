/** What the parts of a history share: the world, what was said, and what was found wrong. */
import type { DemoPlaylist } from '../../src/demo/state.ts';
import type { Computer } from './computer.ts';
import type { MemoryDisk } from './disk.ts';
import type { Network } from './network.ts';
import type { Plan } from './plan.ts';
import type { Spotify } from './spotify.ts';
import type { VirtualTime } from './time.ts';

/** Something wrong that a history has shown. */
export interface Finding {
  /** What kind of mistake it is, the same for every history that shows it. */
  rule: string;
  /** The particulars. */
  text: string;
  at: number;
}

export interface Stage {
  plan: Plan;
  time: VirtualTime;
  spotify: Spotify;
  network: Network;
  disk: MemoryDisk;
  computer: Computer;
  /** Playlists by the index that plans use. */
  lists: DemoPlaylist[];
  findings: Finding[];
  /** True if a copy of the state was restored, so that the program has forgotten what came after it. */
  isRestored: boolean;
  /** True if nobody, or another account, was connected for a time. */
  isSwitched: boolean;
  /** Playlists that an answer has named as the new playlist of its caller. */
  claimed: Set<DemoPlaylist>;
  /** New playlists whose rows another client has replaced, with the new rows; null if the rows are not judged. */
  meddled: Map<DemoPlaylist, readonly string[] | null>;
  /** The last name that an answer gave for a playlist, and where in the record of effects that was. */
  names: Map<DemoPlaylist, { name: string; from: number }>;
  listed: Map<DemoPlaylist, { isListed: boolean; from: number }>;
  say(line: () => string): void;
  found(rule: string, text: string): void;
}

/** Resolves after the computer has been awake for `ms` milliseconds. Clients run on it too. */
export function later({ time }: Pick<Stage, 'time'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    time.after(ms, resolve, 'computer');
  });
}
