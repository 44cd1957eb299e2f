/**
 * The approval page. A client may lie about itself, so the page shows what relay knows. That is where the browser will be sent,
 * who wrote the name, and how long the client has been registered.
 */

import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import { LEVEL_WORDS, LEVELS, type Level } from '../../domain/access.ts';
import type { OAuthClient } from '../../oauth/client.ts';
import { type Html, html } from './html.ts';
import type { Page } from './page.ts';

/** Why the page is shown again. */
export type Problem =
  | { kind: 'wrong_code' }
  /** Too many wrong codes: the person has to wait for `seconds`. */
  | { kind: 'wait'; seconds: number }
  | { kind: 'not_remembered' }
  /** Another account was connected after the page was opened. */
  | { kind: 'other_account' };

export interface Approval {
  client: OAuthClient;
  redirectUri: string;
  /** Name of the connected account; null when none is connected. */
  account: string | null;
  fields: ReadonlyArray<readonly [name: string, value: string]>;
  csrfToken: string;
  problem: Problem | null;
  /** The level that is chosen when the page opens. `isReading`: the client asks for no more than that. */
  access: { chosen: Level; isReading: boolean };
  now: number;
}

/** Client, target, account and abilities come first, so that they are in view when the page opens. */
export function approvePage(approval: Approval): Page {
  const { client, redirectUri, account } = approval;
  const name = shownName(client);
  const target = describeTarget(redirectUri);
  return {
    title: `Let ${visibleText(name, SHOWN)} use your Spotify account?`,
    kind: 'approval',
    body: html`<dl class="facts">
<div><dt>Client</dt><dd><strong>${name}</strong><small>${originOf(client, approval.now)}</small></dd></div>
<div><dt>Goes to</dt><dd>${shownHost(target.host)}<small>${target.meaning}</small></dd></div>
<div><dt>Account</dt><dd>${accountLine(account)}</dd></div>
<div><dt>May</dt><dd>${mayLine(approval.access)}</dd></div>
</dl>
${target.warning !== undefined && html`<p class="notice"><strong>Not on this computer.</strong> ${target.warning}</p>`}
${decisionForm(approval)}
${target.isApp === true && html`<p id="opens-app" role="status" hidden>Your answer goes to the app, which opens now. Then you can close this page. If the app does not open, start again there.</p>`}
<div class="after"><p class="soft">Approve only if you have just started this yourself. The client does not learn your password, and <code>relay clients revoke</code> ends its access at any time.</p></div>`,
  };
}

/** Maximum number of characters of a name in the title, and of a host, so that the facts stay in view. */
const SHOWN = 32;

/** The end of a host, which says whose it is. */
function endOf(host: string): string {
  return host.length <= SHOWN ? host : `…${host.slice(1 - SHOWN)}`;
}

/** A long host wraps at its dots. */
function shownHost(host: string): Html {
  if (host.length <= SHOWN) return html`<strong>${host}</strong>`;
  const labels = endOf(host).split(/(?=\.)/);
  return html`<strong title="${host}">${labels.map((label, at) => [at > 0 && html`<wbr>`, label])}</strong>`;
}

/** What is chosen when the page opens; the choice itself comes after the code, so that typing comes first. */
function mayLine({ chosen, isReading }: Approval['access']): Html {
  const { name, may } = LEVEL_WORDS[chosen];
  const rest = isReading ? `${may}; it asks for no more` : `${may}; you can choose less below`;
  return html`<strong>${name}</strong><small>${rest}</small>`;
}

function levels({ chosen, isReading }: Approval['access']): Html {
  const lines = (isReading ? (['read'] as const) : LEVELS).map((level) => {
    const { name, means } = LEVEL_WORDS[level];
    return html`<label><input type="radio" name="access" value="${level}"${level === chosen && html` checked`}> <span><strong>${name}</strong>: ${means}</span></label>`;
  });
  return html`<div class="levels" role="radiogroup" aria-label="What the client may do">${lines}</div>`;
}

