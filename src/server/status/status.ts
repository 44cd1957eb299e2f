/** The report behind `relay status`: facts, and one line for each part, with what to do about a problem. */

import { isoOf } from '../../base/clock.ts';
import { counted, sizeText } from '../../base/lists.ts';
import { isErrorCode, type RelayError } from '../../domain/errors.ts';
import { failureClassOf, isKeyFailure } from '../../domain/failureClass.ts';
import { isEnded, type JobStatus } from '../../domain/job.ts';
import type { StatusEntry, StatusReport } from '../../domain/localApi.ts';
import type { Remedy } from '../../domain/remedy.ts';
import type { MasterKey } from '../../secrets/masterKey.ts';
import { type ApiError, listOpenApiErrors } from '../../store/tables/apiErrors.ts';
import { listBrowsers } from '../../store/tables/browsers.ts';
import { countKeeps } from '../../store/tables/keeps.ts';
import { listLiveGrants } from '../../store/tables/oauth.ts';
import { listRateLimits, requestTotals } from '../../store/tables/rateLimits.ts';
import { countCommittable, countJobs, countReviews, nextRunAfter } from '../../store/tables/works.ts';
import { connectedAccount } from '../../work/keeps/run.ts';
import { type AccountView, accountView } from '../accountStore.ts';
import type { Core } from '../core.ts';

export type ServerFacts = NonNullable<StatusReport['server']>;

/** A login that ends within this many days gets a warning. */
const WARN_DAYS = 14;

export type Facts = Omit<StatusReport, 'entries'>;

/** The source of the facts: a core, or the parts of one that could be opened. */
export type Known = Pick<Core, 'settings' | 'clock' | 'version' | 'store'> & {
  key: Pick<MasterKey, 'source' | 'warning'>;
};

export function statusReport(core: Core, server: ServerFacts | null, ownerCode: string | null): StatusReport {
  return reportOf({ ...factsOf(core), server, ownerCode }, core.store.state().failure);
}

/** Collects the facts that need no server. */
export function factsOf(known: Known): Facts {
  const { settings, clock, version, store, key } = known;
  return {
    version,
    demo: settings.demo,
    home: settings.home,
    server: null,
    account: accountFacts(accountView(store, clock)),
    key: { source: key.source, warning: key.warning },
    database: databaseFacts(known),
    mcp: {
      authMode: settings.mcpAuthMode,
      apiKeySet: true,
      clients: new Set(listLiveGrants(store, clock.now()).map(({ clientId }) => clientId)).size,
      registrationOpen: settings.dynamicRegistration,
      browsers: listBrowsers(store, clock.now()).length,
    },
    rateLimits: limitFacts(known),
    jobs: jobFacts(known),
    kept: keptFacts(known),
    recentErrors: errorFacts(listOpenApiErrors(store)),
    ownerCode: null,
    problem: null,
  };
}

/** @param failure why the state cannot be saved; null if it can */
export function reportOf(facts: Facts, failure: RelayError | null = null): StatusReport {
  const entries = LINES.flatMap((line) => line(facts, failure) ?? []);
  // If only the key fails, everything in the state except its secrets can be read.
  return {
    ...facts,
    entries: facts.problem && !isKeyFailure(facts.problem) ? entries.map(onlyWhatIsKnown) : entries,
  };
}

/** Says "not known" in a line that depends on a state that cannot be opened; other lines stay the same. */
function onlyWhatIsKnown(line: StatusEntry): StatusEntry {
  if (line.part === 'server' || line.part === 'database') return line;
  return { ...line, state: 'off', summary: 'not known', remedy: null };
}

function accountFacts(view: AccountView): StatusReport['account'] {
  const { account, connected, reauthorizationRequired, missingScopes, daysLeft } = view;
  return {
    connected,
    reauthorizationRequired,
    name: account?.displayName ?? null,
    id: account?.accountId ?? account?.providerUserId ?? null,
    scopes: account?.scopes ?? [],
    missingScopes,
    accessTokenExpiresAt: isoOf(account?.accessExpiresAt ?? null),
    loginExpiresAt: isoOf(account?.loginExpiresAt ?? null),
    daysLeft,
  };
}

function databaseFacts({ store }: Known): StatusReport['database'] {
  const { lastSavedAt, unsavedChanges: _, failure: __, ...state } = store.state();
  return { ...state, lastSavedAt: isoOf(lastSavedAt) };
}

