/**
 * Everything that the cards of the owner's page show. An open page asks every few seconds, so collecting it sends no requests to
 * Spotify: all values come from what the program knows.
 */
import { CLIENTS } from '../../connect/clientTable.ts';
import { asRelayError } from '../../domain/errors.ts';
import { type ItemRecord, isPastSettling } from '../../domain/job.ts';
import type { KeepRecord } from '../../domain/keep.ts';
import type { LibraryStatus } from '../../domain/library.ts';
import type { BrowserSummary, ClientSummary, RememberedMatch, StatusReport } from '../../domain/localApi.ts';
import type { PlaysProgress } from '../../domain/plays.ts';
import { type CommandStyle, commandStyleOf, programFor, remedyText } from '../../domain/remedy.ts';
import { NEAR_SCORE } from '../../domain/settling.ts';
import { foldLetters } from '../../music/names.ts';
import { countAliases } from '../../store/tables/aliases.ts';
import { type ApiError, listOpenApiErrors } from '../../store/tables/apiErrors.ts';
import { requestHours } from '../../store/tables/rateLimits.ts';
import { browserSummaries, listClients } from '../access/approved.ts';
import type { ServerSide } from '../calls.ts';
import type { Core } from '../core.ts';
import { rememberedMatches } from '../remembered.ts';
import { concernsServer, statusReport } from '../status/status.ts';
import { showsCovers } from './covers.ts';
import {
  type PageEvent,
  type PageJob,
  type PagePlace,
  pageEvents,
  pageJob,
  placeOf,
  unnamedPlaylists,
} from './events.ts';
import type { LastPlaying } from './lastPlaying.ts';
import type { Settling, Tab } from './tab.ts';

/** Maximum number of jobs that are not over; the page counts the others. */
const JOBS_READ = 200;
/** Number of rows of each long list to show at first, and to add with each press of its button. */
const SHOWN = {
  needs: 4,
  playlists: 8,
  songs: 100,
  events: 8,
  moving: 3,
  clients: 10,
  remembered: 20,
} as const;
const MORE = {
  needs: 50,
  playlists: 50,
  songs: 400,
  events: 50,
  moving: 50,
  clients: 50,
  remembered: 200,
} as const;
/** Maximum number of events to show. */
export const MAX_EVENTS = 500;
/** Maximum number of entries that one question about near matches covers. */
const MAX_NEAR = 500;
const ERRORS_SHOWN = 5;

type LongList = keyof typeof SHOWN;

/** A playlist of the account that the page lists. */
export interface PagePlaylist {
  id: string;
  name: string;
  total: number | null;
  /** When a song was last added, or relay last wrote to it, ISO 8601; null if that is not known. */
  changedAt: string | null;
  /** True if it is a kept playlist. */
  isKept: boolean;
}

/** The entry on display while unclear ones are chosen. */
export interface PageSettling {
  job: PageJob;
  /** null once no entry is open. */
  item: ItemRecord | null;
  /** Number of entries that are open. */
  left: number;
  /** Number of entries that were decided here. */
  done: number;
  hasPast: boolean;
  found: Settling['found'];
  /** The entries that accepting all near matches would settle, the weakest first; null if that was not asked. */
  near: ItemRecord[] | null;
}

export type View = 'home' | 'diagnostics';

export interface PageState {
  tab: Tab;
  view: View;
  now: number;
  demo: boolean;
  /** How commands begin here: `relay` or `relay --demo`. */
  program: string;
  style: CommandStyle;
  mcpUrl: string;
  report: StatusReport;
  loginProblem: { message: string; remedy: string | null } | null;
  /** The Spotify app. `isFixed`: the client ID cannot change before the server restarts. */
  app: { isSet: boolean; isFixed: boolean; redirectUri: string };
  setups: ReadonlyArray<{ id: string; name: string }>;
  /** The clients that the owner has approved. */
  clients: ClientSummary[];
  /** True if a program has used the MCP endpoint since the server started. */
  mcpUsed: boolean;
  waitingClients: Array<{ clientId: string; name: string; address: string; at: number }>;
  browsers: Array<BrowserSummary & { isThis: boolean }>;
  remembered: RememberedMatch[];
  rememberedTotal: number;
  /** Jobs that are not over, newest first. */
  jobs: PageJob[];
  jobsTotal: number;
  /** Jobs of the list that is being imported, whether they are over or not. */
  importJobs: PageJob[];
  events: { items: PageEvent[]; more: boolean };
  /** The account's own playlists, those that changed last first. */
  playlists: PagePlaylist[];
  /** Those of them that the person looks for. */
  found: PagePlaylist[];
  placeOf(playlistId: string): PagePlace;
  covers: boolean;
  /** Requests of the last 24 hours by scope, a number for each hour. */
  requests: Record<string, number[]>;
  errors: ApiError[];
  playing: LastPlaying | null;
  library: LibraryStatus;
  kept: KeepRecord[];
  settling: PageSettling | null;
  history: { name: string; progress: PlaysProgress | null; problem: string | null } | null;
  /** IDs of playlists that the page mentions although it does not know their names. */
  unnamed: string[];
  /** How many rows of a long list are shown. */
  shown(list: LongList): number;
}

