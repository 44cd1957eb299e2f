/**
 * What one open page is doing: what is open on it, what was asked for, the list that is being imported. Only in memory: after a
 * restart of the server, a page begins anew. The few pages used last are kept.
 */
import type { ItemRecord } from '../../domain/job.ts';
import type { ListRow } from '../../domain/listExport.ts';
import type { ImportPreview, ImportTarget } from '../../domain/listImport.ts';
import type { KeepAnswer, OwnerRestoreAnswer, VersionContent } from '../../domain/localApi.ts';
import type { Track } from '../../domain/shapes.ts';
import type { PlaylistVersions } from '../../domain/versions.ts';

export interface Tab {
  /** The words to look for among the playlists. */
  find: string;
  /** How often each long list was made longer. */
  more: Record<string, number>;
  /** The playlist that is open, and what is shown of it. */
  playlist: { id: string; name: string; part: PlaylistPart | null } | null;
  /**
   * The last change after which this page has asked for the list of playlists; '' if it asked at first, null if it never did or
   * the person has deleted the copy.
   */
  listed: string | null;
  imported: Imported | null;
  /** A listening history that is being read, by the number of its import. */
  history: { id: number; name: string } | null;
  settling: Settling | null;
  /** What an undo would do, a line each; with `force`, why it is refused otherwise. */
  undo: { change: string; force: boolean; lines: readonly string[] } | null;
  /** How to connect one client: what `relay connect` prints. */
  setup: { id: string; file: string; snippet: string; command: string | null; next: string } | null;
}

export type PlaylistPart =
  | { kind: 'songs'; rows: readonly ListRow[] }
  | { kind: 'duplicates'; exact: readonly string[]; others: readonly string[]; refusal: string | null }
  | {
      kind: 'versions';
      of: PlaylistVersions;
      shown: { version: number; content: VersionContent; preview: OwnerRestoreAnswer } | null;
    }
  | { kind: 'keep'; asked: { rule: string; every: 'hour' | 'day' | 'week' }; preview: KeepAnswer | null }
  | { kind: 'export' };

/** A list on its way from a file to a playlist. */
export interface Imported {
  /** Differs for each file, so that its form begins with new fields. */
  key: number;
  fileName: string;
  bytes: Uint8Array;
  preview: ImportPreview;
  /** The playlists in the file; a preview of one of them does not list the others. */
  lists: ImportPreview['lists'];
  /** How a file with several playlists is read: each as its own, all as one, or one of them by its name. */
  list: 'each' | 'all' | { name: string };
  artistSide: 'left' | 'right' | null;
  target: ImportTarget['kind'];
  /** IDs of the jobs, once the search has begun. */
  jobs: readonly string[];
}

interface Settling {
  job: string;
  /** Position of the entry on display, or the first one after it that is open. */
  at: number;
  /** The entry that was decided before and is on display again, with its candidates; null for the one at `at`. */
  again: ItemRecord | null;
  /** The entries that were decided here, as they were before, the last one last. */
  past: ItemRecord[];
  /** What the last search found for the entry at this position. */
  found: { position: number; text: string; tracks: readonly Track[] } | null;
  /** True while the page asks whether to accept all near matches. */
  near: boolean;
}

/** Number of songs that the person chooses among, each with a key. */
export const CANDIDATES = 5;

/** Stands in `Tab.listed` after the copy was deleted: then the list is not read again unless the person asks for it. */
export const FORGOTTEN = 'forgotten';

const MAX_TABS = 20;

export function createTabs() {
  const tabs = new Map<string, Tab>();
  return {
    /** The page with this ID in this browser; a new one if it is not known. */
    of(browser: string, id: string): Tab {
      const key = `${browser} ${id}`;
      const tab = tabs.get(key) ?? newTab();
      tabs.delete(key);
      tabs.set(key, tab);
      for (const oldest of tabs.keys()) if (tabs.size > MAX_TABS) tabs.delete(oldest);
      return tab;
    },
    /** Forgets what all pages show: it may be of another account. */
    clear: () => tabs.clear(),
  };
}

function newTab(): Tab {
  const nothing = { playlist: null, listed: null, imported: null, history: null, settling: null };
  return { ...nothing, find: '', more: {}, undo: null, setup: null };
}
