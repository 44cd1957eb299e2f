/** Anybody may have made a copy. Anything in it that relay did not make is named in the error, in a bounded time. */
import assert from 'node:assert/strict';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import type { Database } from 'sql.js';
import { silentLog } from '../../src/base/log.ts';
import { MIGRATIONS } from '../../src/generated/sql.ts';
import { readCopy } from '../../src/store/copies/restoreCopy.ts';
import { openStore } from '../../src/store/file/open.ts';
import { loadSqlite } from '../../src/store/sql/sqlite.ts';
import { manualClock, temporaryHome } from './testStore.ts';

const PLANTED = 5;
/** Far longer than a refusal takes; an endless query would never return. */
const MAX_MS = 30_000;
const ENDLESS =
  'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) as value from n';

/** A home whose state has a few rows. `bytes` is that state; `attempt` reads changed bytes as a copy. */
async function desk(t: TestContext, migrations = MIGRATIONS) {
  const home = temporaryHome(t);
  const folder = temporaryHome(t);
  const store = await openStore({ home, clock: manualClock(), log: silentLog, migrations });
  await store.durable(() => {
    store.run("insert into meta (name, value) values ('test_row', 'kept')");
    store.run(
      "insert into api_errors (provider, scope, method, path, code, message, first_seen_at, last_seen_at) values ('p', 's', 'GET', '/x', 'C', 'm', 1, 2)",
    );
  });
  await store.close();
  const bytes = await readFile(join(home, 'relay.db'));
  const file = join(folder, 'copy');
  async function attempt(content: Uint8Array): Promise<Error | null> {
    await writeFile(file, content);
    const startedAt = performance.now();
    try {
      const copy = await readCopy(file, home, manualClock());
      await copy.store.close();
      return null;
    } catch (error) {
      return error as Error;
    } finally {
      assert.ok(performance.now() - startedAt < MAX_MS);
      assert.deepEqual(await readdir(home), ['relay.db']);
      assert.deepEqual(await readFile(join(home, 'relay.db')), bytes);
    }
  }
  return { home, file, bytes, attempt };
}

async function changed(bytes: Uint8Array, change: (db: Database) => void): Promise<Uint8Array> {
  const SQL = await loadSqlite();
  // SQLite writes into the very bytes that it is given.
  const db = new SQL.Database(new Uint8Array(bytes));
  try {
    change(db);
    return db.export();
  } finally {
    db.close();
  }
}

const REMEDY = 'The state of this home is unchanged. Restore another copy.';

function assertRefused(error: Error | null, what?: string): void {
  const { code, remedy } = (error ?? {}) as { code?: string; remedy?: string };
  assert.deepEqual([code, remedy], ['STATE_DAMAGED', REMEDY], what ?? error?.stack);
}

const KINDS: Record<string, (i: number) => string> = {
  trigger: (i) =>
    `create trigger t${i} after insert on ${i % 2 ? 'meta' : 'secrets'} begin delete from account; end`,
  view: (i) => `create view v${i} as ${ENDLESS}`,
  table: (i) => `create table extra${i} (a, b as (a * 2))`,
  index: (i) => `create index i${i} on api_errors (path, ${i % 2 ? 'code' : 'abs(last_seen_at)'})`,
};

for (const [kind, sqlOf] of Object.entries(KINDS)) {
  test(`a planted ${kind} is named in the error, and ${PLANTED} at once are refused too`, async (t) => {
    const { bytes, attempt } = await desk(t);
    for (let i = 0; i < PLANTED; i++) {
      const error = await attempt(await changed(bytes, (db) => db.exec(sqlOf(i))));
      assertRefused(error);
      assert.match(
        error?.message ?? '',
        new RegExp(`it holds a ${kind} "[a-z]+${i}" that relay did not make`),
      );
    }
    const all = await changed(bytes, (db) => {
      for (let i = 0; i < PLANTED; i++) db.exec(sqlOf(i));
    });
    assertRefused(await attempt(all));
  });
}

const ALTERED: Array<[what: string, sql: string, words: RegExp]> = [
  [
    'an endless view in the place of a table',
    `drop table meta; create view meta as select 'oldest_compatible' as name, value from (${ENDLESS})`,
    /view "meta"/,
  ],
  [
    'a virtual table',
    "update sqlite_schema set sql = 'create virtual table meta using fts5(x)', rootpage = 0 where name = 'meta'",
    /damaged|differs from the one that relay creates|cannot be used/,
  ],
  [
    'a check that was taken out',
    "update sqlite_schema set sql = replace(sql, ' check (id = 1)', '') where name = 'account'",
    /its table "account" differs from the one that relay creates/,
  ],
  [
    'a check that never ends',
    `update sqlite_schema set sql = replace(sql, 'check (id = 1)', 'check (id = 1 or randomblob(1000000000) is null)') where name = 'account'`,
    /its table "account" differs from the one that relay creates/,
  ],
  [
    'a generated column',
    "update sqlite_schema set sql = replace(sql, 'access_expires_at        integer', 'access_expires_at integer as (consent_at)') where name = 'account'",
    /its table "account" differs from the one that relay creates/,
  ],
  ['an index that is missing', 'drop index api_errors_recent', /its index "api_errors_recent" is missing/],
  [
    'an index on another column',
    'drop index api_errors_recent; create index api_errors_recent on api_errors (path)',
    /its index "api_errors_recent" differs from the one that relay creates/,
  ],
  ['a name with control characters', 'create table "\u001b[2J\u202e" (x)', /it holds a table "\?\[2J\?"/],
  [
    'two tables on one page',
    "update sqlite_schema set rootpage = (select rootpage from sqlite_schema where name = 'secrets') where name = 'oauth_clients'",
    /SQLite reports damage/,
  ],
];

