/** `/oauth/authorize`: shows the request to the owner in a browser, and sends the decision to the client. */
import type { ToolChoice } from '../../domain/toolsets.ts';
import { type AuthorizeRequest, codeUrl, refusalUrl } from '../../oauth/policy/authorize.ts';
import { READ_SCOPE } from '../../oauth/policy/limits.ts';
import type { Refusal } from '../../oauth/refusal.ts';
import { isFromOtherUser } from '../access/caller.ts';
import { createDeniedRequests, type DeniedRequests } from '../access/deniedRequests.ts';
import type { FormTokens } from '../access/formToken.ts';
import type { Owner } from '../access/owner.ts';
import type { WaitingClients } from '../access/waitingClients.ts';
import type { Core } from '../core.ts';
import { ownAddress } from '../http/address.ts';
import { ANYONES_BODY, readForm } from '../http/body.ts';
import { type HttpContext, redirect } from '../http/context.ts';
import type { Route } from '../http/router.ts';
import { HttpError } from '../http/toHttp.ts';
import { canChange } from '../pages/abilities.ts';
import { approvePage, type Problem, shownName } from '../pages/approve.ts';
import {
  DENIED_PAGE,
  OTHER_USER_PAGE,
  STALE_FORM_PAGE,
  UNREADABLE_FORM_PAGE,
  wrongClientPage,
} from '../pages/authorizeErrors.ts';
import { sendPage } from '../pages/page.ts';
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

/**
 * A click within this time after the page opened was probably meant for another page: a double click, or a window that just
 * closed.
 */
const HOLD_MS = 500;

/** Objects that the handlers share. */
interface Parts {
  core: Core;
  owner: Owner;
  forms: FormTokens;
  waiting: WaitingClients;
  denied: DeniedRequests;
  /** The approvals of each request that was approved since the server started. */
  approved: Map<string, string[]>;
  /** When Approve was last pressed too soon, by browser and request; Unix milliseconds. */
  pressed: Map<string, number>;
}

export function authorizeRoutes(
  core: Core,
  owner: Owner,
  forms: FormTokens,
  waiting: WaitingClients,
): Route[] {
  const denied = createDeniedRequests(core.clock);
  const parts = { core, owner, forms, waiting, denied, approved: new Map(), pressed: new Map() };
  return [
    { method: 'GET', path: '/oauth/authorize', handle: (context) => show(parts, context) },
    { method: 'POST', path: '/oauth/authorize', handle: (context) => decide(parts, context) },
  ];
}

async function show(parts: Parts, context: HttpContext): Promise<void> {
  if (await isRefused(parts, context)) return;
  const request = requestOf(parts.core, context, context.query);
  if (!request) return;
  const asking = { ...parts, context, request, parameters: context.query };
  if (wasDenied(asking)) return;
  const { client } = request;
  parts.waiting.add({
    clientId: client.clientId,
    name: shownName(client),
    address: `/oauth/authorize?${context.query}`,
  });
  ask(asking, null);
}

async function decide(parts: Parts, context: HttpContext): Promise<void> {
  const { core, forms, denied, waiting } = parts;
  if (await isRefused(parts, context)) return;
  const form = await formOf(context);
  const request = form && requestOf(core, context, form);
  if (!form || !request) return;
  const ageMs = forms.ageMs(context, subjectOf(request), form.get('csrf_token'));
  if (ageMs === null) {
    core.quietLog.warn({ requestId: context.requestId }, 'approval form refused: unknown form token');
    return sendPage(context, 403, STALE_FORM_PAGE);
  }
  const asking = { ...parts, context, request, parameters: form };
  if (form.get('decision') === 'deny') {
    denied.add(subjectOf(request));
    waiting.answered(request.client.clientId);
    return deny(asking);
  }
  if (wasDenied(asking)) return;
  if (form.get('decision') !== 'approve') return ask(asking, null);
  if (isTooSoon(asking, ageMs)) return ask(asking, { kind: 'too_soon' });
  if (isForAnotherAccount(asking)) return ask(asking, { kind: 'other_account' });
  const problem = await ownerProblem(asking, form);
  // Checked again: Deny may have been pressed while the code waited for its turn.
  if (wasDenied(asking)) return;
  if (isForAnotherAccount(asking)) return ask(asking, { kind: 'other_account' });
  if (problem) ask(asking, problem);
  else {
    // The owner may approve less than was asked for, and approves no more than the page has named.
    const isReading = form.get('access') === 'read' || !canChange(choiceOf(asking));
    await approve(asking, isReading ? READ_SCOPE : request.scope);
    waiting.answered(request.client.clientId);
  }
}

/**
 * Refuses another user, who must not even see which client asks and for which account. Returns true if the request was refused
 * and is answered.
 */
