import assert from 'node:assert/strict';
import { test } from 'node:test';
import { named, tracks } from '../support/playlists.ts';
import { withControls } from '../support/simulator/control.ts';
import { send } from './web.ts';
import { withProvider } from './withProvider.ts';

const controlled = (run: Parameters<typeof withProvider>[0]) => withProvider(run, { around: withControls });

test('there are no controls by default', () =>
  withProvider(async ({ provider }) => {
    assert.equal((await send(`${provider.url}/__control/requests`, 'POST', null, {})).status, 404);
  }));

test('the controls show and clear requests, set and clear faults and expire tokens, and are not recorded themselves', () =>
  controlled(async ({ provider, call }) => {
    const control = async (name: string, body: unknown = {}) => {
      return (await send(`${provider.url}/__control/${name}`, 'POST', null, body)).json;
    };
    await call('GET', '/me');
    await control('clear-requests');
    await control('faults', {
      rules: [{ path: { regex: '^/me$' }, times: 'always', kind: 'status', status: 503 }],
    });
    assert.equal((await call('GET', '/me')).status, 503);
    assert.equal((await call('GET', '/me')).status, 503);
    await control('clear-faults');
    assert.equal((await call('GET', '/me')).status, 200);
    const { requests } = await control('requests');
    assert.deepEqual(
      requests.map(({ path, status }: { path: string; status: number }) => [path, status]),
      [
        ['/me', 503],
        ['/me', 503],
        ['/me', 200],
      ],
    );
    await control('expire-access-tokens');
    assert.equal((await call('GET', '/me')).status, 401);
  }));

test('the controls read the state and edit a playlist as another client would', () =>
  controlled(async ({ provider }) => {
    const control = async (name: string, body: unknown = {}) => {
      return (await send(`${provider.url}/__control/${name}`, 'POST', null, body)).json;
    };
    const { id } = named({ provider }, 'Empty Shelf');
    const uris = tracks({ provider }, 3);
    const { snapshot_id } = await control('edit-playlist', { playlist_id: id, uris });
    const state = await control('state');
    const found = state.playlists.find((one: { id: string }) => one.id === id);
    assert.deepEqual(found, { id, name: 'Empty Shelf', snapshot_id, uris });
    assert.deepEqual(
      [state.library.length, state.player.isPlaying, state.player.positionMs],
      [600, false, 61_000],
    );
    assert.equal((await control('state', { account: 1 })).library.length, 12);
  }));

test('the controls set the login and revoke refresh tokens', () =>
  controlled(async ({ provider, callerWith }) => {
    const control = (name: string, body: unknown = {}) =>
      send(`${provider.url}/__control/${name}`, 'POST', null, body);
    assert.equal((await control('login-as', { account: 1 })).status, 200);
    assert.equal((await control('login-as', { account: 9 })).status, 400);
    assert.equal((await control('revoke-refresh-tokens', { reason: 'Refresh token expired' })).status, 200);
    assert.equal((await (await callerWith('', 1))('GET', '/me')).json.id, 'demo-guest');
  }));

const REFUSED: [string, unknown, number][] = [
  ['faults', {}, 400],
  ['faults', { rules: [{ kind: 'hook' }] }, 400],
  ['faults', { rules: [null] }, 400],
  ['edit-playlist', { playlist_id: 'x', uris: [] }, 400],
  ['edit-playlist', {}, 400],
  ['state', { account: 'first' }, 400],
  ['revoke-refresh-tokens', { reason: 'because' }, 400],
  ['nonsense', {}, 404],
];

for (const [name, body, status] of REFUSED) {
  test(`the control ${name} refuses ${JSON.stringify(body)}`, () =>
    controlled(async ({ provider }) => {
      assert.equal((await send(`${provider.url}/__control/${name}`, 'POST', null, body)).status, status);
    }));
}
