import assert from 'node:assert/strict';
import test from 'node:test';
import { settingsMarkdown } from '../../scripts/gen/settings.ts';
import { didYouMean, nearestNames } from '../../src/base/nearest.ts';
import { SETTING_KEYS, SETTINGS } from '../../src/config/table.ts';

const NAMES = ['host', 'port', 'logLevel', 'logFormat', 'publicBaseUrl', 'providerClientId'];

const NEAREST: Array<[name: string, nearest: string[]]> = [
  ['prot', ['port']],
  ['PORT', ['port']],
  ['loglevl', ['logLevel']],
  ['providerClientID', ['providerClientId']],
  ['clientId', ['providerClientId']],
  ['zzz', []],
];

for (const [name, nearest] of NEAREST) {
  test(`nearest to ${name}: ${nearest.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(nearestNames(name, NAMES), nearest);
  });
}

test('several names that are equally near are all suggested', () => {
  assert.equal(
    didYouMean('get_artst', ['get_artist', 'get_track', 'get_artists']),
    'Did you mean "get_artist" or "get_artists"?',
  );
  assert.equal(didYouMean('zzz', NAMES), undefined);
});

test('the manual’s table of settings has a row for each setting', () => {
  const [head, rule, ...rows] = settingsMarkdown().trimEnd().split('\n');
  assert.equal(head, '| environment, flag | `config.json` | default | meaning |');
  assert.equal(rule, '|---|---|---|---|');
  assert.equal(
    rows.find((row) => row.includes('RELAY_PORT')),
    '| `RELAY_PORT`, `--port` | `port` | `4980` | Port to listen on; 0 picks a free one |',
  );
  assert.deepEqual(
    rows.map((row) => /^\| `(\w+)`/.exec(row)?.[1]),
    SETTING_KEYS.map((key) => SETTINGS[key].env),
  );
});
