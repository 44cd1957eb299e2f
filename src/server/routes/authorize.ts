/** `/oauth/authorize`: shows the request to the owner in a browser, and sends the decision to the client. */

import type { Clock } from '../../base/clock.ts';
import { isLevel, type Level } from '../../domain/access.ts';
import { type AuthorizeRequest, codeUrl, refusalUrl } from '../../oauth/policy/authorize.ts';
import { READ_SCOPE } from '../../oauth/policy/limits.ts';
import { listLiveGrants } from '../../store/tables/oauth.ts';
import { isFromOtherUser } from '../access/caller.ts';
import type { FormTokens } from '../access/formToken.ts';
import type { Owner } from '../access/owner.ts';
import type { Core } from '../core.ts';
import { ownAddress } from '../http/address.ts';
import { ANYONES_BODY, readForm } from '../http/body.ts';
import { type HttpContext, redirect } from '../http/context.ts';
import type { Route } from '../http/router.ts';
import { HttpError } from '../http/toHttp.ts';
import { approvePage, type Problem, shownName } from '../pages/approve.ts';
import { sendPage } from '../pages/page.ts';
import {
  OTHER_USER_PAGE,
  STALE_FORM_PAGE,
  UNREADABLE_FORM_PAGE,
  wrongClientPage,
} from '../pages/wholePages.ts';
import { failureOf } from './oauth.ts';

/** Parameters of the request that the form repeats. They are checked again from scratch. */
const CARRIED = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'resource',
  'state',
];

interface Parts {
  core: Core;
  owner: Owner;
  forms: FormTokens;
  waiting: WaitingClients;
}

export function authorizeRoutes(
  core: Core,
  owner: Owner,
  forms: FormTokens,
  waiting: WaitingClients,
): Route[] {
  const parts = { core, owner, forms, waiting };
  return [
    { method: 'GET', path: '/oauth/authorize', handle: (context) => show(parts, context) },
    { method: 'POST', path: '/oauth/authorize', handle: (context) => decide(parts, context) },
  ];
}

async function show(parts: Parts, context: HttpContext): Promise<void> {
  if (await isRefused(parts, context)) return;
  const request = requestOf(parts.core, context, context.query);
  if (!request) return;
  const { client } = request;
  parts.waiting.add(client.clientId, shownName(client), `/oauth/authorize?${context.query}`);
  ask({ ...parts, context, request, parameters: context.query }, null);
}

async function decide(parts: Parts, context: HttpContext): Promise<void> {
  const { core, forms, waiting } = parts;
  if (await isRefused(parts, context)) return;
  const form = await formOf(context);
  const request = form && requestOf(core, context, form);
  if (!form || !request) return;
  if (!forms.isValid(context, subjectOf(request), form.get('csrf_token'))) {
    core.quietLog.warn({ requestId: context.requestId }, 'approval form refused: unknown form token');
    return sendPage(context, 403, STALE_FORM_PAGE);
  }
  const asking = { ...parts, context, request, parameters: form };
  const decision = form.get('decision');
  if (decision === 'deny') {
    waiting.answered(request.client.clientId);
    return redirect(context, refusalUrl(request, { reason: 'owner_denied', detail: null }, context.baseUrl));
  }
  const problem = decision === 'approve' ? await whyNot(asking) : null;
  if (decision !== 'approve' || problem) return ask(asking, problem);
  await approve(asking);
  waiting.answered(request.client.clientId);
}

/** Refuses another user, who must not even see who asks for which account. Returns true if the request is answered. */
async function isRefused({ core }: Parts, context: HttpContext): Promise<boolean> {
  if (!(await isFromOtherUser(context))) return false;
  core.quietLog.warn({ requestId: context.requestId }, 'authorization request of another user refused');
  context.request.resume();
  sendPage(context, 403, OTHER_USER_PAGE);
  return true;
}

/**
 * The level that the page shows as chosen, or that the form has. A form without the choice means `standard`; a client that was
 * approved before shows its last level, and one that asks for reading alone gets no more.
 */
function levelOf({ core, request, parameters }: Asking): Level {
  if (request.scope === READ_SCOPE) return 'read';
  const given = parameters.get('access') ?? '';
  if (parameters.has('csrf_token')) return isLevel(given) ? given : 'standard';
  const last = listLiveGrants(core.store, core.clock.now()).findLast(
    ({ clientId }) => clientId === request.client.clientId,
  );
  return last?.access ?? 'everything';
}

interface Asking extends Parts {
  context: HttpContext;
  request: AuthorizeRequest;
  parameters: URLSearchParams;
}

