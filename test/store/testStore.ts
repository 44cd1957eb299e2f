/** A store in a home that goes away with its test, at noon. */
import type { TestContext } from 'node:test';
import { silentLog } from '../../src/base/log.ts';
import { inspectContent, openStore, type Store, type StoreOptions } from '../../src/store/file/open.ts';
import { readStateFile } from '../../src/store/file/stateFile.ts';
import type { SchemaVersions } from '../../src/store/sql/migrate.ts';
import type { Account } from '../../src/store/tables/account.ts';
import { manualClock as clockAt } from '../support/clock.ts';
import { temporaryHome } from '../support/temporaryHome.ts';
import { testDisk } from './testDisk.ts';

export { temporaryHome } from '../support/temporaryHome.ts';

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

/** Checks that a file could be opened as the state, without changing anything. @throws Error if it could not */
export async function inspectStateFile(path: string): Promise<SchemaVersions> {
  const file = await readStateFile(path);
  if (!file) throw new Error(`There is no file ${path}.`);
  return inspectContent(path, file.bytes);
}

/** A clock that begins at `NOON`. */
export const manualClock = () => clockAt(NOON);

/** A store in a home of its own, closed after the test. */
export async function testStore(t: TestContext, options: Partial<StoreOptions> = {}): Promise<Store> {
  const home = options.home ?? temporaryHome(t);
  const store = await openStore({ clock: manualClock(), log: silentLog, ...options, home });
  t.after(() => store.close().catch(() => {}));
  return store;
}

/** A test store with its home, disk and clock, for a test that looks at the home, moves the clock or makes the disk fail. */
export async function storeOnDisk(t: TestContext) {
  const [home, disk, clock] = [temporaryHome(t), testDisk(), manualClock()];
  return { home, disk, clock, store: await testStore(t, { home, fs: disk.fs, clock }) };
}
