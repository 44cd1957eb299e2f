/** A home that goes away with its test, a clock that stands still, and a disk that fails on request. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { silentLog } from '../../src/base/log.ts';
import { inspectContent, openStore, type Store, type StoreOptions } from '../../src/store/file/open.ts';
import { nodeSaveFs, type SaveFs } from '../../src/store/file/save.ts';
import { readStateFile } from '../../src/store/file/stateFile.ts';
import type { SchemaVersions } from '../../src/store/sql/migrate.ts';
import type { Account } from '../../src/store/tables/account.ts';
import { manualClock as clockAt } from '../support/clock.ts';

export { until } from '../support/until.ts';

export const NOON = Date.UTC(2026, 0, 15, 12);

/** A connected account. */
export const ACCOUNT: Account = {
  providerUserId: 'ada',
  accountId: 'acc-1',
  displayName: 'Ada',
  scopes: ['user-top-read', 'playlist-read-private'],
  consentAt: NOON,
  loginExpiresAt: NOON + 180 * 86_400_000,
  accessExpiresAt: NOON + 3_600_000,
  reauthorizationRequired: false,
  reauthorizationReason: null,
};

export async function temporaryHome(t: TestContext): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'relay-test-'));
  t.after(() => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }));
  return home;
}

/** Checks that a file could be opened as the state, without changing anything. @throws Error where it could not */
export async function inspectStateFile(path: string): Promise<SchemaVersions> {
  const file = await readStateFile(path);
  if (!file) throw new Error(`There is no file ${path}.`);
  return inspectContent(path, file.bytes);
}

/** A clock that begins at `NOON`. */
export const manualClock = () => clockAt(NOON);

export interface TestDisk {
  fs: SaveFs;
  /** Renames done so far. */
  saves(): number;
  /** From now on the step fails with this system error; null ends the failure. */
  fail(code: string | null, step?: keyof SaveFs): void;
  /** Stops the next writes until the returned function is called. */
  hold(): () => void;
}

/** The real disk, with failures. */
export function testDisk(): TestDisk {
  let saves = 0;
  let failing: { code: string; step: keyof SaveFs } | null = null;
  let gate = Promise.resolve();
  const attempt = async (step: keyof SaveFs, path: string, work: () => Promise<void>) => {
    if (step === 'writeSynced') await gate;
    if (failing?.step === step) {
      // A full disk leaves half a file.
      if (step === 'writeSynced') await nodeSaveFs.writeSynced(path, Buffer.from('half'));
      throw Object.assign(new Error(`${failing.code}: simulated`), { code: failing.code });
    }
    await work();
    if (step === 'rename') saves++;
  };
  return {
    fs: {
      ...nodeSaveFs,
      writeSynced: (path, bytes) => attempt('writeSynced', path, () => nodeSaveFs.writeSynced(path, bytes)),
      rename: (from, to) => attempt('rename', to, () => nodeSaveFs.rename(from, to)),
      syncDirectory: (path) => attempt('syncDirectory', path, () => nodeSaveFs.syncDirectory(path)),
    },
    saves: () => saves,
    fail(code, step = 'writeSynced') {
      failing = code === null ? null : { code, step };
    },
    hold() {
      let open = () => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
  };
}

/** A store in a home of its own, closed after the test. */
export async function testStore(t: TestContext, options: Partial<StoreOptions> = {}): Promise<Store> {
  const home = options.home ?? (await temporaryHome(t));
  const store = await openStore({ clock: manualClock(), log: silentLog, ...options, home });
  t.after(() => store.close().catch(() => {}));
  return store;
}
