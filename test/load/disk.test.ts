import assert from 'node:assert/strict';
import { chmod, chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { nodeSaveFs } from '../../src/store/file/save.ts';
import { poll } from '../changes/settled.ts';
import { longTest } from '../support/scale.ts';
import { SEED } from './model/crew.ts';
import { withCrew } from './model/withCrew.ts';

/** The ID of a user that owns nothing. */
const NOBODY = 65_534;
/** How long the clients work before the trouble, during it and after it: milliseconds of real time for each. */
const WORK_MS = 2_000;

/** Breaks saving, and returns a function that repairs it. */
type Trouble = (home: string) => Promise<() => Promise<void>>;

const full: Trouble = async () => {
  const { writeSynced } = nodeSaveFs;
  nodeSaveFs.writeSynced = async () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  return async () => {
    nodeSaveFs.writeSynced = writeSynced;
  };
};

/** Makes the home read-only. Since root may write anyway, this process then continues as another user. */
const readOnly: Trouble = async (home) => {
  const isRoot = process.geteuid?.() === 0;
  const paths = [home, ...(await readdir(home)).map((name) => join(home, name))];
  // A path may be gone: a save that ends meanwhile renames its temporary file.
  if (isRoot) for (const path of paths) await chown(path, NOBODY, NOBODY).catch(() => {});
  await chmod(home, 0o500);
  if (isRoot) process.seteuid?.(NOBODY);
  return async () => {
    if (isRoot) process.seteuid?.(0);
    await chmod(home, 0o700);
    if (isRoot) for (const path of paths) await chown(path, 0, 0).catch(() => {});
  };
};

const TROUBLES: ReadonlyArray<[what: string, trouble: Trouble]> = [
  ['the disk is full', full],
  ['the home is read-only', readOnly],
];

for (const [what, trouble] of TROUBLES) {
  longTest(`${what} for a while, while clients are at work`, async (t) => {
    t.diagnostic(`RELAY_TEST_SEED=${SEED}`);
    const options = { clients: 4, share: 0.03, allowed: ['STORE_ERROR'] };
    const { ends } = await withCrew(options, async (crew, _clock, { home, baseUrl }) => {
      const health = async () =>
        ((await (await fetch(`${baseUrl}/health`)).json()) as { status: string }).status;
      const is = (status: string) => poll(async () => ((await health()) === status ? true : null));
      const working = crew.work(3 * WORK_MS);
      working.catch(() => {});
      await setTimeout(WORK_MS);
      const mend = await trouble(home);
      try {
        assert.ok(await is('degraded'), 'nobody noticed');
        await setTimeout(WORK_MS);
      } finally {
        await mend();
      }
      assert.ok(await is('ok'), 'it does not recover');
      await working;
    });
    const refused = Object.values(ends).reduce((sum, one) => sum + (one.STORE_ERROR ?? 0), 0);
    t.diagnostic(`${refused} calls were refused`);
  });
}
