/** `/oauth/authorize`: the browser's part. It shows the request to the owner and sends the decision to the client. */
import type { AuthorizeRequest } from '../../oauth/policy/authorize.ts';
import type { Refusal } from '../../oauth/refusal.ts';
import { codeUrl, refusalUrl } from '../../oauth/returnUrl.ts';
import { OTHER_BODY_BYTES, readForm } from '../body.ts';
import type { Core } from '../core.ts';
import { type Exchange, redirect } from '../exchange.ts';
import { createFormTokens, type FormTokens } from '../formToken.ts';
import type { OwnerSessions } from '../ownerSession.ts';
import { approvePage, type CodeProblem } from '../pages/approve.ts';
import { staleFormPage, unreadableFormPage, wrongClientPage } from '../pages/authorizeErrors.ts';
import { sendPage } from '../pages/page.ts';
import type { Route } from '../router.ts';
import { HttpError } from '../toHttp.ts';
import { failureOf } from './oauth.ts';

/** The parameters of the request that the form carries back, to be checked again from the start. */
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

export function authorizeRoutes(core: Core, owner: OwnerSessions): Route[] {
  const forms = createFormTokens(core.random);
  return [
    { method: 'GET', path: '/oauth/authorize', handle: (exchange) => show(core, owner, forms, exchange) },
    { method: 'POST', path: '/oauth/authorize', handle: (exchange) => decide(core, owner, forms, exchange) },
  ];
}

function show(core: Core, owner: OwnerSessions, forms: FormTokens, exchange: Exchange): void {
  const request = requestOf(core, exchange, exchange.query);
  if (request) ask({ core, owner, forms, exchange, request, parameters: exchange.query }, null);
}

async function decide(
  core: Core,
  owner: OwnerSessions,
  forms: FormTokens,
  exchange: Exchange,
): Promise<void> {
  const form = await formOf(core, exchange);
  const request = form && requestOf(core, exchange, form);
  if (!form || !request) return;
  if (!forms.check(exchange, subjectOf(request), form.get('csrf_token'))) {
    core.log.warn({ requestId: exchange.requestId }, 'approval form refused: its token is not ours');
    return sendPage(exchange, 403, staleFormPage(core.settings.demo));
  }
  if (form.get('decision') !== 'approve') {
    return redirect(
      exchange,
      refusalUrl(request, { reason: 'owner_denied', detail: null }, exchange.baseUrl),
    );
  }
  const asking = { core, owner, forms, exchange, request, parameters: form };
  if (proveOwner(asking, form.get('owner_code'))) await approve(core, exchange, request);
}

interface Asking {
  core: Core;
  owner: OwnerSessions;
  forms: FormTokens;
  exchange: Exchange;
  request: AuthorizeRequest;
  parameters: URLSearchParams;
}

/** False when the page was shown again. */
function proveOwner(asking: Asking, code: string | null): boolean {
  const { owner, exchange } = asking;
  if (owner.isSignedIn(exchange)) return true;
  const verdict = owner.tryCode(code ?? '');
  if (verdict.ok) owner.signIn(exchange);
  else ask(asking, { waitSeconds: verdict.waitSeconds });
  return verdict.ok;
}

async function approve(core: Core, exchange: Exchange, request: AuthorizeRequest): Promise<void> {
  try {
    const code = await core.oauth.approve(request);
    redirect(exchange, codeUrl(request, code, exchange.baseUrl));
  } catch (error) {
    redirect(exchange, refusalUrl(request, failureOf(core, exchange, error), exchange.baseUrl));
  }
}

/** The checked request; otherwise null, and the refusal is answered: by a redirect only where that is safe. */
function requestOf(core: Core, exchange: Exchange, parameters: URLSearchParams): AuthorizeRequest | null {
  const check = core.oauth.checkAuthorize(parameters, exchange.baseUrl);
  if (check.ok) return check.request;
  const { refusal, returnTo } = check;
  logRefusal(core, exchange, refusal);
  if (returnTo) redirect(exchange, refusalUrl(returnTo, refusal, exchange.baseUrl));
  else sendPage(exchange, 400, wrongClientPage(refusal, core.settings.demo));
  return null;
}

function logRefusal(core: Core, { requestId }: Exchange, { reason }: Refusal): void {
  core.log.warn({ requestId, reason }, 'authorization request refused');
}

/** null when the body cannot be read, which is answered by a page: a person is looking at it. */
async function formOf(core: Core, exchange: Exchange): Promise<URLSearchParams | null> {
  try {
    return await readForm(exchange.request, OTHER_BODY_BYTES);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    sendPage(exchange, error.status, unreadableFormPage(core.settings.demo), error.headers);
    return null;
  }
}

function ask(
  { core, owner, forms, exchange, request, parameters }: Asking,
  problem: CodeProblem | null,
): void {
  const { account } = core.account.view();
  const page = approvePage({
    client: request.client,
    redirectUri: request.redirectUri,
    account: account && (account.displayName ?? account.providerUserId),
    fields: CARRIED.flatMap((name): Array<[string, string]> => {
      const value = parameters.get(name);
      return value === null ? [] : [[name, value]];
    }),
    csrfToken: forms.issue(exchange, subjectOf(request)),
    isSignedIn: owner.isSignedIn(exchange),
    problem,
    demo: core.settings.demo,
    now: core.clock.now(),
  });
  const wait = problem?.waitSeconds ?? 0;
  const headers: Record<string, string> = wait > 0 ? { 'retry-after': String(wait) } : {};
  sendPage(exchange, problem === null ? 200 : wait > 0 ? 429 : 403, page, headers);
}

/** What an approval is about: a token for one request does not approve another. */
function subjectOf({ client, redirectUri, state, codeChallenge, resource, scope }: AuthorizeRequest): string {
  return JSON.stringify([client.clientId, redirectUri, state, codeChallenge, resource, scope]);
}
