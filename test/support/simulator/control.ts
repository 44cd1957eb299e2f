/**
 * The simulated provider's controls over HTTP, for tests that run in another process: `POST /__control/…` with a JSON
 * object, answered with a JSON object. Pass `withControls` as `around`.
 */
import type { Hook } from '../../../src/demo/hook.ts';
import { type Answer, apiError, type Incoming, jsonBody, Refusal, refuse } from '../../../src/demo/http.ts';
import { REFRESH_FAILURES } from '../../../src/demo/oauth/grants.ts';
import { type DemoAccount, snapshotOf } from '../../../src/demo/state.ts';
import type { FaultRule } from './faults.ts';
import type { Simulator } from './simulator.ts';

const PREFIX = '/__control/';

type Body = Record<string, unknown>;
/** Returns the answer; undefined is sent as an empty object. */
type Control = (provider: Simulator, body: Body) => unknown;

const CONTROLS: Readonly<Record<string, Control>> = {
  requests: ({ requests }) => ({ requests }),
  'clear-requests': (provider) => provider.clearRequests(),
  faults: (provider, body) => provider.faults.add(...rulesIn(body)),
  'clear-faults': (provider) => provider.faults.clear(),
  'expire-access-tokens': (provider) => provider.expireAccessTokens(),
  'revoke-refresh-tokens': (provider, { reason }) => {
    const known = REFRESH_FAILURES.find((one) => one === reason);
    if (reason !== undefined && !known)
      throw refuse(400, `reason must be one of: ${REFRESH_FAILURES.join(', ')}`);
    provider.revokeRefreshTokens(known);
  },
  lag: (provider, body) => provider.lag.set(body),
  relink: (provider, { uri, shown }) => provider.lag.relink(String(uri), String(shown)),
  vanish: (provider, { uri }) => provider.lag.vanish(String(uri)),
  'show-all': (provider) => provider.lag.showAll(),
  'login-as': (provider, body) => provider.loginAs(accountIndex(provider, body)),
  state: (provider, body) => accountState(provider.accounts[accountIndex(provider, body)]),
  'edit-playlist': (provider, { playlist_id: id, uris }) => {
    if (typeof id !== 'string' || !Array.isArray(uris)) throw refuse(400, 'playlist_id and uris are needed');
    return { snapshot_id: provider.editPlaylist(id, uris.map(String)) };
  },
};

/** Answers the controls, which are neither logged nor subject to faults, and passes everything else to `next`. */
export function withControls(next: Hook, simulator: () => Simulator): Hook {
  return async (context) => {
    if (!context.request.path.startsWith(PREFIX)) return next(context);
    return { answer: answerControl(simulator(), context.request), manner: 'whole' };
  };
}

/** Answers a control with 200, or with 400 or 404 for bad input. */
function answerControl(provider: Simulator, incoming: Incoming): Answer {
  const name = incoming.path.slice(PREFIX.length);
  const control = Object.hasOwn(CONTROLS, name) ? CONTROLS[name] : undefined;
  if (!control || incoming.method !== 'POST') return apiError(404, `There is no control ${name}`);
  try {
    return { status: 200, json: control(provider, jsonBody(incoming)) ?? {} };
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    if (error instanceof RangeError) return apiError(400, error.message);
    throw error;
  }
}

function accountIndex(provider: Simulator, { account = 0 }: Body): number {
  const index = typeof account === 'number' ? account : -1;
  if (!provider.accounts[index]) throw refuse(400, 'There is no such account');
  return index;
}

function accountState(account: DemoAccount | undefined): Record<string, unknown> {
  if (!account) return {};
  const { playlists, saved, player } = account;
  return {
    playlists: playlists.map((playlist) => ({
      id: playlist.id,
      name: playlist.name,
      snapshot_id: snapshotOf(playlist),
      uris: playlist.rows.map((row) => row.uri),
    })),
    library: saved.map(({ uri }) => uri),
    player,
  };
}

/** Reads rules in the form of `faults.add`. A `path` may also be `{ "regex": "…" }`, and `times` may be `"always"`. */
function rulesIn({ rules }: Body): FaultRule[] {
  if (!Array.isArray(rules)) throw refuse(400, 'rules must be a list');
  return rules.map((rule) => {
    const kind: unknown = rule?.kind;
    if (typeof kind !== 'string' || !REMOTE_KINDS.includes(kind))
      throw refuse(400, `Not a kind of fault: ${kind}`);
    const { regex } = rule.path ?? {};
    const path = typeof regex === 'string' ? { path: new RegExp(regex) } : {};
    return { ...rule, ...path, ...(rule.times === 'always' ? { times: Number.POSITIVE_INFINITY } : {}) };
  });
}

/** All kinds of faults but `transform` and `hook`, which have functions, and functions cannot be sent. */
const REMOTE_KINDS: readonly string[] = [
  'latency',
  'status',
  'rate_limit',
  'html',
  'no_snapshot',
  'quota',
  'drop',
  'status_after',
  'late',
  'slow_answer',
  'hang',
  'malformed',
  'empty',
  'slow_body',
];
