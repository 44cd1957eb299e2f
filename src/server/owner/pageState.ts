/**
 * Everything that the cards of the owner's page show. An open page asks every few seconds, so collecting it sends no requests to
 * Spotify: all values come from what the program knows.
 */
import { type Clock, isoOf } from '../../base/clock.ts';
import { SPOTIFY_API } from '../../config/table.ts';
import { CLIENTS } from '../../connect/clientTable.ts';
import { type ChangeSummary, kindFacts } from '../../domain/change.ts';
import { askerWords, changeWords } from '../../domain/changeWords.ts';
import { asRelayError } from '../../domain/errors.ts';
import {
  type ItemRecord,
  isPastSettling,
  isWorking,
  type JobRecord,
  unresolvedOf,
} from '../../domain/job.ts';
import { commandStyleOf, programFor, remedyText } from '../../domain/remedy.ts';
import { inputWords, NEAR_SCORE } from '../../domain/settling.ts';
import { foldLetters } from '../../music/names.ts';
import { isrcOf } from '../../music/trackQuery.ts';
import type { ProviderApi } from '../../provider/api.ts';
import { knownSong } from '../../provider/knownNames.ts';
import { type PlayerState, watchPlayer } from '../../provider/resources/player.ts';
import type { Store } from '../../store/store.ts';
import { getAccount } from '../../store/tables/account.ts';
import { countAliases, listAliases } from '../../store/tables/aliases.ts';
import { listOpenApiErrors } from '../../store/tables/apiErrors.ts';
import { getPlaylistName } from '../../store/tables/playlistNames.ts';
import { requestTotals } from '../../store/tables/rateLimits.ts';
import { getBody, getWork, hasBody, listChanges, undoOf, type Work } from '../../store/tables/works.ts';
import { askerOf } from '../../tools/asker.ts';
import { knownPlaylistName } from '../../tools/playlists/playlistNames.ts';
import { changeSummary } from '../../work/write/history.ts';
import { browserSummaries, listClients } from '../access/approved.ts';
import type { ServerParts } from '../calls.ts';
import type { Core } from '../core.ts';
import { concernsServer, statusReport } from '../status/status.ts';
import type { Tab } from './tab.ts';

/** More jobs and changes than there ever are. */
const ALL = 1_000;
/** Number of rows of each long list to show at first, and to add with each press of its button. */
const ROWS = {
  needs: [4, 50],
  playlists: [8, 50],
  songs: [100, 400],
  events: [8, 50],
  moving: [3, 50],
  clients: [10, 50],
  remembered: [20, 200],
} as const;
/** Maximum number of entries that one question about near matches covers. */
const MAX_NEAR = 500;
const ERRORS_SHOWN = 5;
/** An event names this many songs, unless the change is so long that reading it takes a while. */
const NAMED = 3;
const MAX_READ = 100;

/** Stands in the words of a job or a change for the name of the playlist, in quotation marks. */
export const NAME = '\u0001';

export type View = 'home' | 'diagnostics';
export type PageState = Awaited<ReturnType<typeof pageState>>;
export type PageEvent = Awaited<ReturnType<typeof eventsOf>>['items'][number];
export type PageChange = NonNullable<PageEvent['change']>;
export type PageJob = ReturnType<typeof pageJob>;
/** The playlist that a job or a change wrote to, or Liked Songs. */
export type PagePlace = ReturnType<typeof placeOf>;