function limitFacts({ store, clock }: Known): StatusReport['rateLimits'] {
  const now = clock.now();
  const counts = Object.values(requestTotals(store, now));
  return {
    blocked: listRateLimits(store)
      .filter((limit) => limit.blockedUntil !== null && limit.blockedUntil > now)
      .map(({ scope, blockedUntil, reason }) => ({ scope, blockedUntil: isoOf(blockedUntil) ?? '', reason })),
    requests24h: counts.reduce((sum, count) => sum + count, 0),
  };
}

function jobFacts({ store }: Known): StatusReport['jobs'] {
  return {
    byStatus: countJobs(store),
    committable: countCommittable(store),
    reviewRequired: countReviews(store),
    nextRunAfter: isoOf(nextRunAfter(store)),
  };
}

function keptFacts({ store }: Known): StatusReport['kept'] {
  const { active = 0, review = 0, waiting = 0, paused = 0 } = countKeeps(store, connectedAccount(store));
  return { total: active + review + waiting + paused, review, waiting, paused };
}

/** The latest errors, and the latest that concerns the server, be it older. */
function errorFacts(open: readonly ApiError[]): StatusReport['recentErrors'] {
  const concern = open.find(concernsServer);
  return open
    .filter((error, index) => index < 5 || error === concern)
    .map(({ lastSeenAt, code, message, occurrences }) => ({
      at: isoOf(lastSeenAt) ?? '',
      code,
      message,
      occurrences,
    }));
}

function run(...command: string[]): Remedy {
  return { text: '{command}', command };
}

function serverLine({ server }: Facts): StatusEntry {
  if (!server) return entry('server', 'off', 'not running', run('serve'));
  return entry('server', 'ok', `${server.baseUrl} (pid ${server.pid}, version ${server.version})`);
}

function accountLine({ account, problem }: Facts): StatusEntry {
  const name = account.name ?? account.id ?? '';
  if (problem && isKeyFailure(problem) && account.id !== null) {
    const remedy = { text: '{command}, to start over', command: ['login'] };
    return entry('account', 'bad', `${name}: the login cannot be decrypted`, remedy);
  }
  if (account.reauthorizationRequired) {
    return entry('account', 'bad', `${name}: Spotify has ended the login`, run('login'));
  }
  if (!account.connected) return entry('account', 'bad', 'no Spotify account connected', run('login'));
  if (account.missingScopes.length > 0) {
    const missing = account.missingScopes.join(', ');
    return entry('account', 'warning', `${name}: connected without ${missing}`, run('login'));
  }
  const days = account.daysLeft ?? 0;
  const summary = `${name}, ${counted(account.scopes.length, 'permission')}, login ends in ${counted(days, 'day')}`;
  return days < WARN_DAYS
    ? entry('account', 'warning', summary, run('login'))
    : entry('account', 'ok', summary);
}

const KEY_PLACES = {
  keychain: "the system's keychain",
  file: 'a key file',
  environment: 'RELAY_ENCRYPTION_KEY',
};

function hasState({ schemaVersion }: Facts['database']): boolean {
  return schemaVersion > 0;
}

function keyLine({ key, database, problem }: Facts): StatusEntry {
  if (problem && isKeyFailure(problem)) return entry('key', 'bad', problem.message, problem.remedy);
  if (!hasState(database)) return entry('key', 'off', 'not needed yet');
  if (key.warning) return entry('key', 'warning', key.warning);
  return entry('key', 'ok', `kept in ${KEY_PLACES[key.source]}`);
}

function databaseLine({ home, database, problem }: Facts, failure: RelayError | null): StatusEntry {
  if (problem && !isKeyFailure(problem)) return entry('database', 'bad', problem.message, problem.remedy);
  if (!hasState(database)) {
    const remedy = { text: '{command}, or name another home with --home', command: ['serve'] };
    return entry('database', 'off', `no state in ${home} yet`, remedy);
  }
  const schema = `schema ${database.schemaVersion}${database.schemaState === 'ahead' ? ' (from a newer relay)' : ''}`;
  const size = sizeText(database.sizeBytes);
  const saved = database.lastSavedAt === null ? 'never saved' : `saved ${database.lastSavedAt}`;
  if (failure) {
    const why = failure.message.replace(/\.$/, '');
    return entry('database', 'bad', `${why} (${schema}, ${size}, ${saved})`, failure.remedyValue);
  }
  return entry('database', 'ok', `${schema}, ${size}, ${saved}`);
}