/** Why Approve approves nothing; null if it was pressed by the owner, for the account that the page named. */
async function whyNot({ core, owner, context, parameters: form }: Asking): Promise<Problem | null> {
  const [named, { account }] = [form.get('account'), core.account.view()];
  if (named && account !== null && account.providerUserId !== named) return { kind: 'other_account' };
  const [proof, code] = [form.get('owner_proof'), form.get('owner_code')];
  if (owner.rememberedWith(context, proof) !== null) return null;
  if (proof !== null && code === null) return { kind: 'not_remembered' };
  const tried = await owner.tryCode(context, code ?? '');
  if (tried.ok) return null;
  return tried.waitSeconds > 0 ? { kind: 'wait', seconds: tried.waitSeconds } : { kind: 'wrong_code' };
}

/** The owner may approve less than was asked for, and approves no more than the page has named. */
async function approve(asking: Asking): Promise<void> {
  const { core, context, request } = asking;
  try {
    const code = await core.oauth.approve(request, levelOf(asking));
    redirect(context, codeUrl(request, code, context.baseUrl));
  } catch (error) {
    redirect(context, refusalUrl(request, failureOf(core, context, error), context.baseUrl));
  }
}

/**
 * The checked request; null if it was refused. A refused request is already answered: with a redirect if that is safe,
 * otherwise with a page.
 */
function requestOf(core: Core, context: HttpContext, parameters: URLSearchParams): AuthorizeRequest | null {
  const check = core.oauth.checkAuthorize(parameters, ownAddress(context));
  if (check.ok) return check.request;
  const { refusal, returnTo } = check;
  const { requestId } = context;
  core.quietLog.warn({ requestId, reason: refusal.reason }, 'authorization request refused');
  if (returnTo) redirect(context, refusalUrl(returnTo, refusal, context.baseUrl));
  else sendPage(context, 400, wrongClientPage(refusal, core.settings.dynamicRegistration));
  return null;
}

/**
 * The form; null if the body cannot be read. In that case, the request is already answered with a page, since a person sees it.
 */
async function formOf(context: HttpContext): Promise<URLSearchParams | null> {
  try {
    return await readForm(context, ANYONES_BODY);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    sendPage(context, error.status, UNREADABLE_FORM_PAGE, error.headers);
    return null;
  }
}

function ask(asking: Asking, problem: Problem | null): void {
  const { core, forms, context, request, parameters } = asking;
  const { account } = core.account.view();
  const page = approvePage({
    client: request.client,
    redirectUri: request.redirectUri,
    account: account && (account.displayName ?? account.providerUserId),
    fields: [
      ...CARRIED.flatMap((name): Array<[string, string]> => {
        const value = parameters.get(name);
        return value === null ? [] : [[name, value]];
      }),
      ['account', account?.providerUserId ?? ''],
    ],
    csrfToken: forms.issue(context, subjectOf(request)),
    problem,
    access: { chosen: levelOf(asking), isReading: request.scope === READ_SCOPE },
    now: core.clock.now(),
  });
  const headers: Record<string, string> =
    problem?.kind === 'wait' ? { 'retry-after': String(problem.seconds) } : {};
  sendPage(context, statusOf(problem), page, headers);
}

function statusOf(problem: Problem | null): number {
  if (problem === null) return 200;
  if (problem.kind === 'other_account') return 409;
  return problem.kind === 'wait' ? 429 : 403;
}

/** Identifies a request, so that a form token counts for that request alone. */
function subjectOf({ client, redirectUri, state, codeChallenge, resource, scope }: AuthorizeRequest): string {
  return JSON.stringify([client.clientId, redirectUri, state, codeChallenge, resource, scope]);
}

/** How long a client is listed. After that, the client has given up, and an answer is useless. */
const KEPT_MS = 10 * 60_000;
const MAX = 5;
/** Maximum length of an address; a longer one is left out. */
const MAX_ADDRESS = 4_000;

export type WaitingClients = ReturnType<typeof createWaitingClients>;

export function createWaitingClients(clock: Clock) {
  const waiting = new Map<string, { name: string; address: string; at: number }>();
  return {
    add(clientId: string, name: string, address: string): void {
      waiting.delete(clientId);
      if (address.length <= MAX_ADDRESS) waiting.set(clientId, { name, address, at: clock.now() });
      for (const oldest of waiting.keys()) if (waiting.size > MAX) waiting.delete(oldest);
    },
    answered: (clientId: string) => void waiting.delete(clientId),
    /** The waiting clients, oldest first; `at` is the time of the request, in Unix milliseconds. */
    list: () =>
      [...waiting]
        .map(([clientId, request]) => ({ clientId, ...request }))
        .filter(({ at }) => clock.now() - at < KEPT_MS),
  };
}
