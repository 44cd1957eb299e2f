/**
 * What the command line asks of the running server. Only who may read the owner's keychain knows the token; a request
 * that a browser sent (it carries `Origin` or `Referer`) is refused even with it.
 */
import * as z from 'zod';
import { lazy } from '../../domain/lazy.ts';
import { LOCAL_ROUTES, type LocalApi } from '../../domain/localApi.ts';
import { equalSecrets } from '../../secrets/seal.ts';
import { isDirectLoopback } from '../address.ts';
import { OTHER_BODY_BYTES, readJson } from '../body.ts';
import { type Exchange, sendJson } from '../exchange.ts';
import type { Route } from '../router.ts';
import { HttpError } from '../toHttp.ts';

const Empty = () => z.object({});

/** For each call the shape of its JSON body and how it is made. */
const calls: { [K in keyof LocalApi]: (api: LocalApi, body: unknown) => Promise<unknown> } = {
  status: call(Empty, (api) => api.status()),
  startLogin: call(
    () => z.object({ switchAccount: z.boolean() }),
    (api, body) => api.startLogin(body),
  ),
  loginProgress: call(
    () => z.object({ attemptId: z.string(), waitSeconds: z.number().min(0).max(25) }),
    (api, body) => api.loginProgress(body.attemptId, body.waitSeconds),
  ),
  pasteLogin: call(
    () => z.object({ attemptId: z.string(), address: z.string().max(10_000) }),
    (api, body) => api.pasteLogin(body.attemptId, body.address),
  ),
  ownerTicket: call(
    () => z.object({ attemptId: z.string().nullable() }),
    (api, body) => api.ownerTicket(body),
  ),
  ownerTicketWaits: call(
    () => z.object({ id: z.string() }),
    (api, body) => api.ownerTicketWaits(body.id),
  ),
  logout: call(Empty, (api) => api.logout()),
  showKey: call(Empty, (api) => api.showKey()),
  rotateKey: call(Empty, (api) => api.rotateKey()),
  mcpToken: call(Empty, (api) => api.mcpToken()),
  setClientSecret: call(
    () => z.object({ value: z.string().nullable() }),
    (api, body) => api.setClientSecret(body.value),
  ),
  saveState: call(Empty, (api) => api.saveState()),
  listClients: call(Empty, (api) => api.listClients()),
  addClient: call(
    () =>
      z.object({
        name: z.string().trim().min(1).max(200),
        redirectUris: z.array(z.string()),
        secret: z.string().min(1).max(512).nullable(),
      }),
    (api, body) => api.addClient(body),
  ),
  revokeClient: call(
    () => z.object({ client: z.string() }),
    (api, body) => api.revokeClient(body.client),
  ),
};

function call<T extends z.ZodType>(
  shapeOf: () => T,
  make: (api: LocalApi, body: z.output<T>) => Promise<unknown>,
) {
  const shape = lazy(shapeOf);
  return (api: LocalApi, body: unknown): Promise<unknown> => {
    const parsed = shape().safeParse(body);
    if (!parsed.success)
      throw new HttpError('BAD_REQUEST', { message: 'The body is not what this path takes.' });
    return make(api, parsed.data);
  };
}

/** @param apiFor the owner's calls, with URLs for the base URL that was dialled */
export function localRoutes(apiFor: (baseUrl: string) => LocalApi, token: string): Route[] {
  return (Object.keys(calls) as Array<keyof LocalApi>).map((name) => ({
    method: 'POST',
    path: `/local/${LOCAL_ROUTES[name]}`,
    async handle(exchange) {
      authorize(exchange, token);
      const body = await readJson(exchange.request, OTHER_BODY_BYTES);
      sendJson(exchange, 200, (await calls[name](apiFor(exchange.baseUrl), body)) ?? {});
    },
  }));
}

function authorize(exchange: Exchange, token: string): void {
  // To a proxy or tunnel on this machine, and to whoever is behind it, there is nothing here, even with the token.
  if (!isDirectLoopback(exchange)) throw new HttpError('ROUTE_NOT_FOUND');
  const { origin, referer, authorization } = exchange.request.headers;
  if (origin !== undefined || referer !== undefined) throw new HttpError('FORBIDDEN_ORIGIN');
  if (!equalSecrets(authorization ?? '', `Bearer ${token}`)) throw new HttpError('UNAUTHORIZED');
}
