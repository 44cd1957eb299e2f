/**
 * What the command line asks of the program that owns the state: at its door (`door/`) while a server runs, in the same process
 * otherwise. Calls take and return plain JSON values, and fail with a `RelayError`.
 */

import type { ChangeSummary, UndoResult } from './change.ts';
import type { ErrorCode } from './errors.ts';
import type { JobRecord } from './job.ts';
import type { KeepAction, KeepInterval, KeepPreview, KeepRecord } from './keep.ts';
import type { LibraryAnswer, LibraryCsv, LibraryPart, LibraryStatus } from './library.ts';
import type { ListRow, PlaylistFacts } from './listExport.ts';
import type { ImportChoices, ImportPreview, ImportTarget, ListReading } from './listImport.ts';
import type { PlaysProgress, PlaysRequest } from './plays.ts';
import type { Remedy } from './remedy.ts';
import type { PlaylistVersions, RestoreAnswer, VersionRow } from './versions.ts';

/** One line of `relay status`. */
export interface StatusEntry {
  part:
    | 'server'
    | 'account'
    | 'key'
    | 'database'
    | 'memory'
    | 'mcp'
    | 'rate_limits'
    | 'jobs'
    | 'kept'
    | 'errors';
  state: 'ok' | 'warning' | 'bad' | 'off';
  /** One line for a person. */
  summary: string;
  /** What to do, often a command line; null if there is nothing to do. */
  remedy: Remedy | null;
}

export interface StatusReport {
  version: string;
  demo: boolean;
  home: string;
  entries: StatusEntry[];
  /** The running server; null if none runs. */
  server: { pid: number; version: string; baseUrl: string; mcpUrl: string; startedAt: string } | null;
  account: {
    connected: boolean;
    reauthorizationRequired: boolean;
    name: string | null;
    id: string | null;
    scopes: string[];
    missingScopes: string[];
    accessTokenExpiresAt: string | null;
    /** When the provider ends the login, six months after consent; null if no account is connected. */
    loginExpiresAt: string | null;
    daysLeft: number | null;
  };
  key: { source: 'keychain' | 'file' | 'environment'; warning: string | null };
  database: {
    path: string;
    status: 'ok' | 'degraded';
    schemaVersion: number;
    expectedVersion: number;
    schemaState: 'current' | 'ahead';
    sizeBytes: number;
    lastSavedAt: string | null;
  };
  mcp: {
    authMode: 'bearer' | 'oauth';
    apiKeySet: boolean;
    /** Number of OAuth clients that hold a valid token. */
    clients: number;
    /** True if clients may register themselves. */
    registrationOpen: boolean;
    /** Number of browsers that approve without the owner code. */
    browsers: number;
  };
  rateLimits: {
    blocked: Array<{ scope: string; blockedUntil: string; reason: string | null }>;
    requests24h: number;
  };
  /** Which secrets the state holds, encrypted. */
  secrets: { mcpApiKey: boolean; providerClientSecret: boolean };
  jobs: {
    /** Number of jobs in each state; states without jobs are left out. */
    byStatus: Record<string, number>;
    /** Number of ready jobs that a commit would not refuse. */
    committable: number;
    /** Number of jobs that stopped because someone else had changed the playlist. */
    reviewRequired: number;
    /** When the next job that waits for a time continues, ISO 8601; null if none waits for a time. */
    nextRunAfter: string | null;
  };
  /** Kept playlists: how many, and how many are in each status that stops them. */
  kept: { total: number; review: number; waiting: number; paused: number };
  recentErrors: Array<{ at: string; code: string; message: string; occurrences: number }>;
  /** The owner code, shown on a terminal only; null without a running server, or if the server has none. */
  ownerCode: string | null;
  /** Why the state or its secrets cannot be opened; null if they can. Their content then counts as not known. */
  problem: { code: ErrorCode; message: string; remedy: Remedy | null } | null;
}

export interface LoginStart {
  attemptId: string;
  /**
   * A page of this server that leads on to the provider, for a browser on this machine. The address holds no credential. Only a
   * running server has the page.
   */
  browserUrl: string;
  /**
   * The provider's own page, for a browser anywhere. The login ends on an address that a browser on another machine cannot
   * open; a person pastes that address back.
   */
  providerUrl: string;
  redirectUri: string;
}

