import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readsEnvironment, wrongReads } from '../scripts/check/environment.ts';
import { wrongImports } from '../scripts/check/imports.ts';
import { crowdedPlaces } from '../scripts/check/layout.ts';
import { strayWriters } from '../scripts/check/writers.ts';

test('imports go one way', () => {
  assert.deepEqual(wrongImports(), []);
});

test('no directory is crowded, and no file name is used more than three times', () => {
  assert.deepEqual(crowdedPlaces(), []);
});

test('nothing writes text to the terminal that was not cleaned', () => {
  assert.deepEqual(strayWriters(), []);
});

test('the environment is read in one place', () => {
  assert.deepEqual(wrongReads(), []);
  for (const reading of [
    'inspect({ env: process.env })',
    'const { env, argv } = process;',
    "process['env']",
    'process?.env.HOME',
    "import { env } from 'node:process';",
  ]) {
    assert.equal(readsEnvironment(reading), true, reading);
  }
  assert.equal(readsEnvironment('// process.env is not for settings\nconst { env } = world;'), false);
});