export async function pageState(core: Core, server: ServerParts, browser: string, tab: Tab, view: View) {
  const { settings, store, clock } = core;
  const { works, library, keeps } = server.services;
  const shown = (list: keyof typeof ROWS) => ROWS[list][0] + (tab.more[list] ?? 0) * ROWS[list][1];
  const asPageJob = (job: JobRecord) => pageJob(core, job);
  // A list that is being imported on this page stays in its card.
  const open = works.open(ALL).filter(({ job_id }) => !tab.imported?.jobs.includes(job_id));
  const [waiting, moving] = [open.filter(needsOwner), open.filter((job) => !needsOwner(job))];
  const importJobs = (tab.imported?.jobs ?? []).flatMap((id) => orNothing(() => asPageJob(works.get(id))));
  const jobs = {
    waiting: waiting.slice(0, shown('needs')).map(asPageJob),
    waitingLeft: waiting.length - shown('needs'),
    moving: moving.slice(0, shown('moving')).map(asPageJob),
    movingLeft: moving.length - shown('moving'),
  };
  const report = statusReport(core, server.facts, null);
  const events = await eventsOf(core, server, shown('events'));
  const kept = await keeps.list(false);
  const playlists = await playlistsOf(server, new Set(kept.map((keep) => keep.playlist_id)), events.items);
  const words = foldLetters(tab.find).split(' ').filter(Boolean);
  const named = [...jobs.waiting, ...jobs.moving, ...events.items.flatMap(({ job }) => job ?? [])];
  return {
    ...{ tab, view, report, jobs, importJobs, events, kept, playlists, shown },
    now: clock.now(),
    program: programFor(settings),
    style: commandStyleOf(settings),
    mcpUrl: server.facts.mcpUrl,
    loginProblem: await loginProblem(core, server),
    /** The Spotify app. `isFixed`: the client ID cannot change before the server restarts. */
    app: {
      isSet: core.clientId() !== null,
      isFixed: settings.providerClientId !== null,
      redirectUri: server.redirectUri,
    },
    setups: [...CLIENTS.map(({ id, name }) => ({ id, name })), { id: 'other', name: 'Another client' }],
    clients: listClients(core).filter(({ approvals }) => approvals.length > 0),
    mcpUsed: server.mcpUsed(),
    waitingClients: server.waitingClients
      .list()
      // A client that was forgotten meanwhile cannot be approved.
      .filter(({ clientId }) => core.oauth.clients.find(clientId)),
    browsers: browserSummaries(core).map((one) => ({ ...one, isThis: one.id === browser })),
    remembered: rememberedOf(core, shown('remembered')),
    covers: core.covers.areShown,
    placeOf: (id: string) => placeOf(core, id, false),
    found: playlists.filter(({ name }) => {
      const folded = foldLetters(name);
      return words.every((word) => folded.includes(word));
    }),
    requests: requestTotals(store, clock.now()),
    errors: listOpenApiErrors(store).filter(concernsServer).slice(0, ERRORS_SHOWN),
    playing: server.lastPlaying(),
    library: await library.status(),
    settling: settlingOf(core, server, tab),
    history: historyOf(core, tab),
    /** IDs of playlists that the page mentions although it does not know their names. */
    unnamed: [...named, ...events.items.flatMap(({ change }) => change ?? [])].flatMap(
      ({ place, playlist_id }) => (place.name === null && playlist_id !== null ? [playlist_id] : []),
    ),
    isMoving: [...moving, ...importJobs].some(({ status }) => isWorking(status)),
  };
}

/** Which tracks titles and artists mean, without a search: first what a person or a client settled. */
function rememberedOf(core: Core, limit: number) {
  const items = listAliases(core.store, limit).map((alias) => {
    const { key, title, artist, track, source, settledBy, confirmed, updatedAt } = alias;
    const artists = track.artists.map(({ name }) => name).join(', ');
    return {
      key,
      words: inputWords({ title, artist, isrc: isrcOf(key) }),
      track: `${track.name} by ${artists}`,
      by: source === 'learned' ? 'relay, automatically' : askerWords(askerOf(core, { by: settledBy ?? '' })),
      namesDiffer: confirmed === 1,
      at: isoOf(updatedAt),
    };
  });
  return { items, left: countAliases(core.store) - items.length };
}

function needsOwner({ status }: JobRecord): boolean {
  return status === 'ready' || status === 'failed';
}

function orNothing<T>(read: () => T): T[] {
  try {
    return [read()];
  } catch {
    // The job was cleared meanwhile.
    return [];
  }
}