/** A ticket that signs one browser in as the owner, once, within a minute. */
interface OwnerTicket {
  /** Contains the ticket, so it must never be printed, logged or passed on a command line. */
  url: string;
  /** Identifies the ticket, but cannot be used to sign in. */
  id: string;
}

export interface AccountSummary {
  id: string;
  name: string | null;
  /** ISO time at which the provider ends the login. */
  loginExpiresAt: string;
  scopes: string[];
  missingScopes: string[];
}

export type LoginProgress =
  | { state: 'pending' }
  | { state: 'connected'; account: AccountSummary }
  | { state: 'failed'; code: string; message: string; remedy: Remedy | null };

/** An OAuth client and what it may do now. Times are ISO 8601. */
export interface ClientSummary {
  clientId: string;
  /** The name that the client gave itself, or that the owner gave it. */
  name: string | null;
  source: 'environment' | 'file' | 'added' | 'registered';
  /** True if the client has no secret. */
  public: boolean;
  redirectUris: string[];
  /** When the client registered or was added; null for a client of the settings. */
  createdAt: string | null;
  /** When one of the client's tokens was last issued or used, ISO 8601; null if never. */
  lastUsedAt: string | null;
  /** Approvals of the owner that are still valid. */
  approvals: Array<{
    approvedAt: string;
    /** True if only tools that change nothing are offered. */
    readOnly: boolean;
    /** Number of valid tokens of each kind. */
    accessTokens: number;
    refreshTokens: number;
    /** When the last of these tokens expires. */
    expiresAt: string;
  }>;
}

/** A browser that approves without the owner code. Times are ISO 8601. */
export interface BrowserSummary {
  id: string;
  /** Name of the browser, such as `Firefox on Linux`. */
  label: string;
  /** The address at which the browser signed in. At another address, the same browser counts as a second browser. */
  origin: string;
  createdAt: string;
  lastUsedAt: string;
  /** 30 days after the last use. */
  expiresAt: string;
}

export interface NewClient {
  name: string;
  redirectUris: string[];
  /** null for a public client, which proves itself by PKCE alone. */
  secret: string | null;
}

/** The state file after everything has been saved to it. */
export interface SavedState {
  /** Absolute path. */
  path: string;
  /** ISO 8601. */
  savedAt: string | null;
  schemaVersion: number;
  sizeBytes: number;
  keySource: StatusReport['key']['source'];
}

/** A change that relay made, in the form of the tool `list_changes`, and in words. */
export interface ChangeEntry extends ChangeSummary {
  /** What the change did, in words: `added 12 songs to "Evening"`. */
  what: string;
  /** Who asked for the change, in words. */
  who: string;
  /** True if the change `undone_by` is still being written or waits; otherwise missing. */
  being_undone?: true;
}

export interface UndoRequest {
  /** The change's ID, or the first characters of the ID; null for the last change that is not undone. */
  change: string | null;
  /** True to undo the change even if someone has changed the playlist since. */
  force: boolean;
  /** True to say only what the undo would do. */
  dryRun: boolean;
}

/** What an undo did or would do: the answer of the tool `undo_change`, and more. */
export interface UndoAnswer extends UndoResult {
  /** The change that would be undone; only in a dry run. */
  change?: ChangeEntry;
  /** ID of the job that continues the undo, and why; only if the undo is not over yet. */
  job_id?: string;
  reason?: string;
}

/** A list to read. */
export interface ListContent extends ListReading {
  /** The bytes of the file, in Base64. */
  content: string;
  /** True for Liked Songs, where episodes are reported as not being songs. */
  tracksOnly: boolean;
}

/** Where the songs of a list go. */
interface StartedImport {
  target: ImportTarget;
  /** Names of playlists in the file, each of which becomes a new playlist. */
  each?: readonly string[] | undefined;
}

export interface LogoutAnswer {
  wasConnected: boolean;
  name: string | null;
  /** True if there was a copy of the library. */
  libraryDeleted: boolean;
  /** Paths of files that a restore or a repair kept, if there are any. They hold the earlier state, and are not erased. */
  keptFiles?: string[];
}

