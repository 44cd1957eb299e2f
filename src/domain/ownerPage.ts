/** What the owner's page asks of the server, as plain JSON values. Times are ISO 8601. */

import type { Level } from './access.ts';
import type { JobPhase, JobStatus } from './job.ts';
import type { KeepAction, KeepRecord } from './keep.ts';
import type { LibraryCoverage, LibraryStatus } from './library.ts';
import type { ImportTarget } from './listImport.ts';
import type {
  BrowserSummary,
  ChangeEntry,
  OwnerRestoreAnswer,
  RememberedMatch,
  RestoreRequest,
  StatusEntry,
  StatusReport,
  UndoAnswer,
  UndoRequest,
} from './localApi.ts';
import type { PlaysProgress } from './plays.ts';
import type { Fix } from './settling.ts';
import type { PlaylistVersions } from './versions.ts';

/** Everything that the page shows at once, in one answer. Making the answer sends no request to Spotify. */
export interface OwnerState {
  /** Identifies the page's files: an open page from another build reloads itself. */
  build: string;
  version: string;
  demo: boolean;
  mcpUrl: string;
  authMode: 'bearer' | 'oauth';
  parts: PagePart[];
  account: PageAccount;
  /** Why the last login that a page began failed; null if it did not fail. */
  loginProblem: { message: string; remedy: string | null } | null;
  /** The Spotify app. `isFixed`: the client ID cannot change before the server restarts. */
  app: { isSet: boolean; isFixed: boolean; redirectUri: string };
  setups: Array<{ id: string; name: string }>;
  clients: PageClient[];
  /** True if a program has used the MCP endpoint since the server started. */
  mcpUsed: boolean;
  browsers: PageBrowser[];
  /** The first matches: those that a person or a client settled, newest first, then learned ones. */
  remembered: RememberedMatch[];
  /** Number of all matches. */
  rememberedTotal: number;
  /** Clients whose approval page was shown but not answered, oldest first. */
  waitingClients: PageWaitingClient[];
  /** Jobs that are not over, newest first: they run, wait or have failed. */
  jobs: PageJob[];
  /** Number of all jobs that are not over; `jobs` has the newest 200. */
  jobsTotal: number;
  /** The first page of events, newest first. */
  events: PageEvents;
  /** IDs of the playlists in `jobs` and `events` whose names are not known. */
  unnamed: string[];
  /** True if covers are shown. */
  covers: boolean;
  limits: PageLimits;
  /** The latest failed requests to Spotify that no later request has resolved. */
  errors: PageError[];
  /** null if relay has not read the player with this login. */
  playing: PagePlaying | null;
  library: PageLibrary;
  /** Kept playlists, in the order in which they were added. */
  kept: KeepRecord[];
}

export type PagePart = Omit<StatusEntry, 'remedy'> & {
  /** `command` is set if the whole remedy is a command line. */
  remedy: { text: string; command: string | null } | null;
};

type PageAccount = Omit<StatusReport['account'], 'id' | 'scopes' | 'accessTokenExpiresAt'>;

/** A client that the owner has approved. */
export interface PageClient {
  clientId: string;
  name: string;
  lastUsedAt: string | null;
  approvedAt: string | null;
  /** What it may do. */
  access: Level;
}

interface PageBrowser extends Omit<BrowserSummary, 'createdAt' | 'expiresAt'> {
  /** True for the browser that shows the page. */
  current: boolean;
}

interface PageWaitingClient {
  clientId: string;
  name: string;
  /** Address of the client's approval page. */
  address: string;
  at: string;
}

/** One thing that happened: a job that is over, with the change that it made, or a change without a job. */
export interface PageEvent {
  id: string;
  at: string;
  place: PagePlace;
  job: PageJob | null;
  change: ChangeEntry | null;
}

export interface PageEvents {
  items: PageEvent[];
  /** True if there are older events. */
  more: boolean;
}

/** The playlist that a job or a change wrote to, or Liked Songs. */
export interface PagePlace {
  /** Address of the page at Spotify; null if there is none, as in the demo. */
  url: string | null;
  /** Address of the cover image; null if none is known, or covers are off. */
  cover: string | null;
}

export interface PageJob {
  id: string;
  /** What the job does, in a few words. */
  title: string;
  place: PagePlace;
  status: JobStatus;
  phase: JobPhase;
  total: number;
  pending: number;
  resolved: number;
  unresolved: number;
  skipped: number;
  written: number;
  /** Number of songs that the job writes in all. */
  toWrite: number;
  strict: boolean;
  dryRun: boolean;
  reviewRequired: boolean;
  runAfter: string | null;
  reason: string | null;
  error: { message: string; remedy: string | null } | null;
  createdAt: string;
  updatedAt: string;
}

export interface PageLimits {
  blocked: Array<{ scope: string; until: string; reason: string | null }>;
  /** How many requests were sent in the last 24 hours. `hours` has a number for each hour, the last hour last. */
  scopes: Array<{ scope: string; total: number; hours: number[] }>;
}

export interface PageError {
  at: string;
  code: string;
  message: string;
  occurrences: number;
  request: string;
  remedy: string | null;
}

