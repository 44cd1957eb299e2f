/** The small parts of the page: account, player, limits, errors, parts of the program, browsers. */
import type { OwnerState, PageLimits, PagePlaying } from '../../../domain/ownerPage.ts';
import { type App, button, card, command, copyButton, name, soft, withCode } from './app.ts';
import { type Child, h } from './dom.ts';
import {
  count,
  dateOf,
  fromNow,
  minutes,
  number,
  short,
  timeOf,
  withLocalTimes,
  wordsOfReason,
} from './format.ts';
import { ask } from './session.ts';

/** The first lines: whether all is well, and the address for clients. */
export function summary(app: App): Child {
  const { state } = app;
  const bad = state.parts.filter((part) => part.state === 'bad').length;
  const warnings = state.parts.filter((part) => part.state === 'warning').length;
  const [mood, title] = titleOf(state, bad, warnings);
  return h(
    'div',
    { class: 'summary', key: 'summary' },
    h('h1', null, h('span', { class: `dot ${mood}`, 'aria-hidden': 'true' }), title),
    h(
      'p',
      { class: 'address' },
      h('span', { class: 'soft' }, 'MCP address '),
      h('code', null, state.mcpUrl),
      copyButton(app, state.mcpUrl, 'MCP address'),
    ),
  );
}

function titleOf({ account }: OwnerState, bad: number, warnings: number): readonly [string, string] {
  if (account.reauthorizationRequired) return ['bad', 'Spotify has ended the login'];
  if (!account.connected) return ['bad', 'No Spotify account is connected'];
  if (bad > 0) return ['bad', `${count(bad, 'problem')} ${bad === 1 ? 'needs' : 'need'} attention`];
  if (warnings > 0) return ['warning', `Running, ${count(warnings, 'warning')}`];
  return ['ok', 'Everything is running'];
}

export function accountCard(app: App): Child {
  const { account, loginProblem } = app.state;
  const problem =
    loginProblem !== null &&
    h(
      'p',
      { class: 'notice', key: 'problem' },
      h('strong', null, 'The last login failed. '),
      withCode(loginProblem.message),
      loginProblem.remedy !== null && [' ', withCode(loginProblem.remedy)],
    );
  const connect = (text: string, switchAccount: boolean, kind: 'primary' | 'quiet') =>
    button(app, `connect ${text}`, text, () => goToLogin(switchAccount), { kind });
  if (!account.connected) {
    return card(
      'account',
      'Spotify account',
      problem,
      h(
        'p',
        null,
        account.name === null
          ? 'None is connected yet.'
          : [name(account.name), ' was connected; Spotify has ended that login.'],
      ),
      app.state.app.isSet
        ? h('div', { class: 'row' }, connect('Connect', false, 'primary'))
        : soft('First set up your Spotify app, above.'),
    );
  }
  const isSoon = (account.daysLeft ?? 99) < 14;
  return card(
    'account',
    'Spotify account',
    problem,
    h('p', { class: 'big' }, name(account.name ?? 'Connected')),
    account.loginExpiresAt &&
      h(
        'p',
        { class: isSoon ? 'warn' : 'soft' },
        `The login lasts until ${dateOf(account.loginExpiresAt)}, ${count(account.daysLeft ?? 0, 'more day')}.`,
      ),
    account.missingScopes.length > 0 &&
      h(
        'p',
        { class: 'warn' },
        `Connected without ${account.missingScopes.join(', ')}. Connect again and grant it.`,
      ),
    h(
      'div',
      { class: 'row' },
      connect('Connect again', false, 'quiet'),
      connect('Use another account', true, 'quiet'),
      button(app, 'disconnect', 'Disconnect', () => ask('account/disconnect', {}), {
        confirm: 'Disconnect now',
        done: 'The account is disconnected, and the copy of its library is deleted.',
        kind: 'quiet',
      }),
      button(
        app,
        'erase',
        'Disconnect and forget everything',
        () => ask('account/disconnect', { erase: true }),
        {
          confirm: 'Forget matches, jobs and changes too',
          about: 'this account',
          done: 'The account is disconnected, and everything about it is forgotten.',
          kind: 'quiet',
        },
      ),
    ),
  );
}

/** Leaves the page for Spotify's own. */
export async function goToLogin(switchAccount: boolean): Promise<void> {
  const { next } = await ask('account/connect', { switchAccount });
  location.assign(next);
}

