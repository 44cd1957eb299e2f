/** What the owner's calls (`server/calls.ts`) take and return, and where the server listens for them. */

import type { Level } from './access.ts';
import type { ChangeSummary, UndoResult } from './change.ts';
import type { ErrorCode } from './errors.ts';
import type { KeepInterval, KeepPreview, KeepRecord } from './keep.ts';
import type { KeepRule } from './keepRules.ts';
import type { ListReading } from './listImport.ts';
import type { Remedy } from './remedy.ts';
import type { RestoreAnswer, VersionRow } from './versions.ts';

/** One line of `relay status`. */
export interface StatusEntry {
  part:
    | 'server'
    | 'account'
    | 'key'
    | 'database'
    | 'memory'
    | 'plays'
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
    access: Level;
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
  /** Instead of an ID: the last change of who is called so, or whose name begins so. */
  by?: string | undefined;
  /** True to take back the other playlists of the same import, too; by default if no change is named. */
  together?: boolean | undefined;
  /** True to undo the change even if someone has changed the playlist since. */
  force: boolean;
  /** True to say only what the undo would do. */
  dryRun: boolean;
}

/** What an undo did or would do: the answer of the tool `undo_change`, and more. */
export interface UndoAnswer extends UndoResult {
  /** The change that would be undone; only in a dry run. */
  change?: ChangeEntry;
}

/** A list to read. */
export interface ListContent extends ListReading {
  /** The bytes of the file, in Base64. */
  content: string;
  /** True for Liked Songs, where episodes are reported as not being songs. */
  tracksOnly: boolean;
}

export interface LogoutAnswer {
  wasConnected: boolean;
  name: string | null;
  /** True if there was a copy of the library. */
  libraryDeleted: boolean;
  /** Paths of files that a restore or a repair kept, if there are any. They hold the earlier state, and are not erased. */
  keptFiles?: string[];
}

/** A playlist that is to be kept. */
export type KeepRequest = {
  /** ID of the playlist; null to create one called `name`. */
  playlistId: string | null;
  name: string | null;
  every: KeepInterval;
  /** True to say only what the run would do. */
  dryRun: boolean;
} & ({ sql: string } | { rule: KeepRule });

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

/** Builds an object of calls; `make` carries out the call of each name. */
export function callsOf<Api extends object>(make: (name: string, given: object) => Promise<unknown>): Api {
  return new Proxy({} as Api, {
    // With a member `then`, the object would count as a promise.
    get: (_, name) => (name === 'then' ? undefined : (given: object = {}) => make(String(name), given)),
  });
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