/** A title and an artist, and the track that they mean. */
export interface RememberedMatch {
  /** Eight hexadecimal digits. */
  id: string;
  /** Like `artist`, '' if only a recording code was given. */
  title: string;
  artist: string;
  album: string | null;
  /** The recording code, if the match is for one. */
  isrc: string | null;
  track: { uri: string; name: string; artists: string };
  source: 'learned' | 'person';
  /** Who settled it, in words: `you, in the terminal`, `the client "Desk"`, `relay, automatically`. */
  by: string;
  /** True if the match was confirmed although title, artist or album differ from the track. */
  confirmed: boolean;
  /** ISO 8601. */
  at: string;
}

/** A playlist that is to be kept. */
export interface KeepRequest {
  /** ID of the playlist; null to create one called `name`. */
  playlistId: string | null;
  name: string | null;
  sql: string;
  every: KeepInterval;
  /** True to say only what the run would do. */
  dryRun: boolean;
}

/** A kept playlist after an action, with what its run did or would do. */
export interface KeepAnswer {
  keep: KeepRecord;
  preview?: KeepPreview;
  /** ID of the change that the run has made. After `stop`: ID of the change that is still being written, if there is one. */
  change_id?: string;
  /** What the person should know. Set after `stop`, and if the run continues after this answer. */
  note?: string;
  /** Set after a run or a dry run whose query reads plays: says when the plays end, or that there are none. */
  warning?: string;
}

/** A request to bring back a version of a playlist. */
export interface RestoreRequest {
  /** ID of the playlist. */
  id: string;
  version: number;
  /** True to say only what the restore would do. */
  dryRun: boolean;
  /** Name of a new playlist to create from the version; null to restore the playlist itself. */
  name: string | null;
  /** True to leave out rows that cannot be written. */
  skipUnsupported: boolean;
  /** The `plan` of the dry run that a person has agreed to. A restore that would do anything else is refused. */
  agreed?: string | undefined;
}

/** The answer to the owner. `plan` is a digest of the rows that are there and of those that a restore leaves. */
export type OwnerRestoreAnswer = RestoreAnswer & { plan: string };

/** The rows of one version. */
export interface VersionContent {
  items: Array<VersionRow & { position: number }>;
}

