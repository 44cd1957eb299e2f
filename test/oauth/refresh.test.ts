/** Rotation of refresh tokens: within its grace, one token may give several pairs, but only one of these can be refreshed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, type ManualClock, MINUTE } from '../support/clock.ts';
import type { Relay } from '../support/world.ts';
import { json, type Registered } from './clients.ts';
import {
  askToken,
  connect,
  exchanged,
  mcpStatus,
  refreshForm,
  refusal,
  type Tokens,
  tokenRefusal,
} from './tokens.ts';
import { whileUnsaved, withServer } from './withServer.ts';

interface Story {
  relay: Relay;
  client: Registered;
  /** The first pair. */
  tokens: Tokens;
  clock: ManualClock;
  /** Exchanges the pair's refresh token. */
  refresh(pair: Tokens): Promise<Tokens>;
  /** Checks that the pair's refresh token is refused. */
  refused(pair: Tokens): Promise<void>;
  /** Checks that these pairs no longer work, and that the owner sees no approval. */
  ended(...pairs: Tokens[]): Promise<void>;
  /** For each approval that the owner sees: its number of access tokens, and of refresh tokens. */
  held(): Promise<number[][]>;
}

async function story(work: (story: Story) => Promise<void>): Promise<void> {
  await withServer({}, async ({ relay, clock }) => {
    const { client, tokens } = await connect(relay);
    const form = (pair: Tokens) => refreshForm(client, pair.refresh_token);
    const refused = async (pair: Tokens) => {
      assert.equal(await tokenRefusal(relay.baseUrl, form(pair)), '400 invalid_grant');
    };
    const held = async () => {
      const { clients } = await relay.server.local.listClients();
      return clients.flatMap(({ approvals }) =>
        approvals.map(({ accessTokens, refreshTokens }) => [accessTokens, refreshTokens]),
      );
    };
    await work({
      relay,
      client,
      tokens,
      clock,
      refused,
      held,
      refresh: (pair) => exchanged(relay.baseUrl, form(pair)),
      async ended(...pairs) {
        assert.deepEqual(await held(), []);
        for (const pair of pairs) {
          assert.equal(await mcpStatus(relay.server.mcpUrl, pair.access_token), 401);
          await refused(pair);
        }
      },
    });
  });
}

test('refreshing rotates; within a minute the old token still gives a pair, for parallel processes', async () => {
  await story(async ({ relay, tokens, clock, refresh, held }) => {
    const second = await refresh(tokens);
    // Using the new access token at once does not end the grace.
    assert.equal(await mcpStatus(relay.server.mcpUrl, second.access_token), 200);
    clock.advance(30_000);
    const third = await refresh(tokens);
    const pairs = [tokens, second, third];
    assert.equal(new Set(pairs.map(({ refresh_token }) => refresh_token)).size, 3);
    for (const { access_token } of pairs) {
      assert.equal(await mcpStatus(relay.server.mcpUrl, access_token), 200);
    }
    assert.deepEqual(await held(), [[3, 2]]);
    clock.advance(DAY);
    await refresh(await refresh(third));
  });
});

for (const [ms, within] of [
  [0, true],
  [59_900, true],
  [60_000, true],
  [60_100, false],
  [-59_900, true],
  [-60_100, false],
] as const) {
  test(`a rotated token that comes back after ${ms / 1000} s ${within ? 'gives a pair' : 'ends the family'}`, async () => {
    await story(async ({ tokens, clock, refresh, refused, ended }) => {
      const second = await refresh(tokens);
      clock.advance(ms);
      if (within) {
        await refresh(await refresh(tokens));
      } else {
        await refused(tokens);
        await ended(tokens, second);
      }
    });
  });
}

test('the grace counts from the first use, however often the token comes back', async () => {
  await story(async ({ tokens, clock, refresh, refused, ended }) => {
    const second = await refresh(tokens);
    clock.advance(40_000);
    const third = await refresh(tokens);
    clock.advance(20_001);
    await refused(tokens);
    await ended(tokens, second, third);
  });
});

test('once its successor was refreshed, a rotated token ends the family, even within the minute', async () => {
  await story(async ({ tokens, refresh, refused, ended }) => {
    const second = await refresh(tokens);
    const third = await refresh(second);
    await refused(tokens);
    await ended(tokens, second, third);
  });
});

test('of several pairs from one token, the first that is refreshed continues; refreshing another ends the family', async () => {
  await story(async ({ relay, tokens, refresh, refused, ended, held }) => {
    const one = await refresh(tokens);
    const other = await refresh(tokens);
    const next = await refresh(other);
    // One refresh token is left. The access tokens stay valid until their hour is over.
    assert.deepEqual(await held(), [[4, 1]]);
    for (const { access_token } of [tokens, one, other, next]) {
      assert.equal(await mcpStatus(relay.server.mcpUrl, access_token), 200);
    }
    await refused(one);
    await ended(tokens, one, other, next);
  });
});

test('exchanges of one token at the same moment all get a pair, of which one continues', async () => {
  await story(async ({ tokens, refresh, refused, ended, held }) => {
    const pairs = await Promise.all([refresh(tokens), refresh(tokens), refresh(tokens)]);
    assert.deepEqual(await held(), [[4, 3]]);
    const [one, other, third] = pairs as [Tokens, Tokens, Tokens];
    const next = await refresh(other);
    assert.deepEqual(await held(), [[5, 1]]);
    await refused(third);
    await ended(one, other, third, next);
  });
});

test('exchanges that cannot be saved leave the token as it was', async () => {
  await story(async ({ relay, client, tokens, clock, refresh, held }) => {
    const ask = () => askToken(relay.baseUrl, refreshForm(client, tokens.refresh_token));
    const answers = await whileUnsaved(relay, () => Promise.all([ask(), ask()]));
    for (const answer of answers) assert.equal(refusal(answer), '503 temporarily_unavailable');
    // If a failed exchange had rotated the token, it would now come back too late.
    clock.advance(2 * MINUTE);
    assert.deepEqual(await held(), [[1, 1]]);
    await refresh(tokens);
  });
});

test('an approval ends after twelve months, however often it was refreshed', async () => {
  await story(async ({ relay, client, tokens, clock, refresh, ended }) => {
    let pair = tokens;
    for (let month = 0; month < 18; month++) {
      clock.advance(20 * DAY);
      pair = await refresh(pair);
    }
    clock.advance(5 * DAY - 30_000);
    const answer = await askToken(relay.baseUrl, refreshForm(client, pair.refresh_token));
    const last = json(answer);
    assert.equal(last.expires_in, 30);
    assert.equal(await mcpStatus(relay.server.mcpUrl, String(last.access_token)), 200);
    clock.advance(30_000);
    await ended(pair, last as unknown as Tokens);
  });
});