for (const [what, sql, words] of ALTERED) {
  test(`${what} is refused`, async (t) => {
    const { bytes, attempt } = await desk(t);
    const error = await attempt(await changed(bytes, (db) => db.exec(`pragma writable_schema = on; ${sql}`)));
    assertRefused(error);
    assert.match(error?.message ?? '', words);
  });
}

const PAYLOAD = { strict: false, dry_run: false, skip_existing: false, skip_duplicates: false };
const TRACK = {
  id: null,
  uri: 'spotify:local:a:b:c:1',
  type: 'track',
  name: 'a',
  artists: [{ id: null, name: 'b' }],
  album: { id: null, name: null, release_date: null },
  duration_ms: null,
  explicit: null,
  is_local: true,
  isrc: null,
  url: null,
};

type Row = Record<string, string | number | Uint8Array | null>;

const packedText = (text: string) => new Uint8Array(deflateRawSync(text));
const packed = (value: unknown) => packedText(JSON.stringify(value));

/** Rows as this program writes them; each test changes one column. */
const SOUND: Record<string, Row> = {
  tracks: { id: 't', data: JSON.stringify(TRACK), updated_at: 1 },
  oauth_clients: {
    client_id: 'c',
    redirect_uris: '["http://127.0.0.1/cb"]',
    grant_types: '["authorization_code"]',
    source: 'registered',
    created_at: 1,
  },
  works: {
    seq: 1,
    id: 'j',
    kind: 'add',
    asked_by: 'Some client',
    status: 'pending',
    phase: 'resolve',
    payload: JSON.stringify(PAYLOAD),
    error: '{"code":"FORBIDDEN","message":"m","remedy":{"text":"{command}","command":["login"]}}',
    result: '{"written":1}',
    outcome: 'done',
    body: packed({ former: {}, ops: [{ op: 'save', uris: [] }] }),
    total_items: 1,
    max_attempts: 3,
    created_at: 1,
    updated_at: 1,
  },
  items: {
    work: 1,
    position: 0,
    input: JSON.stringify({ title: 'a', artist: 'b', year: 1999 }),
    key: 'k',
    status: 'pending',
    track: JSON.stringify(TRACK),
    candidates: JSON.stringify([{ track: TRACK, score: 0.5, reasons: ['title'] }]),
    error: null,
  },
  keeps: {
    id: 'k',
    account: 'a',
    name: 'Kept',
    query: 'SELECT uri FROM saved',
    every: 'day',
    status: 'active',
    left_rows: new Uint8Array(deflateRawSync('\nspotify:track:1')),
    gone: '[]',
    failures: 0,
    due_at: 1,
    created_at: 1,
  },
};

function insertAll(db: Database, rows: Record<string, Row>): void {
  for (const [table, row] of Object.entries(rows)) {
    const places = Object.keys(row).map(() => '?');
    const sql = `insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')})`;
    db.run(sql, Object.values(row));
  }
}

test('rows as the program writes them come back', async (t) => {
  const { bytes, attempt } = await desk(t);
  assert.equal(await attempt(await changed(bytes, (db) => insertAll(db, SOUND))), null);
});

test('a file that is cut off anywhere, or says that it is huge, is refused', async (t) => {
  const { bytes, attempt } = await desk(t);
  for (let length = 0; length < bytes.length; length += 9_973) {
    assertRefused(await attempt(bytes.subarray(0, length)), `${length} bytes`);
  }
  const huge = Buffer.from(bytes);
  huge.writeUInt32BE(0xff_ff_ff_fe, 28);
  assert.match((await attempt(huge))?.message ?? '', /it is truncated/);
  // If the counters differ, SQLite goes by the length of the file.
  huge.writeUInt32BE(1, 92);
  await attempt(huge);
});

test('a file larger than any state is refused unread', async (t) => {
  const { file, home, bytes } = await desk(t);
  await writeFile(file, bytes);
  await truncate(file, 40 * 1024 ** 3);
  await assert.rejects(readCopy(file, home, manualClock()), {
    message: /it is 40960 MiB, larger than any state/,
  });
});

test('files that are not ours are refused, but one with a write-ahead header is accepted', async (t) => {
  const { bytes, attempt } = await desk(t);
  const SQL = await loadSqlite();
  const other = new SQL.Database();
  other.exec('create table notes (text)');
  const foreign = other.export();
  other.close();
  const masked = Buffer.from(bytes);
  for (let at = 100; at < masked.length; at++) masked[at] = (masked[at] ?? 0) ^ ((at * 131) & 0xff);
  for (const content of [foreign, masked, Buffer.alloc(8_192, 0x41), masked.map((byte) => byte ^ 0x55)]) {
    assertRefused(await attempt(content));
  }
  const wal = Buffer.from(bytes);
  wal[18] = wal[19] = 2;
  assert.equal(await attempt(wal), null);
});