/** Each call takes one JSON object, or nothing. */
export interface LocalApi {
  status(): Promise<StatusReport>;
  startLogin(options: { switchAccount: boolean }): Promise<LoginStart>;
  /** Waits up to `waitSeconds` (at most 25) for the attempt to end. */
  loginProgress(asked: { attemptId: string; waitSeconds: number }): Promise<LoginProgress>;
  /** Finishes an attempt with the address that a browser elsewhere ended on. */
  pasteLogin(given: { attemptId: string; address: string }): Promise<LoginProgress>;
  /** @param options.attemptId the login that the browser is sent on to; null for the owner's page */
  ownerTicket(options: { attemptId: string | null }): Promise<OwnerTicket>;
  /** Tells whether a ticket can still be used: `waits` is false once it is used or has expired. */
  ownerTicketWaits(ticket: { id: string }): Promise<{ waits: boolean }>;
  /**
   * Forgets the account, the copy of the library, and the browsers that approve without the owner code.
   * @param options.erase also forgets matches, jobs, changes, kept playlists, versions and plays
   */
  logout(options?: { erase: boolean }): Promise<LogoutAnswer>;
  /** The API key. `accepted` is false if the server takes OAuth tokens alone. */
  showKey(): Promise<{ key: string; fromEnvironment: boolean; accepted: boolean }>;
  /** Makes a new API key, and forgets the browsers as `logout` does. */
  rotateKey(): Promise<{ key: string }>;
  /** Stores the Spotify app's client secret, encrypted. With null, forgets the secret. */
  setClientSecret(given: { value: string | null }): Promise<void>;
  /** Writes everything to disk; `STORE_ERROR` if that fails. */
  saveState(): Promise<SavedState>;
  /** The OAuth clients. `registrationOff` is there if the settings let no client register itself. */
  listClients(): Promise<{ clients: ClientSummary[]; registrationOff?: true }>;
  addClient(client: NewClient): Promise<ClientSummary>;
  /**
   * Ends a client's access at once.
   * @param asked.client its ID, or its name. Of several clients with that name, those that hold a valid token count; if there are
   *   none, those that the owner once approved
   * @param asked.forget true to drop its registration as well
   * @returns `forgotten` is false if the client is still known, and may ask for a new approval
   * @throws RelayError `NOT_FOUND`; `USAGE` if several such clients have the name
   */
  revokeClient(asked: {
    client: string;
    forget: boolean;
  }): Promise<{ client: ClientSummary; approvals: number; forgotten: boolean }>;
  listBrowsers(): Promise<{ browsers: BrowserSummary[] }>;
  /**
   * Forgets a browser, so that the next approval in that browser asks for the owner code.
   * @param browser.id null for all browsers
   */
  forgetBrowsers(browser: { id: string | null }): Promise<{ forgotten: BrowserSummary[] }>;
  /** Lists matches that somebody settled, then learned ones, each newest first. @param page.limit 1 to 20,000 */
  listRemembered(page: { limit: number }): Promise<{ remembered: RememberedMatch[]; total: number }>;
  /**
   * Forgets a match: the next search for the song goes to Spotify again.
   * @param match.id null for all matches
   */
  forgetRemembered(match: {
    id: string | null;
  }): Promise<{ forgotten: number; match: RememberedMatch | null }>;
  /** Lists what relay has changed, newest first. @param page.limit 1 to 200 */
  listChanges(page: { limit: number }): Promise<{ items: ChangeEntry[]; total: number }>;
  /** Undoes a change. An undo that takes longer than 45 s continues as a job. */
  undoChange(request: UndoRequest): Promise<UndoAnswer>;
  /** Reads a list and says what its import would take; searches and writes nothing. */
  previewImport(list: ListContent): Promise<ImportPreview>;
  /** Creates the jobs for a list, in the order in which they are to be committed. */
  startImport(
    request: ListContent & ImportChoices & StartedImport,
  ): Promise<{ preview: ImportPreview; jobs: JobRecord[] }>;
  getJob(job: { id: string }): Promise<JobRecord>;
  /** Returns names of playlists, by ID. Leaves out playlists whose names cannot be read. */
  playlistNames(playlists: { ids: readonly string[] }): Promise<{ names: Record<string, string> }>;
  /** Begins to write what a ready job has found. @param job.skipUnresolved true to leave out what it did not find */
  commitJob(job: { id: string; skipUnresolved?: boolean }): Promise<JobRecord>;
  /** Lists all playlists of the account's library. */
  listPlaylists(): Promise<{ playlists: PlaylistFacts[] }>;
  /** @param asked.playlist ID, URI or link */
  getPlaylist(asked: { playlist: string }): Promise<PlaylistFacts>;
  /** Reads every row of a playlist, in order. @param asked.playlist ID, URI or link */
  playlistRows(asked: { playlist: string }): Promise<{ playlist: PlaylistFacts; rows: ListRow[] }>;
  /**
   * Up to 400 saved songs from a position on, newest first. `next` is the next position; null at the end.
   * @param page.total the total in the answer before
   * @throws RelayError `CONFLICT` if the total has changed, so that rows may be missing or there twice
   */
  savedRows(page: {
    offset: number;
    total?: number;
  }): Promise<{ rows: ListRow[]; total: number; next: number | null }>;
  libraryStatus(): Promise<LibraryStatus>;
  /** Begins to read the library, or to bring the copy up to date; returns at once. */
  syncLibrary(): Promise<LibraryStatus>;
  /** @param question.limit the most rows to return; null for all */
  askLibrary(question: { sql: string; limit: number | null; maxAgeMinutes: number }): Promise<LibraryAnswer>;
  /** Does the same as `askLibrary`, and returns the rows as CSV. */
  askLibraryCsv(question: { sql: string; limit: number | null; maxAgeMinutes: number }): Promise<LibraryCsv>;
  forgetLibrary(asked: { part: LibraryPart }): Promise<LibraryStatus>;
  listKeeps(): Promise<{ items: KeepRecord[] }>;
  /** Adds a kept playlist, and runs it once. With `dryRun`, only says what that run would do. */
  addKeep(request: KeepRequest): Promise<KeepAnswer>;
  /** Runs, pauses, resumes or stops a kept playlist, or accepts its preview. @param asked.id an ID, or its first characters */
  actOnKeep(asked: { id: string; action: KeepAction }): Promise<KeepAnswer>;
  /**
   * @param asked.playlist ID, URI or link, or the playlist's present or last known name
   * @param asked.toRestore true if one of the versions is to be written. A name then counts only if Spotify can say which
   *   playlist has it now: a stored name may be another playlist's by now
   * @throws RelayError `NOT_FOUND`, or with `toRestore` the errors of reading
   */
  playlistVersions(asked: { playlist: string; toRestore?: boolean | undefined }): Promise<PlaylistVersions>;
  /** Returns the rows of one version. @throws RelayError `NOT_FOUND` */
  playlistVersion(asked: { id: string; version: number }): Promise<VersionContent>;
  /**
   * Restores a version.
   * @throws RelayError `UNSUPPORTED_ITEMS` naming the rows that cannot be written; `CONFLICT` if the restore would not do what
   *   was agreed to
   */
  restorePlaylist(request: RestoreRequest): Promise<OwnerRestoreAnswer>;
  /** Begins to import a listening history; returns at once. */
  importPlays(request: PlaysRequest): Promise<{ id: number }>;
  /** Returns how far the import is; waits at most half a second for its end. @throws the import's error if it failed */
  playsProgress(asked: { id: number }): Promise<PlaysProgress>;
  /** Ends the server, after the answers to what it was asked. Tells who is connected through `relay stdio`. */
  stop(): Promise<{ pid: number; clients: string[] }>;
}