/** The copy of the library. Times are ISO 8601. */
export interface PageLibrary
  extends Pick<LibraryStatus, 'saved' | 'state' | 'until' | 'reason' | 'progress'> {
  savedCoverage: LibraryCoverage['saved'];
  playlists: LibraryCoverage['playlists'];
  asOf: string | null;
}

/** The player as it was when relay last read it. */
export interface PagePlaying {
  at: string;
  isPlaying: boolean;
  title: string | null;
  by: string | null;
  device: string | null;
  progressMs: number | null;
  durationMs: number | null;
}

/** An entry of a list for which no track was found for sure, with the tracks that it may mean. */
export interface PageItem {
  position: number;
  /** The entry as it was written. */
  input: string;
  status: string;
  candidates: PageCandidate[];
}

export interface PageCandidate {
  uri: string;
  name: string;
  artists: string;
  album: string;
  durationMs: number | null;
  /** 0 to 1; null if nothing was compared. */
  score: number | null;
  /** The score in words: `close match`. */
  nearness: string | null;
  reasons: string[];
}

export interface PagePlaylist {
  id: string;
  name: string;
}

/** What to do with an uploaded file. */
export interface ImportAsked {
  /** Name of the only playlist to read from a file that has several; null for all. */
  list: string | null;
  /** The side of the artist in "A - B"; null to detect it. */
  artistSide: 'left' | 'right' | null;
  /** Where the songs are to go; null for a preview. */
  target: ImportTarget | null;
  skipDuplicates: boolean;
  /** Name of the uploaded file, if there is one. */
  fileName?: string | undefined;
  /** True if each playlist in the file becomes a new playlist. Not their names, which would be too long for a header. */
  each?: boolean | undefined;
}

/** How to connect one client: what `relay connect` prints. */
export interface PageSetup {
  id: string;
  file: string;
  snippet: string;
  command: string | null;
  next: string;
}

/** The beginning of a version of a playlist. */
export interface PageVersion {
  /** The first rows of the version. `name` is null if Spotify named no item. */
  items: Array<{ position: number; name: string | null; artist: string | null }>;
  total: number;
}

/**
 * The calls of the page by their path below `/owner/`: what each call is given, and its answer. An answer of `undefined` is sent
 * as `{}`.
 */
export interface OwnerCalls {
  'account/connect': { given: { switchAccount: boolean }; answer: { next: string } };
  /** `erase`: also forgets everything else about the account. */
  'account/disconnect': { given: { erase?: boolean | undefined }; answer: undefined };
  'app/set': { given: { clientId: string }; answer: undefined };
  'browsers/forget': { given: { id: string }; answer: undefined };
  'changes/undo': { given: UndoRequest; answer: UndoAnswer };
  'clients/revoke': { given: { clientId: string }; answer: undefined };
  'clients/setup': { given: { client: string }; answer: PageSetup };
  'jobs/cancel': { given: { id: string }; answer: undefined };
  'jobs/commit': { given: { id: string; skipUnresolved: boolean }; answer: undefined };
  /** Returns a job, whether it is over or not, and its entries that wait for a decision. */
  'jobs/items': { given: { id: string; offset: number }; answer: { job: PageJob; items: PageItem[] } };
  /** Lists what accepting all near matches would settle, the weakest first. Settles nothing. */
  'jobs/near': {
    given: { id: string; score: number | null };
    answer: { score: number; question: string; items: PageItem[] };
  };
  'jobs/resume': { given: { id: string; review: 'continue' | 'keep' | 'undo' | null }; answer: undefined };
  'jobs/search': { given: { text: string }; answer: { candidates: PageCandidate[] } };
  /** Entries that were decided before, perhaps elsewhere, stay as they are. `late` counts their fixes. */
  'jobs/settle': {
    given: { id: string; fixes: Fix[]; acceptNear: number | null };
    answer: { late: number };
  };
  'events/list': { given: { limit: number }; answer: PageEvents };
  /** Removes jobs that are over from the list. What these jobs wrote can still be undone. */
  'events/clear': { given: object; answer: { cleared: number } };
  /** Changes what a client may do, from its next request on. */
  'clients/access': { given: { clientId: string; level: Level }; answer: undefined };
  /** Sets whether covers are shown. Stored as a setting. */
  'covers/choose': { given: { show: boolean }; answer: undefined };
  'keeps/act': { given: { id: string; action: KeepAction }; answer: undefined };
  'library/sync': { given: object; answer: undefined };
  'library/forget': { given: object; answer: undefined };
  /** Returns how far the import of a listening history is; waits at most half a second for its end. */
  'plays/progress': { given: { id: number }; answer: PlaysProgress };
  'player/look': { given: object; answer: undefined };
  /** Asks Spotify for names of playlists; the next state has them. */
  'playlists/names': { given: { ids: string[] }; answer: undefined };
  'playlists/list': { given: object; answer: { playlists: PagePlaylist[] } };
  'remembered/forget': { given: { id: string }; answer: undefined };
  /** Lists the playlists that have versions. */
  'versions/playlists': { given: object; answer: { playlists: PagePlaylist[] } };
  'versions/list': { given: { id: string }; answer: PlaylistVersions };
  'versions/show': { given: { id: string; version: number }; answer: PageVersion };
  'versions/restore': { given: RestoreRequest; answer: OwnerRestoreAnswer };
  'sign-out': { given: object; answer: undefined };
}

export type OwnerCall = keyof OwnerCalls;
