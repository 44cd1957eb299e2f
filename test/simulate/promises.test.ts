import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { changed, MUTANTS } from './mutants.ts';
import { runSeed, type SubjectOfRun } from './runs.ts';

const ROOT = new URL('../../', import.meta.url);

const SEEDS = 30;

test('histories keep both promises, and the same seed gives the same history', async () => {
  const found: string[] = [];
  const check = async (seed: number, only?: SubjectOfRun) => {
    const { findings, hash } = await runSeed(seed, only);
    found.push(...findings.map(({ rule, text }) => `--seed ${seed} --only ${only}: ${rule}: ${text}`));
    return hash;
  };
  const first = await check(1);
  for (let seed = 2; seed <= SEEDS; seed++) await check(seed);
  assert.equal(await check(1), first);
  await check(1, 'keeps');
  assert.deepEqual(found, [], 'npm run simulate -- --seed SEED prints the shortest story');
});

test('each mistake that is made on purpose has its passage in the program, and one is found', async () => {
  for (const mutant of MUTANTS) changed(readFileSync(new URL(mutant.file, ROOT), 'utf8'), mutant);
  const args = ['scripts/run.mjs', 'simulate', '--width', '1', '--mutants', '--mutant', 'counts as written'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: fileURLToPath(ROOT) });
  assert.match(stdout, /^\| a lost answer counts as written \| \d+ \|/);
});
