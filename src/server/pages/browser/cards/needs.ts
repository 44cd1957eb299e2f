/** What waits for the owner, most urgent first: the login, clients, jobs, kept playlists. */
import { capital } from '../../../../base/lists.ts';
import { type App, button, card, entry, list, name, row, shortened, soft, withCode } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { count, dateOf, fromNow, number, short, withLocalTimes } from '../format.ts';
import { jobRow, needsOwner } from '../jobs.ts';
import { RELAY } from '../session.ts';
import { goToLogin } from './account.ts';
import { partTitle } from './diagnostics.ts';
import { keptNeeds } from './kept.ts';
import { showsSteps } from './steps.ts';

/** Each function returns the rows for one kind of thing that waits for the owner. To add a kind, add a function here. */
const KINDS: ReadonlyArray<(app: App) => Child[]> = [loginNeeds, partNeeds, clientNeeds, jobNeeds, keptNeeds];

export function needsCard(app: App): Child {
  const rows = KINDS.flatMap((kind) => kind(app));
  const none = showsSteps(app) ? 'Only the steps above.' : 'Nothing. You are up to date.';
  return card('needs', 'Needs you', list(rows, none));
}

/** A login is mentioned if it ends in fewer days than this. */
const SOON = 14;

function loginNeeds(app: App): Child[] {
  const { account, loginProblem, app: own } = app.state;
  const why = loginText(app);
  if (loginProblem === null && why === null) return [];
  const text = account.connected || account.reauthorizationRequired ? 'Connect again' : 'Connect';
  return [
    h.li(
      { key: 'login' },
      why !== null && h.p(why),
      loginProblem !== null &&
        h.p(
          { class: 'bad' },
          h.strong('The last login failed. '),
          withCode(loginProblem.message),
          loginProblem.remedy !== null && [' ', withCode(loginProblem.remedy)],
        ),
      own.isSet &&
        row(
          button(app, 'connect now', text, () => goToLogin(false), {
            kind: 'primary',
            about: 'your Spotify account',
          }),
        ),
    ),
  ];
}

function loginText(app: App): Child | null {
  const { account } = app.state;
  if (account.reauthorizationRequired) {
    return [
      h.strong('Spotify has ended the login'),
      account.name !== null && [' of ', name(account.name)],
      '. Until you connect again, nothing can be read or written.',
    ];
  }
  // During the first run, the steps above lead to the login.
  if (!account.connected) return showsSteps(app) ? null : [h.strong('No Spotify account is connected.')];
  if (account.missingScopes.length > 0) {
    return [
      h.strong('A permission is missing. '),
      `Connect again and grant ${account.missingScopes.join(', ')}.`,
    ];
  }
  if (account.loginExpiresAt !== null && (account.daysLeft ?? SOON) < SOON) {
    return [
      h.strong(`The login ends in ${count(account.daysLeft ?? 0, 'day')}`),
      `, on ${dateOf(account.loginExpiresAt)}.`,
    ];
  }
  return null;
}

/** What else keeps relay from working, such as a full disk. */
function partNeeds({ state }: App): Child[] {
  return state.parts
    .filter((part) => part.state === 'bad' && part.part !== 'account')
    .map(({ part, summary, remedy }) =>
      h.li(
        { key: `part ${part}` },
        h.p(h.strong(partTitle(part), ': '), short(withLocalTimes(summary), 300), '.'),
        remedy !== null && soft(withCode(capital(remedy.text))),
      ),
    );
}

function clientNeeds({ state }: App): Child[] {
  return state.waitingClients.map(({ clientId, name: text, address, at }) =>
    entry(
      clientId,
      [
        h.p(h.strong(name(text)), ' asks to use your account.'),
        soft(`${fromNow(at)}. Approve it only if you started this.`),
      ],
      h.a({ class: 'button', href: address, 'aria-label': `Review: ${text}` }, 'Review'),
    ),
  );
}

/** Number of jobs to show until the person asks for the others. */
const JOBS_SHOWN = 4;

function jobNeeds(app: App): Child[] {
  const { jobs, jobsTotal } = app.state;
  const rows = jobs.filter(needsOwner).map((job) => jobRow(app, job));
  const unsent = jobsTotal - jobs.length;
  const text = `Show ${unsent > 0 ? '' : 'all '}${number(rows.length)} jobs`;
  return [
    ...shortened(app, rows, { key: 'jobs', shown: JOBS_SHOWN, text }),
    ...(unsent > 0
      ? [
          h.li(
            { key: 'unsent' },
            soft(`And ${number(unsent)} more: `, h.code(`${RELAY} jobs`), ' lists them.'),
          ),
        ]
      : []),
  ];
}