function pageJob(core: Core, job: JobRecord) {
  const playlist_id = job.payload.playlist_id ?? job.playlist_id;
  const isSaving = job.type === 'save_tracks' || job.type === 'remove_saved_tracks';
  const place = placeOf(core, playlist_id, isSaving);
  return {
    ...{ ...job, playlist_id, place: { ...place, name: place.name ?? job.name ?? null } },
    /** Number of entries for which no song was found for sure. */
    unresolved: unresolvedOf(job),
  };
}

/** The newest `limit` things that happened: jobs that are over, each with the change that it made, and changes without a job. */
async function eventsOf(core: Core, { services }: ServerParts, limit: number) {
  const { store } = core;
  const jobs = services.works.over(limit + 1).map((job) => {
    const changeId = job.result?.change_id;
    const named = typeof changeId === 'string' ? getWork(store, changeId) : null;
    // Results of earlier versions also name changes that wrote nothing.
    const change = named?.outcome === 'unchanged' ? null : named;
    return { at: Date.parse(job.completed_at ?? job.updated_at), job, change };
  });
  // A change that belongs to a job is shown with that job, as long as the job is in the list.
  const changes = listChanges(store, 0, ALL).items.filter(({ listed }) => !listed);
  const found = [...jobs, ...changes.map((change) => ({ at: change.createdAt, job: null, change }))];
  found.sort((one, other) => other.at - one.at);
  const items = found.slice(0, limit).map(async ({ at, job, change }) => ({
    id: job?.job_id ?? change?.id ?? '',
    at: isoOf(at),
    job: job && pageJob(core, job),
    change: change && (await changeOf(core, services, change)),
  }));
  return { items: await Promise.all(items), more: found.length > limit };
}

async function changeOf(core: Core, { library, provider }: ServerParts['services'], work: Work) {
  const { store } = core;
  const summary = changeSummary(store, work);
  const { isListed, isOfLibrary } = kindFacts(work.kind);
  const isRead = isListed && work.requested <= MAX_READ && hasBody(store, work.seq);
  const uris = isRead ? getBody(store, work.seq).ops.flatMap((op) => ('uris' in op ? op.uris : [])) : [];
  const copied = await library.trackNames(uris.slice(0, NAMED));
  const first = uris.slice(0, NAMED).flatMap((uri) => {
    const one = copied.get(uri);
    return (one ? `${one.name} – ${one.artist}` : knownSong(provider, uri)) ?? [];
  });
  return {
    ...summary,
    place: placeOf(core, work.playlistId, isOfLibrary === true),
    /** What the change did, with `NAME` for the playlist. */
    words: wordsOf(store, summary),
    /** True if the change `undone_by` is still being written or waits. */
    beingUndone: undoOf(store, work)?.outcome === null,
    /** Names of the first songs that it wrote, as far as relay knows them, and the number of all. */
    songs: { first, all: first.length === 0 ? 0 : uris.length },
  };
}

function wordsOf(store: Store, summary: ChangeSummary): string {
  const undone = summary.undoes === undefined ? null : getWork(store, summary.undoes);
  return changeWords(summary, NAME, undone && wordsOf(store, changeSummary(store, undone)));
}

/** Where a playlist can be seen. @param id null for the library, if `isOfLibrary`, and for a playlist that is not made yet */
function placeOf(core: Core, id: string | null, isOfLibrary: boolean) {
  const { settings, store } = core;
  const path = id === null ? 'collection/tracks' : `playlist/${encodeURIComponent(id)}`;
  // The demo's playlists do not exist at Spotify.
  const isThere = !settings.demo && (id !== null || isOfLibrary);
  return {
    /** The last known name; null if there is none, or for Liked Songs. */
    name: id === null ? null : knownPlaylistName({ store }, id),
    url: isThere ? `https://open.spotify.com/${path}` : null,
    /** Address of the cover image; null if none is known, or covers are off. */
    cover: allowedCover(coverSources(core), (id && getPlaylistName(store, id)?.cover) || ''),
  };
}

