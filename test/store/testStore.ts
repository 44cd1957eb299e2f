/** A store in a home that goes away with its test, at noon. */
import { dirname } from 'node:path';
import type { TestContext } from 'node:test';
import { silentLog } from '../../src/base/log.ts';
import { readOnlyDisk } from '../../src/store/disk.ts';
import { openStore, type Store, type StoreOptions } from '../../src/store/store.ts';
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

/** Reads a file as a state, without changing anything: its schema version and its row `test_row`. @throws Error if it cannot be used */
export async function inspectStateFile(path: string): Promise<{ schemaVersion: number; row: unknown }> {
  const disk = { ...readOnlyDisk, prepare: async () => path };
  const store = await openStore({ home: dirname(path), clock: manualClock(), log: silentLog, disk });
  const { value: row = null } = store.get<{ value: unknown }>(ROW) ?? {};
  const { schemaVersion, lastSavedAt } = store.state();
  await store.close(true);
  if (lastSavedAt === null) throw new Error(`There is no file ${path}.`);
  return { schemaVersion, row };
}

const ROW = "select value from meta where name = 'test_row'";

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
  return { home, disk, clock, store: await testStore(t, { home, disk: disk.disk, clock }) };
}
