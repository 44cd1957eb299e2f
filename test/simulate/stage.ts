/** What the parts of a history share: the world, what was said, and what was found wrong. */
import type { DemoPlaylist } from '../../src/demo/state.ts';
import type { Computer } from './computer.ts';
import type { MemoryDisk } from './disk.ts';
import type { Network } from './network.ts';
import type { Plan } from './plan.ts';
import type { Spotify } from './spotify.ts';
import type { VirtualTime } from './time.ts';

/** Something that must not be. */
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
  /** By the index that plans use. */
  lists: DemoPlaylist[];
  findings: Finding[];
  /** A copy was restored: what the program knew since is gone. */
  isRestored: boolean;
  /** True if nobody, or another account, was connected for a time. */
  isSwitched: boolean;
  /** Playlists that an answer named as its caller's new one. */
  claimed: Set<DemoPlaylist>;
  /** New playlists whose rows another client has replaced, and with what; null where that is not judged. */
  meddled: Map<DemoPlaylist, readonly string[] | null>;
  /** The name that an answer told last, and where in the record of effects. */
  names: Map<DemoPlaylist, { name: string; from: number }>;
  listed: Map<DemoPlaylist, { isListed: boolean; from: number }>;
  say(line: () => string): void;
  found(rule: string, text: string): void;
}

/** Resolves after so many milliseconds in which the computer is awake: clients run on it too. */
export function later({ time }: Pick<Stage, 'time'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    time.after(ms, resolve, 'computer');
  });
}