function mcpLine({ mcp }: Facts): StatusEntry {
  const ways = mcp.authMode === 'bearer' ? 'API key and OAuth' : 'OAuth only';
  const clients = counted(mcp.clients, 'approved client');
  const browsers = mcp.browsers === 0 ? '' : `, ${counted(mcp.browsers, 'remembered browser')}`;
  const closed = mcp.registrationOpen ? '' : ', registration off';
  return entry('mcp', 'ok', `${ways}, ${clients}${browsers}${closed}`);
}

function limitsLine({ rateLimits }: Facts): StatusEntry {
  const requests = `${counted(rateLimits.requests24h, 'request')} in 24 hours`;
  if (rateLimits.blocked.length === 0) return entry('rate_limits', 'ok', `nothing blocked, ${requests}`);
  const blocked = rateLimits.blocked
    .map(({ scope, blockedUntil }) => `${scope} until ${blockedUntil}`)
    .join(', ');
  const remedy = rateLimits.blocked.some(({ scope }) => scope === 'login')
    ? { text: 'wait, or {command}: no request works without the login service', command: ['login'] }
    : { text: 'wait: other kinds of requests still work' };
  return entry('rate_limits', 'warning', `blocked: ${blocked}; ${requests}`, remedy);
}

function jobsLine({ jobs, database }: Facts): StatusEntry {
  const { byStatus, committable, reviewRequired, nextRunAfter: next } = jobs;
  const open = Object.entries(byStatus).filter(([status]) => !isEnded(status as JobStatus));
  const counts = open.map(([status, count]) => `${count} ${status}`).join(', ') || 'none active';
  // The number of failed jobs includes those under review, which get their own text.
  const failed = (byStatus.failed ?? 0) - reviewRequired;
  const due = next === null ? counts : `${counts}, the next one resumes at ${next}`;
  const summary = failed > 0 ? `${due}; ${failed} failed` : due;
  if (reviewRequired > 0) {
    const stopped = `${reviewRequired} stopped because someone else changed the playlist`;
    return entry('jobs', 'warning', `${summary}; ${stopped}`, run('jobs'));
  }
  // A commit is saved before it begins, so it would be refused while the state cannot be saved.
  if (!byStatus.ready || database.status === 'degraded')
    return entry('jobs', 'ok', summary, failed > 0 ? run('jobs') : undefined);
  const remedy =
    committable > 0
      ? { text: '{command}, to write', command: ['jobs', 'commit', 'ID'] }
      : { text: '{command} goes through the songs that need you', command: ['jobs', 'fix', 'ID'] };
  return entry('jobs', 'ok', summary, remedy);
}

function keptLine({ kept: { total, review, waiting, paused } }: Facts): StatusEntry | null {
  if (total === 0) return null;
  const counts = [
    ...(review > 0 ? [`${review} to review`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(paused > 0 ? [`${paused} paused`] : []),
  ];
  const summary = [counted(total, 'kept playlist'), ...counts].join(', ');
  return review > 0 ? entry('kept', 'warning', summary, run('keep')) : entry('kept', 'ok', summary);
}

/** False for errors such as a device without volume or an unknown ID, which concern the caller alone. */
export function concernsServer({ code }: { code: string }): boolean {
  return !isErrorCode(code) || failureClassOf({ code }) !== 'request';
}

function errorsLine({ recentErrors }: Facts): StatusEntry {
  const latest = recentErrors.find(concernsServer);
  if (!latest) return entry('errors', 'ok', 'none unresolved');
  return entry('errors', 'warning', `${latest.at} ${latest.code}: ${latest.message}`);
}

const LINES = [
  serverLine,
  accountLine,
  keyLine,
  databaseLine,
  mcpLine,
  limitsLine,
  jobsLine,
  keptLine,
  errorsLine,
];

function entry(
  part: StatusEntry['part'],
  state: StatusEntry['state'],
  summary: string,
  remedy: Remedy | null = null,
): StatusEntry {
  return { part, state, summary, remedy };
}