/** @param browser ID of the browser that asks */
export async function pageState(
  core: Core,
  server: ServerSide,
  browser: string,
  { tab, view }: Pick<PageState, 'tab' | 'view'>,
): Promise<PageState> {
  const { services } = server;
  const { works, library } = services;
  const report = statusReport(core, server.facts, null);
  const shown = (list: LongList) => SHOWN[list] + (tab.more[list] ?? 0) * MORE[list];
  const jobs = works.open(JOBS_READ).map((job) => pageJob(core, services, job));
  const events = await pageEvents(core, services, Math.min(MAX_EVENTS, shown('events')));
  const kept = await services.keeps.list(false);
  const listed = await playlistsOf(server, kept, events.items);
  const words = foldLetters(tab.find).split(' ').filter(Boolean);
  return {
    ...{ tab, view, report, jobs, events, kept, shown },
    now: core.clock.now(),
    demo: report.demo,
    program: programFor(core.settings),
    style: commandStyleOf(core.settings),
    mcpUrl: server.facts.mcpUrl,
    loginProblem: await loginProblem(core, server),
    app: {
      isSet: core.clientId() !== null,
      isFixed: core.settings.providerClientId !== null,
      redirectUri: server.redirectUri,
    },
    setups: [...CLIENTS.map(({ id, name }) => ({ id, name })), { id: 'other', name: 'Another client' }],
    clients: listClients(core).filter(({ approvals }) => approvals.length > 0),
    mcpUsed: server.credentials.wereUsed(),
    waitingClients: server.waitingClients
      .list()
      // A client that was forgotten meanwhile cannot be approved.
      .filter(({ clientId }) => core.oauth.clients.find(clientId)),
    browsers: browserSummaries(core).map((one) => ({ ...one, isThis: one.id === browser })),
    remembered: rememberedMatches(core, shown('remembered')),
    rememberedTotal: countAliases(core.store),
    jobsTotal: openJobs(report.jobs.byStatus),
    importJobs: (tab.imported?.jobs ?? []).flatMap((id) => {
      try {
        return [pageJob(core, services, works.get(id))];
      } catch {
        return [];
      }
    }),
    playlists: listed,
    placeOf: (id) => placeOf(core, services, id, false),
    found: listed.filter(({ name }) => {
      const folded = foldLetters(name);
      return words.every((word) => folded.includes(word));
    }),
    covers: showsCovers(core.settings),
    requests: requestHours(core.store, core.clock.now()),
    errors: listOpenApiErrors(core.store).filter(concernsServer).slice(0, ERRORS_SHOWN),
    playing: server.lastPlaying(),
    library: await library.status(),
    settling: settlingOf(core, server, tab),
    history: historyOf(core, tab),
    unnamed: report.account.connected ? unnamedPlaylists(jobs, events.items) : [],
  };
}

/** Lists the account's own playlists. Sorting names and counting songs is cheap; covers are read only for those on display. */
async function playlistsOf(
  { services }: ServerSide,
  kept: readonly KeepRecord[],
  events: readonly PageEvent[],
): Promise<PagePlaylist[]> {
  const all = await services.library.listedPlaylists();
  const keptIds = new Set(kept.map(({ playlist_id }) => playlist_id));
  return all
    .filter(({ mine }) => mine)
    .map(({ id, name, total, addedAt }) => {
      // The copy may not have been read since relay's last write.
      const written = events.find(({ change }) => change?.playlist_id === id)?.at ?? '';
      const changedAt = [addedAt ?? '', written].sort().at(-1) || null;
      return { id, name, total, changedAt, isKept: keptIds.has(id) };
    })
    .sort((one, other) => (other.changedAt ?? '').localeCompare(one.changedAt ?? ''));
}

/** Counts the jobs that are not over, failed ones included. */
function openJobs(byStatus: Readonly<Record<string, number>>): number {
  const { completed = 0, cancelled = 0, ...open } = byStatus;
  return Object.values(open).reduce((sum, count) => sum + count, 0);
}

function settlingOf(core: Core, { services }: ServerSide, { settling }: Tab): PageSettling | null {
  if (settling === null) return null;
  const { works } = services;
  const { job: id, at, again, past, done, found, near } = settling;
  try {
    const job = pageJob(core, services, works.get(id));
    const open = (from: number) => works.items(id, from, 1, 'unresolved').items[0] ?? null;
    // After the last entry, those that were left for later come again.
    const item = isPastSettling(job) ? null : (again ?? open(at) ?? open(0));
    return {
      job,
      item,
      left: job.unresolved,
      done,
      hasPast: past.length > 0,
      found: found !== null && found.position === item?.position ? found : null,
      near: near ? nearItems(services, id) : null,
    };
  } catch {
    // The job was cleared meanwhile.
    return null;
  }
}

/** The entries that accepting all near matches would settle, the weakest first. */
export function nearItems({ works }: ServerSide['services'], id: string): ItemRecord[] {
  return works
    .items(id, 0, MAX_NEAR, 'unresolved')
    .items.filter((item) => scoreOf(item) >= NEAR_SCORE)
    .sort((one, other) => scoreOf(one) - scoreOf(other));
}

/** Score of an item's first candidate; -1 if there is no candidate. */
function scoreOf({ candidates }: ItemRecord): number {
  return candidates?.[0]?.score ?? -1;
}

function historyOf({ library }: Core, { history }: Tab): PageState['history'] {
  if (history === null) return null;
  try {
    return { name: history.name, progress: library.plays.progress(history.id), problem: null };
  } catch (error) {
    const { message, remedy } = asRelayError(error);
    return { name: history.name, progress: null, problem: [message, remedy].filter(Boolean).join(' ') };
  }
}

/**
 * Says why the last login that began on this page failed; null if it did not. The login's own pages never say why, but the owner
 * may know.
 */
async function loginProblem(core: Core, { pageLogin }: ServerSide): Promise<PageState['loginProblem']> {
  if (pageLogin.attemptId === null) return null;
  const progress = await core.login.progress(pageLogin.attemptId, 0).catch(() => null);
  if (progress?.state !== 'failed') return null;
  const { message, remedy } = progress;
  return { message, remedy: remedy && remedyText(remedy, commandStyleOf(core.settings)) };
}