/** What is known of the library, how old that is, and what to do about it. */
export function libraryCard(app: App): Child {
  const { library, account } = app.state;
  const { saved, savedCoverage, playlists, asOf, state, until, reason, progress } = library;
  const isEmpty = savedCoverage === 'none' && playlists.total === 0;
  if (!account.connected && isEmpty) return null;
  return card(
    'library',
    'Library',
    isEmpty
      ? soft('Nothing has been read yet. Once it has, AI clients can ask all of it in one call.')
      : h(
          'p',
          null,
          `${count(saved, 'saved track')}${savedCoverage === 'complete' ? '' : ' so far'}, ${number(playlists.read)} of ${count(playlists.total, 'playlist')}`,
          playlists.unreadable > 0 && ` (${number(playlists.unreadable)} that Spotify does not show)`,
          '.',
        ),
    asOf !== null && soft(`As of ${fromNow(asOf)}.`),
    state === 'reading' && [
      h('progress', {
        max: Math.max(1, progress.total),
        value: progress.done,
        'aria-label': 'Reading the library',
      }),
      soft(`${number(progress.done)} of about ${count(progress.total, 'request')}`),
    ],
    state === 'waiting' &&
      h(
        'p',
        { class: 'warn' },
        `The reading waits${until === null ? '' : ` until ${timeOf(until)}`}: ${libraryReason(reason)}.`,
      ),
    h(
      'div',
      { class: 'row' },
      account.connected &&
        button(
          app,
          'library-sync',
          isEmpty ? 'Read it' : 'Bring it up to date',
          () => ask('library/sync', {}),
          {
            about: 'the library',
          },
        ),
      !isEmpty &&
        button(app, 'library-forget', 'Forget', () => ask('library/forget', {}), {
          confirm: 'Forget it now',
          about: 'the copy of the library',
          done: 'The copy of the library is deleted.',
          kind: 'quiet',
        }),
    ),
  );
}

function libraryReason(reason: string | null): string {
  return reason === 'BUDGET'
    ? 'its requests for 24 hours are used up'
    : wordsOfReason(reason ?? 'PROVIDER_UNAVAILABLE');
}

export function playingCard(app: App): Child {
  const { playing, account } = app.state;
  if (!account.connected) return null;
  const look = button(app, 'look', 'Look now', () => ask('player/look', {}), { kind: 'quiet' });
  if (playing === null) {
    return card(
      'playing',
      'Playing',
      soft('Nothing has been read from Spotify yet. This takes one request.'),
      h('div', { class: 'row' }, look),
    );
  }
  const at = positionOf(playing);
  return card(
    'playing',
    'Playing',
    playing.title === null
      ? h('p', null, 'Nothing was playing.')
      : [
          h('p', { class: 'big' }, name(playing.title)),
          h(
            'p',
            { class: 'soft' },
            playing.by !== null && name(playing.by),
            playing.device !== null && [' on ', name(playing.device)],
          ),
          at !== null &&
            playing.durationMs !== null &&
            h(
              'div',
              { class: 'track' },
              h('progress', { max: playing.durationMs, value: at, 'aria-label': 'Position in the track' }),
              h('span', { class: 'soft' }, `${minutes(at)} of ${minutes(playing.durationMs)}`),
            ),
        ],
    h(
      'div',
      { class: 'row' },
      look,
      h(
        'span',
        { class: 'soft' },
        `${playing.title === null ? 'Looked' : playing.isPlaying ? 'Playing, seen' : 'Paused, seen'} ${fromNow(playing.at)}`,
      ),
    ),
  );
}

/** Where the track has come to since; null where that is not known. */
function positionOf({ at, isPlaying, progressMs, durationMs }: PagePlaying): number | null {
  if (progressMs === null) return null;
  const passed = isPlaying ? Math.max(0, Date.now() - Date.parse(at)) : 0;
  return Math.min(progressMs + passed, durationMs ?? progressMs);
}

export function limitsCard({ state }: App): Child {
  const { limits } = state;
  const total = limits.scopes.reduce((sum, { total: some }) => sum + some, 0);
  return card(
    'limits',
    'Requests to Spotify',
    limits.blocked.map(({ scope, until, reason }) =>
      h(
        'p',
        { class: 'notice', key: scope },
        h('strong', null, `${scope} is blocked`),
        ` until ${timeOf(until)} (${fromNow(until)})${reason === null ? '' : `: ${wordsOfReason(reason)}`}. Other requests continue.`,
      ),
    ),
    total === 0
      ? soft('None in the last 24 hours.')
      : h(
          'table',
          { class: 'chart' },
          h('caption', { class: 'soft' }, `${count(total, 'request')} in the last 24 hours, by the hour`),
          h(
            'tbody',
            null,
            limits.scopes.map((scope) => chartRow(scope, highest(limits))),
          ),
        ),
  );
}

function highest({ scopes }: PageLimits): number {
  return Math.max(1, ...scopes.flatMap(({ hours }) => hours));
}

const BAR = 6;
const HEIGHT = 24;

