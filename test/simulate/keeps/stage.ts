/** What the actors of a history of kept playlists share. */
import type { DemoPlaylist } from '../../../src/demo/state.ts';
import type { Keep } from '../../keeps/keptPlaylists.ts';
import type { Computer } from '../computer.ts';
import type { MemoryDisk } from '../disk.ts';
import type { Network } from '../network.ts';
import type { Finding } from '../stage.ts';
import type { VirtualTime } from '../time.ts';
import type { LibraryFiles } from './libraryFiles.ts';
import type { KeepEvent, KeepPlan, RuleText, Target } from './plan.ts';
import type { KeepSpotify } from './world.ts';

export interface KeepStage {
  plan: KeepPlan;
  time: VirtualTime;
  spotify: KeepSpotify;
  network: Network;
  disk: MemoryDisk;
  files: LibraryFiles;
  computer: Computer;
  lists: DemoPlaylist[];
  findings: Finding[];
  /** What each rule says now. */
  texts: RuleText[];
  /** Every query that was kept at some time, and the rule that it expresses. */
  said: Map<string, RuleText>;
  /** Playlist and time of each change that somebody asked relay for. Changes of rules are left out. */
  meddled: Array<{ at: number; playlist: string; by: KeepEvent }>;
  /** Playlist and time of each review that somebody accepted. */
  accepted: Array<{ at: number; playlist: string }>;
  /** IDs of playlists that were kept at some time. */
  kept: Set<string>;
  isRestored: boolean;
  /** Every request that came to Spotify. */
  requests: Array<{ at: number; method: string; path: string }>;
  /** Checks of restores that are left for the end. */
  atEnd: Array<() => void>;
  say(line: () => string): void;
  found(rule: string, text: string): void;
}

export type ToolAnswer = Record<string, unknown> & {
  error?: { code: string; message: string; details?: Record<string, unknown> };
};

/** Calls a tool once relay runs. Returns null if nobody heard the answer. */
export async function call(
  { computer, say }: KeepStage,
  tool: string,
  args: Record<string, unknown> = {},
): Promise<ToolAnswer | null> {
  const answer = (await computer.call(tool, args)) as ToolAnswer | null;
  say(() => `${tool} ${JSON.stringify(args).slice(0, 120)}: ${told(answer)}`);
  return answer;
}

function told(answer: ToolAnswer | null): string {
  if (answer === null) return 'nobody heard it';
  if (answer.error) return `${answer.error.code} ${answer.error.message}`;
  const { keep } = answer as { keep?: Keep };
  if (keep) return `${keep.status}, ${keep.reason ?? keep.last_result ?? ''}`;
  return JSON.stringify(answer).slice(0, 160);
}

export async function keeps(stage: KeepStage): Promise<Keep[]> {
  return ((await call(stage, 'list_kept_playlists'))?.items ?? []) as Keep[];
}

/** The playlist that a rule keeps, or one of the account's. */
export function playlistOf({ plan, spotify, lists }: KeepStage, target: Target): DemoPlaylist | undefined {
  if ('list' in target) return lists[target.list];
  return spotify.named(plan.rules[target.rule]?.name ?? '');
}

export function after({ time }: Pick<KeepStage, 'time'>, ms: number): Promise<void> {
  return new Promise((resolve) => void time.after(ms, resolve));
}
