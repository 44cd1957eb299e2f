/**
 * `/local/…`, the calls of the command line. The first call is `hello`, which gives both sides a credential for their
 * connection. Only programs that can read this home's key can compute the credential. A request from a browser (with `Origin`
 * or `Referer`), or from a process of another user, is refused even with the credential.
 */
import * as z from 'zod';
import { lazy } from '../../base/memoised.ts';
import { LOCAL_CALLS, LOCAL_ROUTES, type LocalApi } from '../../domain/localApi.ts';
import { connectionSecrets, endsOf, HELLO_ROUTE } from '../../domain/localProof.ts';
import type { Credentials } from '../access/credentials.ts';
import { isFromStranger } from '../access/peer.ts';
import { isDirectLoopback } from '../http/address.ts';
import { ANYONES_BODY, LIST_BODY, OWN_BODY, readJson } from '../http/body.ts';
import { type HttpContext, sendJson } from '../http/context.ts';
import type { Route } from '../http/router.ts';
import { HttpError } from '../http/toHttp.ts';
import { OPERATIONS } from '../localApi.ts';

/** @param apiFor returns the owner's calls, with URLs below the base URL of the request */
export function localRoutes(
  apiFor: (baseUrl: string) => LocalApi,
  key: string,
  credentials: Credentials,
): Route[] {
  const routes = LOCAL_CALLS.map((name): Route => {
    const { hasFile } = OPERATIONS[name];
    return {
      method: 'POST',
      path: `/local/${LOCAL_ROUTES[name]}`,
      async handle(context) {
        await authorize(context, credentials);
        const asked = await readJson(context, hasFile ? LIST_BODY : OWN_BODY);
        const call = apiFor(context.baseUrl)[name] as (asked: unknown) => Promise<unknown>;
        sendJson(context, 200, (await call(asked)) ?? {});
      },
    };
  });
  return [...routes, helloRoute(key, credentials)];
}

const Hello = lazy(() => z.object({ nonce: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }));

/**
 * `hello` needs no credential, since its answer is useful only with the key, and only on this connection. For the same reason,
 * `hello` does not ask the system which user connects: that takes longer than a whole tool call.
 */
function helloRoute(key: string, credentials: Credentials): Route {
  return {
    method: 'POST',
    path: `/local/${HELLO_ROUTE}`,
    async handle(context) {
      refuseOutsiders(context);
      const hello = Hello().safeParse(await readJson(context, ANYONES_BODY));
      if (!hello.success) throw new HttpError('BAD_REQUEST');
      const { socket } = context.request;
      const ends = endsOf(socket, 'server');
      if (ends === null) throw new HttpError('BAD_REQUEST');
      const { pid } = process;
      const { proof, credential } = connectionSecrets(key, hello.data.nonce, ends, pid);
      credentials.expectOn(socket, credential);
      sendJson(context, 200, { pid, proof });
    },
  };
}

function refuseOutsiders(context: HttpContext): void {
  // Requests through a proxy or tunnel get 404.
  if (!isDirectLoopback(context)) throw new HttpError('ROUTE_NOT_FOUND');
  const { headers } = context.request;
  if (headers.origin !== undefined || headers.referer !== undefined) throw new HttpError('FORBIDDEN_ORIGIN');
}

async function authorize(context: HttpContext, credentials: Credentials): Promise<void> {
  refuseOutsiders(context);
  const { headers, socket } = context.request;
  if (!credentials.isCommandLine(headers.authorization, socket)) throw new HttpError('UNAUTHORIZED');
  if (await isFromStranger(socket)) throw new HttpError('FORBIDDEN_USER');
}
