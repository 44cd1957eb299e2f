/**
 * The state that the owner's page shows. The page reads it every few seconds, so building it sends no requests to Spotify: all
 * values come from what the program knows. Text from outside is cleaned here.
 */

import { isoOf } from '../../base/clock.ts';
import { visibleText } from '../../base/visibleText.ts';
import { CLIENTS } from '../../connect/clientTable.ts';
import type { KeepRecord } from '../../domain/keep.ts';
import type { LibraryStatus } from '../../domain/library.ts';
import type { RememberedMatch, StatusEntry } from '../../domain/localApi.ts';
import type {
  OwnerState,
  PageClient,
  PageError,
  PageLibrary,
  PagePart,
  PagePlaying,
} from '../../domain/ownerPage.ts';
import { asCommandLine, commandStyleOf, remedyText } from '../../domain/remedy.ts';
import { countAliases } from '../../store/tables/aliases.ts';
import { type ApiError, listOpenApiErrors } from '../../store/tables/apiErrors.ts';
import { requestHours } from '../../store/tables/rateLimits.ts';
import { browserSummaries, listClients } from '../access/approved.ts';
import type { ServerSide } from '../calls.ts';
import type { Core } from '../core.ts';
import { shownName } from '../pages/approve.ts';
import { BUILD } from '../pages/assets.ts';
import { rememberedMatches } from '../remembered.ts';
import { concernsServer, statusReport } from '../status/status.ts';
import { showsCovers } from './covers.ts';
import { ERROR_REMEDIES } from './errorRemedies.ts';
import { ownerEvents, pageJobs, unnamedPlaylists } from './events.ts';
import type { LastPlaying } from './lastPlaying.ts';

const JOBS_SHOWN = 200;
const EVENTS_SHOWN = 6;
const ERRORS_SHOWN = 5;

/** @param browser ID of the browser that asks */
export async function ownerState(core: Core, server: ServerSide, browser: string): Promise<OwnerState> {
  const report = statusReport(core, server.facts, null);
  const { services } = server;
  const jobs = services.works.open(JOBS_SHOWN);
  const events = ownerEvents(core, services, EVENTS_SHOWN);
  const { name, connected, reauthorizationRequired, loginExpiresAt, daysLeft, missingScopes } =
    report.account;
  return {
    build: BUILD,
    version: report.version,
    demo: report.demo,
    mcpUrl: server.facts.mcpUrl,
    authMode: report.mcp.authMode,
    parts: report.entries.map((entry) => partOf(core, entry)),
    account: {
      connected,
      reauthorizationRequired,
      name: name === null ? null : visibleText(name),
      loginExpiresAt,
      daysLeft,
      missingScopes,
    },
    loginProblem: await loginProblem(core, server),
    app: {
      isSet: core.clientId() !== null,
      // A server that was started with a client ID keeps it until it restarts.
      isFixed: core.settings.providerClientId !== null,
      redirectUri: server.redirectUri,
    },
    setups: CLIENTS.map(({ id, name: text }) => ({ id, name: text })),
    clients: approvedClients(core),
    mcpUsed: server.credentials.wereUsed(),
    remembered: rememberedMatches(core, REMEMBERED_SHOWN).map(shownMatch),
    rememberedTotal: countAliases(core.store),
    browsers: browserSummaries(core).map(({ id, label, origin, lastUsedAt }) => ({
      id,
      label,
      origin,
      // The time is given only to the minute: viewing the page is a use too, and should rarely change what the page shows.
      lastUsedAt: `${lastUsedAt.slice(0, 16)}Z`,
      current: id === browser,
    })),
    waitingClients: server.waitingClients
      .list()
      // A client that was forgotten meanwhile cannot be approved.
      .filter(({ clientId }) => core.oauth.clients.find(clientId))
      .map(({ at, ...client }) => ({ ...client, at: isoOf(at) })),
    jobs: pageJobs(core, services, jobs),
    jobsTotal: openJobs(report.jobs.byStatus),
    events,
    covers: showsCovers(core.settings),
    unnamed: unnamedPlaylists(services, jobs, events),
    limits: {
      blocked: report.rateLimits.blocked.map(({ scope, blockedUntil, reason }) => ({
        scope,
        until: blockedUntil,
        reason: reason === null ? null : visibleText(reason),
      })),
      scopes: Object.entries(requestHours(core.store, core.clock.now())).map(([scope, hours]) => ({
        scope,
        total: hours.reduce((sum, count) => sum + count, 0),
        hours,
      })),
    },
    errors: listOpenApiErrors(core.store).filter(concernsServer).slice(0, ERRORS_SHOWN).map(errorOf),
    playing: playingOf(server.lastPlaying()),
    library: libraryOf(await core.library.status()),
    kept: (await services.keeps.list(false)).map(keptOf),
  };
}