function chartRow({ scope, total, hours }: PageLimits['scopes'][number], max: number): Child {
  return h(
    'tr',
    { key: scope },
    h('th', { scope: 'row' }, scope),
    h(
      'td',
      null,
      h(
        'svg',
        {
          viewBox: `0 0 ${hours.length * BAR} ${HEIGHT}`,
          'aria-hidden': 'true',
          preserveAspectRatio: 'none',
        },
        h('path', { class: 'base', d: `M0 ${HEIGHT - 0.5}H${hours.length * BAR}` }),
        hours.map((value, hour) => {
          const height = value === 0 ? 0 : Math.max(2, Math.round((value / max) * HEIGHT));
          return h('rect', { x: hour * BAR + 1, y: HEIGHT - height, width: BAR - 2, height, rx: 1 });
        }),
      ),
    ),
    h('td', { class: 'count' }, number(total)),
  );
}

export function errorsCard({ state }: App): Child {
  return card(
    'errors',
    'Recent errors',
    state.errors.length === 0
      ? soft('None unresolved.')
      : h(
          'ul',
          { class: 'list' },
          state.errors.map((error) =>
            h(
              'li',
              { key: `${error.code} ${error.request}` },
              h('p', null, h('strong', null, withLocalTimes(error.message))),
              error.remedy !== null && h('p', null, withCode(error.remedy)),
              soft(
                `${error.request}, ${fromNow(error.at)}${error.occurrences > 1 ? `, ${count(error.occurrences, 'time')}` : ''}`,
              ),
            ),
          ),
        ),
  );
}

const PART_NAMES: Readonly<Record<string, string>> = {
  server: 'Server',
  account: 'Account',
  key: 'Key',
  database: 'Database',
  mcp: 'MCP',
  rate_limits: 'Limits',
  jobs: 'Jobs',
  errors: 'Errors',
};

const STATE_WORDS = { ok: 'fine', warning: 'note', bad: 'bad', off: 'off' } as const;

export function partsCard(app: App): Child {
  return card(
    'parts',
    'State of everything',
    h(
      'dl',
      { class: 'parts' },
      app.state.parts.map((part) =>
        h(
          'div',
          { key: part.part },
          h(
            'dt',
            null,
            h('span', { class: `dot ${part.state}`, 'aria-hidden': 'true' }),
            PART_NAMES[part.part] ?? part.part,
          ),
          h(
            'dd',
            null,
            h('span', { class: 'hidden-text' }, `${STATE_WORDS[part.state]}: `),
            h('bdi', null, short(withLocalTimes(part.summary), 300)),
            part.remedy !== null &&
              h(
                'p',
                { class: 'soft' },
                part.remedy.command === null ? withCode(part.remedy.text) : command(app, part.remedy.command),
              ),
          ),
        ),
      ),
    ),
    soft(`relay ${app.state.version}`),
  );
}

export function browsersCard(app: App): Child {
  return card(
    'browsers',
    'Remembered browsers',
    soft('They open this page and approve clients without the owner code.'),
    h(
      'ul',
      { class: 'list' },
      app.state.browsers.map((browser) =>
        h(
          'li',
          { key: browser.id, class: 'line' },
          h(
            'div',
            null,
            h('p', null, browser.label, browser.current && h('span', { class: 'pill' }, 'this one')),
            soft(`${browser.origin}, used ${fromNow(browser.lastUsedAt)}`),
          ),
          !browser.current &&
            button(app, `forget ${browser.id}`, 'Forget', () => ask('browsers/forget', { id: browser.id }), {
              about: browser.label,
              done: `${browser.label} is forgotten.`,
              kind: 'quiet',
            }),
        ),
      ),
    ),
  );
}

export function rememberedCard(app: App): Child {
  const { remembered, rememberedTotal } = app.state;
  if (remembered.length === 0) return null;
  return card(
    'remembered',
    'Remembered matches',
    soft('Which track a title and an artist mean, without a search.'),
    h(
      'ul',
      { class: 'list' },
      remembered.map((match) =>
        h(
          'li',
          { key: match.id, class: 'line' },
          h(
            'div',
            null,
            h(
              'p',
              null,
              `${match.title} by ${match.artist}`,
              match.confirmed && h('span', { class: 'pill' }, 'differs'),
            ),
            soft(`${match.track.name} by ${match.track.artists}; ${match.by}, ${fromNow(match.at)}`),
          ),
          button(app, `forget ${match.id}`, 'Forget', () => ask('remembered/forget', { id: match.id }), {
            about: match.title,
            done: `${match.title} is forgotten.`,
            kind: 'quiet',
          }),
        ),
      ),
    ),
    rememberedTotal > remembered.length &&
      soft(`And ${rememberedTotal - remembered.length} more: relay remembered lists them.`),
  );
}