/** The sources of covers for the page's content policy: Spotify's hosts for images. None if covers are off. */
export function coverSources({ covers, settings: { providerApiUrl } }: Core): string[] {
  if (!covers.areShown) return [];
  if (providerApiUrl !== SPOTIFY_API) return [new URL(providerApiUrl).origin];
  return ['https://*.scdn.co', 'https://*.spotifycdn.com'];
}

/** The address of a cover if the policy lets the page load it; otherwise null. */
function allowedCover(sources: readonly string[], cover: string): string | null {
  if (!URL.canParse(cover)) return null;
  const { origin } = new URL(cover);
  const isAllowed = sources.some((source) => {
    const [scheme = '', host] = source.split('*');
    return host === undefined ? origin === source : origin.startsWith(scheme) && origin.endsWith(host);
  });
  return isAllowed ? cover : null;
}

/** The account's own playlists, those that changed last first. */
async function playlistsOf(
  { services }: ServerParts,
  kept: ReadonlySet<unknown>,
  events: readonly PageEvent[],
) {
  // The copy may not have been read since relay's last write.
  const written = new Map(events.toReversed().map(({ at, change }) => [change?.playlist_id, at]));
  return (await services.library.listedPlaylists())
    .filter(({ mine }) => mine)
    .map(({ id, name, total, addedAt }) => {
      const changedAt = [addedAt ?? '', written.get(id) ?? ''].sort()[1] || null;
      return { id, name, total, changedAt, isKept: kept.has(id), at: Date.parse(changedAt ?? '') || 0 };
    })
    .sort((one, other) => other.at - one.at);
}

function settlingOf(core: Core, { services: { works } }: ServerParts, { settling }: Tab) {
  if (settling === null) return null;
  const { job: id, at, again, past, found, near } = settling;
  const [job] = orNothing(() => pageJob(core, works.get(id)));
  if (!job) return null;
  const open = (from: number) => works.items(id, from, 1, 'unresolved').items[0] ?? null;
  // After the last entry, those that were left for later come again.
  const item = isPastSettling(job) ? null : (again ?? open(at) ?? open(0));
  return {
    ...{ job, item, done: past.length },
    found: found !== null && found.position === item?.position ? found : null,
    /** The entries that accepting all near matches would settle, the weakest first; null if that was not asked. */
    near: near ? nearItems(works.items(id, 0, MAX_NEAR, 'unresolved').items) : null,
  };
}

function nearItems(items: readonly ItemRecord[]): ItemRecord[] {
  const scoreOf = ({ candidates }: ItemRecord) => candidates?.[0]?.score ?? -1;
  return items
    .filter((item) => scoreOf(item) >= NEAR_SCORE)
    .sort((one, other) => scoreOf(one) - scoreOf(other));
}

function historyOf({ library }: Core, { history }: Tab) {
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
async function loginProblem({ login, settings }: Core, { pageLogin }: ServerParts): Promise<string | null> {
  if (pageLogin.attemptId === null) return null;
  const progress = await login.progress(pageLogin.attemptId, 0).catch(() => null);
  if (progress?.state !== 'failed') return null;
  const { message, remedy } = progress;
  return [message, remedy && remedyText(remedy, commandStyleOf(settings))].filter(Boolean).join(' ');
}

/**
 * Returns a function that gives the last reading of the player; null if there is none and relay has not used the player. After a
 * new login or a logout, the reading is dropped, since it is private to the former account.
 */
export function createLastPlaying(provider: ProviderApi, { clock, store }: { clock: Clock; store: Store }) {
  const login = () => getAccount(store)?.consentAt ?? null;
  const sent = () => requestTotals(store, clock.now()).player ?? 0;
  const reading = (state: PlayerState | null, at: number) => ({ at, state, login: login(), sent: sent() });
  let last = reading(null, 0);
  watchPlayer(provider, (state) => {
    last = reading(state, clock.now());
  });
  return () => {
    if (last.login !== login()) last = { ...reading(null, 0), sent: last.sent };
    const { at, state } = last;
    // `isDue`: relay has sent something to the player since, and it may be playing what relay started.
    const isDue = sent() > last.sent;
    return at === 0 && !isDue ? null : { at, state, isDue };
  };
}
