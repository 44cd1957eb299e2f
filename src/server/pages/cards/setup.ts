/** The cards about what relay works with: the copy of the library, kept playlists, AI clients, the account. */
import { LEVEL_WORDS, LEVELS } from '../../../domain/access.ts';
import type { ClientSummary } from '../../../domain/localApi.ts';
import type { PageState } from '../../owner/pageState.ts';
import { shownName } from '../approve.ts';
import { type Html, html, type Value } from '../html.ts';
import {
  block,
  button,
  card,
  command,
  count,
  entry,
  list,
  menu,
  name,
  number,
  options,
  progress,
  row,
  shortened,
  soft,
  told,
  when,
} from '../parts.ts';
import { wordsOfReason } from './jobs.ts';

export function libraryCard({ library, report }: PageState): Html | null {
  const { saved, coverage, as_of: asOf, state, until, reason, progress: at } = library;
  const { playlists } = coverage;
  const isEmpty = coverage.saved === 'none' && playlists.read === 0;
  const { connected } = report.account;
  if (!connected && isEmpty) return null;
  const hidden = playlists.unreadable > 0 && ` (${number(playlists.unreadable)} that Spotify does not show)`;
  const known = html`<p>${count(saved, 'saved song')}${coverage.saved !== 'complete' && ' so far'} and ${number(playlists.read)} of ${count(playlists.total, 'playlist')}${hidden}${asOf !== null && [', read ', when(asOf)]}.</p>`;
  const waiting = html`<p class="warn">The reading waits${until !== null && [' until ', when(until, 'time')]}: ${wordsOfReason(reason ?? 'PROVIDER_UNAVAILABLE')}.</p>`;
  return card(
    'library',
    'Library',
    isEmpty ? soft('Not read yet. Once it is, AI clients can ask about it in one call.') : known,
    state === 'reading' && [
      progress(at.done, at.total, 'Reading the library'),
      soft(`${number(at.done)} of about ${count(at.total, 'request')}`),
    ],
    state === 'waiting' && waiting,
    row(
      connected && button(isEmpty ? 'Read it' : 'Update', 'library/sync', {}, { about: 'the library' }),
      !isEmpty &&
        menu('the library', button('Forget the copy', 'library/forget', {}, { sure: 'Forget it now' })),
    ),
  );
}

export function keptCard({ kept }: PageState): Html | null {
  return kept.length === 0 ? null : card('kept', 'Kept playlists', list(kept.map(keptRow)));
}

const WORDS = {
  active: '',
  waiting: 'Waiting',
  review: 'Waits for you',
  paused: 'Paused',
  stopped: 'Stopped',
} as const;

function keptRow(keep: PageState['kept'][number]): Html {
  const { id, status, reason, sql, rule, every, last_run_at, last_result, next_run_at } = keep;
  const act = (text: string, action: string, sure?: string) =>
    button(text, 'keeps/act', { id, action }, { about: keep.name, sure });
  const isOpen = (status === 'review' || status === 'waiting') && reason !== undefined;
  const about = html`<p><strong>${name(keep.name)}</strong>${WORDS[status] !== '' && html` <span class="pill">${WORDS[status]}</span>`}</p>
<p>${rule === undefined ? 'A query of its own' : name(rule, 300)}, every ${every}</p>${isOpen && html`<p class="warn">${told(reason, 400)}</p>`}${soft(
    next_run_at !== null && ['Next ', when(next_run_at)],
    last_run_at !== null && [
      next_run_at === null ? 'Last ' : ' · last ',
      when(last_run_at),
      ': ',
      told(last_result ?? 'nothing changed'),
    ],
  )}`;
  const more = menu(
    keep.name,
    act('Update now', 'run'),
    status === 'paused' ? act('Go on', 'resume') : act('Pause', 'pause'),
    act('Stop', 'stop', 'Stop keeping it'),
  );
  const query = html`<details><summary>Query</summary><pre>${sql}</pre></details>`;
  return entry(`kept-${id ?? keep.name}`, about, more, query);
}

