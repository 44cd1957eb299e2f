/** What the parts of a simulated history share: the simulated world, the log, and the mistakes found. */
import type { DemoPlaylist } from '../../src/demo/state.ts';
import type { Computer } from './computer.ts';
import type { MemoryDisk } from './disk.ts';
import type { Network } from './network.ts';
import type { Plan } from './plan.ts';
import type { Spotify } from './spotify.ts';
import type { VirtualTime } from './time.ts';

/** Something wrong that a history has shown. */
export interface Finding {
  /** The kind of mistake, in the same words in every history. */
  rule: string;
  /** What was found in this history. */
  text: string;
  /** When it was found, in milliseconds of the history. */
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
  /** True if a copy of the state was restored, so that the program has forgotten what it did after the copy was made. */
  isRestored: boolean;
  /** True if for a time no account, or another account, was connected. */
  isSwitched: boolean;
  /** Playlists that an answer has reported to its caller as newly created. */
  claimed: Set<DemoPlaylist>;
  /** The new rows of each new playlist whose rows another client has replaced; null if they are not checked at the end. */
  meddled: Map<DemoPlaylist, readonly string[] | null>;
  /** Playlists in which an undo could not find out under which ID the list shows a song. */
  misnamed: Set<DemoPlaylist>;
  /** New playlists whose rows another client is replacing now, and whether a third tool has written to them meanwhile. */
  replacing: Map<DemoPlaylist, 'alone' | 'with others'>;
  /** The last name that an answer confirmed for a playlist, and how many effects the record had by then. */
  names: Map<DemoPlaylist, { name: string; from: number }>;
  /** Whether the account's list has a playlist, as the last answer about it said, and how many effects the record had by then. */
  listed: Map<DemoPlaylist, { isListed: boolean; from: number }>;
  say(line: () => string): void;
  found(rule: string, text: string): void;
}

/** Resolves after the computer has been awake for `ms` milliseconds. Clients run on the same computer. */
export function later({ time }: Pick<Stage, 'time'>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    time.after(ms, resolve, 'computer');
  });
}
