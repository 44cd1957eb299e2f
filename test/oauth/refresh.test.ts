/** Rotation of refresh tokens: within its grace, one token may give several pairs, but only one of these can be refreshed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY } from '../support/clock.ts';
import type { Relay } from '../support/world.ts';
import { json } from './clients.ts';
import { askToken, connect, exchanged, mcpStatus, refreshForm, type Tokens, tokenRefusal } from './tokens.ts';
import { withServer } from './withServer.ts';

/** A client with its first pair, and what is done with a pair. */
async function story(relay: Relay) {
  const { client, tokens } = await connect(relay);
  const form = (pair: Tokens) => refreshForm(client, pair.refresh_token);
  /** For each approval that the owner sees: its number of access tokens, and of refresh tokens. */
  const held = async () => {
    const { clients } = await relay.server.local.listClients();
    return clients.flatMap(({ approvals }) => approvals.map((one) => [one.accessTokens, one.refreshTokens]));
  };
  const refused = async (pair: Tokens) =>
    assert.equal(await tokenRefusal(relay.baseUrl, form(pair)), '400 invalid_grant');
  return {
    client,
    tokens,
    held,
    refused,
    refresh: (pair: Tokens) => exchanged(relay.baseUrl, form(pair)),
    /** Checks that these pairs no longer work, and that the owner sees no approval. */
    async ended(...pairs: Tokens[]) {
      assert.deepEqual(await held(), []);
      for (const pair of pairs) {
        assert.equal(await mcpStatus(relay.server.mcpUrl, pair.access_token), 401);
        await refused(pair);
      }
    },
  };
}

test('refreshing rotates; within a minute the old token still gives a pair, for parallel processes', () =>
  withServer({}, async ({ relay, clock }) => {
    const { tokens, refresh, held } = await story(relay);
    const second = await refresh(tokens);
    // Using the new access token at once does not end the grace.
    assert.equal(await mcpStatus(relay.server.mcpUrl, second.access_token), 200);
    clock.advance(30_000);
    const third = await refresh(tokens);
    const pairs = [tokens, second, third];
    assert.equal(new Set(pairs.map(({ refresh_token }) => refresh_token)).size, 3);
    for (const { access_token } of pairs)
      assert.equal(await mcpStatus(relay.server.mcpUrl, access_token), 200);
    assert.deepEqual(await held(), [[3, 2]]);
    clock.advance(DAY);
    await refresh(await refresh(third));
  }));

/** Each step waits, then refreshes a pair: the first is number 0, and every refresh adds one. */
const REUSE: ReadonlyArray<[what: string, isGood: boolean, ...steps: Array<[waitMs: number, pair: number]>]> =
  [
    ['comes back at once', true, [0, 0], [0, 0]],
    ['comes back after a minute', true, [0, 0], [60_000, 0]],
    ['comes back later', false, [0, 0], [60_100, 0]],
    ['comes back after the clock was set back', true, [0, 0], [-59_900, 0]],
    ['comes back after the clock was set back further', false, [0, 0], [-60_100, 0]],
    ['comes back often, the last time a minute after its first use', false, [0, 0], [40_000, 0], [20_001, 0]],
    ['comes back after its successor was refreshed', false, [0, 0], [0, 1], [0, 0]],
    [
      'is one of several from one token, of which another was refreshed',
      false,
      [0, 0],
      [0, 0],
      [0, 2],
      [0, 1],
    ],
  ];

for (const [what, isGood, ...steps] of REUSE) {
  test(`a token that ${what} ${isGood ? 'gives a pair' : 'ends the family'}`, () =>
    withServer({}, async ({ relay, clock }) => {
      const { tokens, refresh, refused, ended } = await story(relay);
      const pairs = [tokens];
      for (const [index, [waitMs, number]] of steps.entries()) {
        clock.advance(waitMs);
        const pair = pairs[number] ?? assert.fail();
        if (isGood || index < steps.length - 1) pairs.push(await refresh(pair));
        else await refused(pair);
      }
      if (isGood) await refresh(pairs.at(-1) ?? tokens);
      else await ended(...pairs);
    }));
}

test('exchanges of one token at the same moment all get a pair, of which one continues', () =>
  withServer({}, async ({ relay }) => {
    const { tokens, refresh, refused, ended, held } = await story(relay);
    const pairs = await Promise.all([refresh(tokens), refresh(tokens), refresh(tokens)]);
    assert.deepEqual(await held(), [[4, 3]]);
    const [one, other, third] = pairs as [Tokens, Tokens, Tokens];
    const next = await refresh(other);
    // One refresh token is left. The access tokens stay valid until their hour is over.
    assert.deepEqual(await held(), [[5, 1]]);
    await refused(third);
    await ended(one, other, third, next);
  }));

test('an approval ends after twelve months, however often it was refreshed', () =>
  withServer({}, async ({ relay, clock }) => {
    const { client, tokens, refresh, ended } = await story(relay);
    let pair = tokens;
    for (let month = 0; month < 18; month++) {
      clock.advance(20 * DAY);
      pair = await refresh(pair);
    }
    clock.advance(5 * DAY - 30_000);
    const last = json(await askToken(relay.baseUrl, refreshForm(client, pair.refresh_token)));
    assert.equal(last.expires_in, 30);
    assert.equal(await mcpStatus(relay.server.mcpUrl, String(last.access_token)), 200);
    clock.advance(30_000);
    await ended(pair, last as unknown as Tokens);
  }));