/** AI clients: those that the owner has approved, with their access, and how to connect one. */
export function clientsCard(state: PageState): Html {
  const { clients, setups, mcpUrl, tab } = state;
  const shown = state.shown('clients');
  const rows = clients.slice(0, shown).map(clientRow);
  const choices = [['', 'Choose one …'], ...setups.map(({ id, name: text }) => [id, text])];
  return card(
    'clients',
    'AI clients',
    list(shortened(rows, clients.length - shown, 'clients', 'clients'), 'No client is approved yet.'),
    html`<div class="setup"><label for="setup-client">Connect a client</label><select id="setup-client" name="client" data-call="clients/setup">${options(choices, tab.setup?.id ?? '')}</select>${tab.setup !== null && setupSteps(tab.setup)}<p class="soft">Or give a client this address: ${command(mcpUrl, 'MCP address')}</p></div>`,
  );
}

function clientRow(client: ClientSummary): Html {
  const { clientId, lastUsedAt, approvals } = client;
  const text = shownName(client);
  const approval = approvals.at(-1);
  const levels = LEVELS.map((level) => [level, LEVEL_WORDS[level].name]);
  const access = html`<select name="level" data-call="clients/access" data-given="${JSON.stringify({ clientId })}" aria-label="What ${text} may do">${options(levels, approval?.access)}</select>`;
  // Times count to the minute: a use in each should not draw the card again. A use before the approval was of an earlier one.
  const [approvedAt, usedAt] = [minuteOf(approval?.approvedAt), minuteOf(lastUsedAt)];
  const use = usedAt !== null && usedAt >= (approvedAt ?? '') ? ['Used ', when(usedAt)] : 'Not used yet';
  const about = [
    html`<p><strong>${name(text)}</strong> ${access}</p>`,
    soft(use, approvedAt !== null && [' · approved ', when(approvedAt, 'date')]),
  ];
  const revoke = button('Revoke', 'clients/revoke', { clientId }, { about: text, sure: 'Revoke now' });
  return entry(`client-${clientId}`, about, revoke);
}

function minuteOf(time: string | null | undefined): string | null {
  return time == null ? null : `${time.slice(0, 16)}Z`;
}

function setupSteps({
  id,
  command: words,
  file,
  snippet,
  next,
}: NonNullable<PageState['tab']['setup']>): Html {
  return html`<div id="setup-${id}">${words !== null && html`<p>Run this in a terminal:</p>${block(words, 'command')}`}${
    file !== '' && html`<p>${words === null ? 'Add this to' : 'Or add this to'} <code>${file}</code>:</p>`
  }${block(snippet, 'configuration')}<p>${coded(next)}</p>${soft('When the client asks, this browser opens a page with Approve and Deny.')}</div>`;
}

/** A text in which whatever is between backquotes is code. */
function coded(text: string): Value[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

export function accountCard({ report: { account }, app }: PageState): Html {
  const connect = (text: string, switchAccount = false) => button(text, 'account/connect', { switchAccount });
  const title = 'Spotify account';
  if (!account.connected) {
    const ended = account.name !== null && [
      name(account.name),
      ' was connected; Spotify has ended that login.',
    ];
    const first = app.isSet ? row(connect('Connect')) : soft('First set up your Spotify app, above.');
    return card('account', title, html`<p>${ended || 'No account is connected yet.'}</p>`, first);
  }
  const isSoon = (account.daysLeft ?? 99) < 14;
  const until =
    account.loginExpiresAt !== null &&
    html`<p class="${isSoon ? 'warn' : 'soft'}">Logged in until ${when(account.loginExpiresAt, 'date')} (${count(account.daysLeft ?? 0, 'day')}).</p>`;
  const leave = (text: string, sure: string, erase: boolean) =>
    button(text, 'account/disconnect', { erase }, { sure });
  const more = menu(
    'the account',
    connect('Connect again'),
    connect('Use another account', true),
    leave('Disconnect', 'Disconnect now', false),
    leave('Disconnect and forget everything', 'Forget all of it now', true),
    soft(
      'Forgetting everything deletes remembered matches, lists, changes, kept playlists (their songs stay), versions and plays. Backups stay, and so do the files that a restore or a repair has kept in relay’s directory.',
    ),
  );
  const who = html`<p class="big">${name(account.name ?? 'Connected')}</p>${until}`;
  return card('account', title, html`<div class="line"><div class="grow">${who}</div>${more}</div>`);
}