async function isRefused({ core }: Parts, context: HttpContext): Promise<boolean> {
  if (!(await isFromOtherUser(context))) return false;
  core.quietLog.warn({ requestId: context.requestId }, 'authorization request of another user refused');
  context.request.resume();
  sendPage(context, 403, OTHER_USER_PAGE);
  return true;
}

/** The tools that the client would be offered: those of the settings, or fewer if it asks for reading only. */
function choiceOf({ core: { settings }, request }: Asking): ToolChoice {
  return { toolsets: settings.toolsets, readOnly: settings.readOnly || request.scope === READ_SCOPE };
}

interface Asking extends Parts {
  context: HttpContext;
  request: AuthorizeRequest;
  parameters: URLSearchParams;
}

/** Answers a request that was already denied, and returns true. Returns false for any other request. */
function wasDenied({ core, denied, context, request }: Asking): boolean {
  if (!denied.has(subjectOf(request))) return false;
  core.quietLog.warn(
    { requestId: context.requestId, clientId: request.client.clientId },
    'denied request shown again',
  );
  sendPage(context, 403, DENIED_PAGE);
  return true;
}

/** True if Approve was pressed too soon. Each early press restarts the wait, since somebody who keeps pressing reads nothing. */
function isTooSoon({ core, forms, pressed, context, request }: Asking, ageMs: number): boolean {
  const now = core.clock.now();
  for (const [name, at] of pressed) if (now - at >= HOLD_MS) pressed.delete(name);
  const name = `${forms.browserOf(context)} ${subjectOf(request)}`;
  const isHeld = ageMs < HOLD_MS || pressed.has(name);
  if (isHeld) pressed.set(name, now);
  return isHeld;
}

/** True if the form named an account, and another one is connected now. */
function isForAnotherAccount({ core, parameters }: Asking): boolean {
  const [named, account] = [parameters.get('account'), core.account.view().account];
  return Boolean(named) && account !== null && account.providerUserId !== named;
}

/** Why the form does not prove that the owner sent it; null if the form proves it. */
async function ownerProblem(
  { owner, forms, context }: Asking,
  form: URLSearchParams,
): Promise<Problem | null> {
  const proof = form.get('owner_proof');
  if (owner.rememberedUntil(context, proof) !== null) return null;
  const code = form.get('owner_code');
  if (proof !== null && code === null) return { kind: 'not_remembered' };
  const tried = await owner.tryCode(context, forms.browserOf(context), code ?? '');
  if (tried.ok) return null;
  return tried.waitSeconds > 0 ? { kind: 'wait', seconds: tried.waitSeconds } : { kind: 'wrong_code' };
}

async function approve(asking: Asking, scope: string): Promise<void> {
  const { core, approved, context, request } = asking;
  try {
    const { id, code } = await core.oauth.approve({ ...request, scope });
    const subject = subjectOf(request);
    approved.set(subject, [...(approved.get(subject) ?? []), id]);
    // Deny was pressed while the approval was being saved.
    if (asking.denied.has(subject)) await core.oauth.takeBack([id]);
    if (wasDenied(asking)) return;
    redirect(context, codeUrl(request, code, context.baseUrl));
  } catch (error) {
    redirect(context, refusalUrl(request, failureOf(core, context, error), context.baseUrl));
  }
}

/** Denies a request. If it was approved before, perhaps in another tab, that approval ends. */
async function deny({ core, approved, context, request }: Asking): Promise<void> {
  const subject = subjectOf(request);
  let refusal: Refusal = { reason: 'owner_denied', detail: null };
  try {
    await core.oauth.takeBack(approved.get(subject) ?? []);
    approved.delete(subject);
  } catch (error) {
    refusal = failureOf(core, context, error);
  }
  redirect(context, refusalUrl(request, refusal, context.baseUrl));
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
    access: {
      choice: choiceOf(asking),
      isReadChosen: parameters.get('access') === 'read',
    },
    holdMs: HOLD_MS,
    now: core.clock.now(),
  });
  const headers: Record<string, string> =
    problem?.kind === 'wait' ? { 'retry-after': String(problem.seconds) } : {};
  sendPage(context, statusOf(problem), page, headers);
}

function statusOf(problem: Problem | null): number {
  if (problem === null || problem.kind === 'too_soon') return 200;
  if (problem.kind === 'other_account') return 409;
  return problem.kind === 'wait' ? 429 : 403;
}

/** Identifies a request, so that a form token or a denial counts for that request alone. */
function subjectOf({ client, redirectUri, state, codeChallenge, resource, scope }: AuthorizeRequest): string {
  return JSON.stringify([client.clientId, redirectUri, state, codeChallenge, resource, scope]);
}