/** Counts the jobs that are not over, failed ones included. The page is given only the newest of them. */
function openJobs(byStatus: Readonly<Record<string, number>>): number {
  const { completed = 0, cancelled = 0, ...open } = byStatus;
  return Object.values(open).reduce((sum, count) => sum + count, 0);
}

function keptOf({ name, sql, rule, reason, ...keep }: KeepRecord): KeepRecord {
  return {
    ...keep,
    name: visibleText(name),
    sql: visibleText(sql, 1_000),
    ...(rule === undefined ? {} : { rule: visibleText(rule, 300) }),
    ...(reason === undefined ? {} : { reason: visibleText(reason, 400) }),
  };
}

function libraryOf({
  coverage,
  as_of: asOf,
  saved,
  state,
  until,
  reason,
  progress,
}: LibraryStatus): PageLibrary {
  const { saved: savedCoverage, playlists } = coverage;
  return { saved, savedCoverage, playlists, asOf, state, until, reason, progress };
}

/**
 * Says why the last login that began on this page failed; null if it did not. The login's own pages never say why, but the owner
 * may know.
 */
async function loginProblem(core: Core, { pageLogin }: ServerSide): Promise<OwnerState['loginProblem']> {
  if (pageLogin.attemptId === null) return null;
  const progress = await core.login.progress(pageLogin.attemptId, 0).catch(() => null);
  if (progress?.state !== 'failed') return null;
  const { message, remedy } = progress;
  return {
    message: visibleText(message, 400),
    remedy: remedy && visibleText(remedyText(remedy, commandStyleOf(core.settings)), 400),
  };
}

function partOf({ settings }: Core, { part, state, summary, remedy }: StatusEntry): PagePart {
  const shown = { part, state, summary: visibleText(summary, 600) };
  if (remedy === null) return { ...shown, remedy: null };
  const isCommand = asCommandLine(remedy)?.rest === '';
  const text = visibleText(remedyText(remedy, commandStyleOf(settings)), 600);
  return { ...shown, remedy: { text, command: isCommand ? text.replaceAll('`', '') : null } };
}

function toMinute(time: string | null): string | null {
  return time === null ? null : `${time.slice(0, 16)}Z`;
}

function approvedClients(core: Core): PageClient[] {
  return listClients(core)
    .filter(({ approvals }) => approvals.length > 0)
    .map(({ clientId, name, lastUsedAt, approvals }) => ({
      clientId,
      name: shownName({ clientId, name }),
      lastUsedAt: toMinute(lastUsedAt),
      // Also to the minute: otherwise an approval would seem later than the use that followed it.
      approvedAt: toMinute(approvals.at(-1)?.approvedAt ?? null),
      access: approvals.at(-1)?.access ?? 'read',
    }));
}

function errorOf({ lastSeenAt, code, message, occurrences, method, path }: ApiError): PageError {
  return {
    at: isoOf(lastSeenAt),
    code,
    message: visibleText(message, 400),
    occurrences,
    request: `${method} ${path}`,
    remedy: ERROR_REMEDIES[code] ?? null,
  };
}

function playingOf(last: LastPlaying | null): PagePlaying | null {
  if (last === null) return null;
  const { state } = last;
  const item = state?.item ?? null;
  const by =
    item === null
      ? ''
      : 'artists' in item
        ? item.artists.map(({ name }) => name).join(', ')
        : (item.show.name ?? '');
  return {
    at: isoOf(last.at),
    isPlaying: state?.is_playing ?? false,
    title: item === null ? null : visibleText(item.name),
    by: by === '' ? null : visibleText(by),
    device: state?.device ? visibleText(state.device.name, 80) : null,
    progressMs: state?.progress_ms ?? null,
    durationMs: item?.duration_ms ?? null,
  };
}

const REMEMBERED_SHOWN = 20;

function shownMatch({ title, artist, album, track, by, ...match }: RememberedMatch): RememberedMatch {
  return {
    ...match,
    title: visibleText(title),
    artist: visibleText(artist),
    album: album === null ? null : visibleText(album),
    track: { uri: track.uri, name: visibleText(track.name), artists: visibleText(track.artists) },
    by: visibleText(by),
  };
}