/** Without script, the owner types the code. With script, a remembered browser needs no code. */
function decisionForm({ fields, csrfToken, problem, access }: Approval): Html {
  const hidden = [...fields, ['csrf_token', csrfToken] as const].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const notice = problem?.kind === 'other_account' ? problem : null;
  return html`<form id="approval" method="post" action="/oauth/authorize">
${hidden}
${notice && html`<p class="notice" role="alert">${problemText(notice)}</p>`}
<p class="soft" id="remembered" hidden>This browser is remembered as yours: no owner code is needed.</p>
${codeField(notice ? null : problem)}
${levels(access)}
<div class="buttons"><button id="approve" name="decision" value="approve" class="primary">Approve</button>
<button name="decision" value="deny" formnovalidate>Deny</button></div>
</form>`;
}

function codeField(problem: Problem | null): Html {
  const invalid = problem && html` aria-invalid="true"`;
  return html`<div class="field" id="code-field"><label for="owner-code">Owner code</label>
<input id="owner-code" name="owner_code" required autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="512" aria-describedby="code-hint code-problem"${invalid}>
<p class="bad" id="code-problem" role="alert"${problem === null && html` hidden`}>${problem && problemText(problem)}</p>
<p class="soft" id="code-hint"><code>relay serve</code> and <code>relay status</code> show it in the terminal.<noscript> With JavaScript on, you need it only once per browser.</noscript></p></div>`;
}

export function problemText(problem: Problem): string {
  switch (problem.kind) {
    case 'wrong_code':
      return 'That is not the owner code. Check the terminal and type it again.';
    case 'wait':
      return `Too many wrong codes. Wait ${counted(problem.seconds, 'second')}, then try again.`;
    case 'not_remembered':
      return 'This browser is no longer remembered. Type the owner code.';
    case 'other_account':
      return 'Another Spotify account has been connected since, so nothing was approved. Look at the account, then choose again.';
  }
}

function accountLine(account: string | null): Html {
  if (account !== null) return html`<strong>${visibleText(account)}</strong><small>on Spotify</small>`;
  return html`<strong>none yet</strong><small><code>relay login</code> connects one, now or later</small>`;
}

/** Letters, digits, punctuation and symbols, except invisible ones. */
const SHOWS_SOMETHING = /(?![\u115f\u1160\u2800\u3164\uffa0])[\p{L}\p{N}\p{P}\p{S}]/u;

/** More marks on one letter than any language has: they would cover other lines, such as the one with the host. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** A client's name without characters that hide or reverse what is next to them, and short enough for a title. */
export function shownName({ name, clientId }: Pick<OAuthClient, 'name' | 'clientId'>): string {
  const shown = visibleText((name ?? '').replace(PILED_MARKS, '$1'), 60);
  return SHOWS_SOMETHING.test(shown) ? shown : `an unnamed client (${clientId.slice(0, 12)})`;
}

function originOf({ source, createdAt }: OAuthClient, now: number): string {
  if (source === 'environment' || source === 'file') return "set up by you in relay's settings";
  if (source === 'added') return 'set up by you with relay clients add';
  return `gave itself this name; registered here ${ago(now - (createdAt ?? now))}`;
}

function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${counted(minutes, 'minute')} ago`;
  if (minutes < 48 * 60) return `${counted(Math.floor(minutes / 60), 'hour')} ago`;
  return `${counted(Math.floor(minutes / 1440), 'day')} ago`;
}

interface Target {
  host: string;
  meaning: string;
  warning?: string;
  /** True if an app opens beside the page, which stays. */
  isApp?: true;
}

function describeTarget(redirectUri: string): Target {
  const { protocol, host } = new URL(redirectUri);
  if (protocol === 'http:') return { host, meaning: 'a program on this computer' };
  if (protocol !== 'https:') {
    const meaning = `the app on this computer that opens ${protocol} links`;
    return { host: protocol, meaning, isApp: true };
  }
  const warning = `Approving gives access to the website ${endOf(host)}, not to a program of yours.`;
  return { host, meaning: 'a website', warning };
}