/** The names of all calls. */
const CALLS = {
  status: true,
  startLogin: true,
  loginProgress: true,
  pasteLogin: true,
  ownerTicket: true,
  ownerTicketWaits: true,
  logout: true,
  showKey: true,
  rotateKey: true,
  setClientSecret: true,
  saveState: true,
  listClients: true,
  addClient: true,
  revokeClient: true,
  listBrowsers: true,
  forgetBrowsers: true,
  listRemembered: true,
  forgetRemembered: true,
  listChanges: true,
  undoChange: true,
  previewImport: true,
  startImport: true,
  getJob: true,
  commitJob: true,
  listPlaylists: true,
  playlistNames: true,
  getPlaylist: true,
  playlistRows: true,
  savedRows: true,
  libraryStatus: true,
  syncLibrary: true,
  askLibrary: true,
  askLibraryCsv: true,
  forgetLibrary: true,
  listKeeps: true,
  addKeep: true,
  actOnKeep: true,
  playlistVersions: true,
  playlistVersion: true,
  restorePlaylist: true,
  importPlays: true,
  playsProgress: true,
  stop: true,
} as const satisfies Record<keyof LocalApi, true>;

export type LocalCall = keyof LocalApi;
export const LOCAL_CALLS = Object.keys(CALLS) as LocalCall[];

/** Builds a `LocalApi`; `make` creates the function for each call. */
export function localApiOf(make: (name: LocalCall) => (given: object) => Promise<unknown>): LocalApi {
  const calls = LOCAL_CALLS.map((name) => {
    const call = make(name);
    return [name, (given: object = {}) => call(given)];
  });
  return Object.fromEntries(calls) as LocalApi;
}

/** What `<home>/server.json` holds while a server runs. */
export interface ServerFile extends DoorAddress {
  pid: number;
  startedAt: string;
  version: string;
  baseUrl: string;
}

/** One client of `relay stdio`, as the server knows it. */
export interface DoorSession {
  /** The name that the client gave; null before it has given one. */
  readonly client: string | null;
  /** True while a request is not yet answered. */
  readonly isBusy: boolean;
}

/** Where the server listens for the owner's programs (`door/`). */
export interface DoorAddress {
  /** Path of the socket, or name of the pipe. */
  socket: string;
  /**
   * With it the server proves itself. Only Windows needs that: another user may take the name of a pipe whose server has crashed.
   * New at each start.
   */
  secret?: string;
}

/** The header of a stream of MCP messages that says who opens it: `COMMAND_LINE` for `relay call`, which may call every tool. */
export const ASKER_HEADER = 'relay-asker';
export const COMMAND_LINE = 'command-line';
