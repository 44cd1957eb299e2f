import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { until, withClock } from '../support/waiting.ts';

test('stopping does not wait for idle connections', () =>
  withClock(async ({ baseUrl, server, provider, client, call }) => {
    const { port, hostname } = new URL(baseUrl);
    const silent = connect(Number(port), hostname);
    await once(silent, 'connect');
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve, reject) => {
      const outgoing = request(`${baseUrl}/health`, { agent }, (response) => {
        response.resume().once('end', resolve);
      });
      outgoing.once('error', reject).end();
    });
    // While the server begins to stop, one call is at work, and another was given up by its client.
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    provider.faults.add({ path: '/me/player/devices', kind: 'hook', fn: () => gate });
    const working = call('get_devices');
    await until(() => provider.requests.length > 0);
    const leave = new AbortController();
    provider.faults.add({ path: '/me/player', kind: 'hang', when: 'before' });
    const given = client.callTool({ name: 'get_playback_state' }, { signal: leave.signal });
    await until(() => provider.requests.length > 1);
    leave.abort();
    await assert.rejects(given);
    const stopped = server.close();
    release();
    assert.equal((await working).error, undefined);
    // The clock stands still, so this would never end if the server waited for the grace.
    await stopped;
    agent.destroy();
    silent.destroy();
  }));

test('a call that does not end within the grace fails with SHUTTING_DOWN', () =>
  withClock(async ({ server, provider, call }, clock) => {
    provider.faults.add({ path: '/me/player/devices', kind: 'hang', when: 'before' });
    const working = call('get_devices');
    await until(() => provider.requests.length > 0);
    const stopped = server.close();
    await clock.pass(5_000);
    assert.equal(((await working).error as { code: string }).code, 'SHUTTING_DOWN');
    await stopped;
  }));
