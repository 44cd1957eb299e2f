import assert from 'node:assert/strict';
import test from 'node:test';
import { didYouMean, nearestNames } from '../../src/base/nearest.ts';

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
