/** Which versions are kept, how much space they take, and that their rows come back. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { VersionRow } from '../../src/domain/versions.ts';
import { parseWhen } from '../../src/domain/when.ts';
import { MEMORY } from '../../src/library/files/schema.ts';
import {
  keptVersions,
  listVersions,
  recordVersion,
  rowsOfVersion,
} from '../../src/library/tables/versions.ts';
import { migrate } from '../../src/store/sql/migrate.ts';
import { createSql, type Sql } from '../../src/store/sql/sql.ts';
import { loadSqlite } from '../../src/store/sql/sqlite.ts';
import { DAY, HOUR } from '../support/clock.ts';

const NOW = new Date(2026, 10, 20, 12, 30).getTime();

test('all versions of the last hour are kept, then one for each hour, then for each day, then for each week', () => {
  // A version every five minutes for a hundred days.
  const times = Array.from(
    { length: (100 * DAY) / 300_000 },
    (_, index) => NOW - 100 * DAY + index * 300_000,
  );
  const kept = keptVersions(times, NOW);
  const left = times.filter((_, index) => kept[index]);
  const between = (from: number, to: number) => left.filter((time) => NOW - time >= from && NOW - time < to);
  assert.equal(between(0, HOUR).length, times.filter((time) => NOW - time < HOUR).length);
  assert.ok([23, 24].includes(between(HOUR, DAY).length));
  assert.ok([29, 30].includes(between(DAY, 30 * DAY).length));
  assert.ok([10, 11].includes(between(30 * DAY, 100 * DAY).length));
  for (const time of between(DAY, 30 * DAY).slice(1)) {
    const { hours, minutes } = { hours: new Date(time).getHours(), minutes: new Date(time).getMinutes() };
    assert.deepEqual([hours, minutes], [23, 55], 'the newest of a day');
  }
  assert.deepEqual(keptVersions([NOW - 400 * DAY], NOW), [true]);
});

/** Gives back the time zone after the test. */
function restoreZone(t: TestContext): void {
  const before = process.env.TZ;
  t.after(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
}

test('a time that the clock shows twice, as when summer time ends, means the later moment', (t) => {
  restoreZone(t);
  const dayAfter = Date.UTC(2026, 10, 20);
  for (const [zone, text, now, expected] of [
    ['Europe/Berlin', '2026-10-25 02:30:00', dayAfter, '2026-10-25T01:30:00Z'],
    ['Europe/Berlin', '2026-10-25 03:30:00', dayAfter, '2026-10-25T02:30:00Z'],
    ['Europe/Berlin', '2026-10-25 01:30:00', dayAfter, '2026-10-24T23:30:00Z'],
    ['Europe/Berlin', '2026-10-25 02:30:00+02', dayAfter, '2026-10-25T00:30:00Z'],
    ['Europe/Berlin', '02:30:00', Date.UTC(2026, 9, 25, 0, 40), '2026-10-25T00:30:00Z'],
    ['Europe/Berlin', '02:30:00', Date.UTC(2026, 9, 25, 1, 40), '2026-10-25T01:30:00Z'],
    ['Australia/Lord_Howe', '2026-04-05 01:45:00', dayAfter, '2026-04-04T15:15:00Z'],
    ['Australia/Lord_Howe', '2026-04-05 01:15:00', dayAfter, '2026-04-04T14:15:00Z'],
    ['UTC', '2026-10-25 02:30:00', dayAfter, '2026-10-25T02:30:00Z'],
  ] as const) {
    process.env.TZ = zone;
    assert.deepEqual(parseWhen(text, now), { kind: 'time', at: Date.parse(expected) }, `${zone} ${text}`);
  }
});

test('the version at the end of a day is kept in any time zone', (t) => {
  restoreZone(t);
  for (const zone of ['Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns', 'Europe/Berlin', 'UTC']) {
    process.env.TZ = zone;
    const midnight = new Date(2026, 10, 20).getTime();
    const times = [-5, 5, 25].map((minutes) => midnight + minutes * 60_000);
    assert.equal(keptVersions(times, midnight + 12 * HOUR)[0], true, zone);
  }
});

async function emptyFile(): Promise<{ sql: Sql; close(): void }> {
  const SQL = await loadSqlite();
  const db = new SQL.Database();
  migrate(db, MEMORY);
  const sql = createSql(db);
  return { sql, close: () => db.close() };
}

/** Every kept version has the rows of its time, and counts the rows added and removed since the kept version before it. */
test('after versions are thinned out, those that are kept have the right rows and counts', async () => {
  const { sql, close } = await emptyFile();
  const list = { id: 'list', name: 'List' };
  const truth = new Map<number, string[]>();
  let seed = 7;
  const chance = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  let rows: VersionRow[] = Array.from({ length: 12 }, (_, index) => versionRow(index));
  for (let step = 0, now = NOW; step < 250; step++) {
    now += [60_000, 20 * 60_000, 5 * HOUR, 2 * DAY][chance(4)] ?? 0;
    rows = rows.toSpliced(chance(rows.length), chance(3), ...(chance(2) ? [versionRow(chance(60))] : []));
    if (rows.length < 3) rows.push(versionRow(chance(60)), versionRow(chance(60)), versionRow(chance(60)));
    recordVersion(sql, list, rows, now);
    const [newest] = listVersions(sql, 'list');
    truth.set(
      newest?.version ?? 0,
      rows.map(({ uri }) => uri ?? ''),
    );
  }
  const kept = listVersions(sql, 'list').toReversed();
  assert.ok(kept.length > 15 && kept.length < 150, `${kept.length} versions`);
  let before: string[] = [];
  for (const { version, total, added, removed } of kept) {
    const found = rowsOfVersion(sql, 'list', version)?.map(({ uri }) => uri ?? '') ?? [];
    assert.deepEqual(found, truth.get(version));
    const stay = common(before, found);
    assert.deepEqual([total, added, removed], [found.length, found.length - stay, before.length - stay]);
    before = found;
  }
  close();
});

function common(a: readonly string[], b: readonly string[]): number {
  const left = [...a];
  return b.filter((uri) => {
    const at = left.indexOf(uri);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
}

function versionRow(index: number): VersionRow {
  return {
    uri: `spotify:track:${String(index).padStart(22, '0')}`,
    name: `Song number ${index} with a title`,
    artist: `Artist ${index % 997}`,
    album: `Album ${index % 4_999}`,
    kind: 'track',
    added_at: new Date(NOW - index * 1_000).toISOString(),
  };
}

test('a version whose stored rows are damaged has none, and the next reading makes a new one', async () => {
  const { sql, close } = await emptyFile();
  const list = { id: 'list', name: 'List' };
  // A date that no clock shows is kept as it came.
  const rows = [versionRow(1), { ...versionRow(2), added_at: '-000100-01-01T00:00:00.000Z' }];
  recordVersion(sql, list, rows, NOW);
  sql.run("update version_rows set packed = x'02ff01'");
  assert.equal(rowsOfVersion(sql, 'list', 1), null);
  recordVersion(sql, list, rows, NOW + DAY);
  assert.deepEqual(rowsOfVersion(sql, 'list', 2), rows);
  close();
});

test('a version can be named by its number, or by a moment as a date, a time or words', () => {
  const local = (...parts: [number, number, number, number?, number?, number?, number?]) =>
    new Date(...(parts as [number, number, number])).getTime();
  const ago = (text: string) => {
    const when = parseWhen(text, NOW);
    return when?.kind === 'time' ? when.at : when;
  };
  assert.deepEqual(parseWhen('12', NOW), { kind: 'version', version: 12 });
  assert.deepEqual(parseWhen('version 3', NOW), { kind: 'version', version: 3 });
  assert.equal(ago('2026-11-01'), local(2026, 10, 2) - 1);
  assert.equal(ago('yesterday'), local(2026, 10, 20) - 1);
  assert.equal(ago('2026-11-01T10:00:00Z'), Date.UTC(2026, 10, 1, 10));
  assert.equal(ago('2026-11-01 10:00:00 +0200'), Date.UTC(2026, 10, 1, 8));
  assert.equal(ago('2026-11-01T10:00:00-03'), Date.UTC(2026, 10, 1, 13));
  assert.equal(ago('2026-11-01 10:05 UTC'), Date.UTC(2026, 10, 1, 10, 5, 59, 999));
  assert.equal(ago('2026-11-01T10:05Z'), Date.UTC(2026, 10, 1, 10, 5, 59, 999));
  assert.equal(ago('12:30'), NOW + 59_999);
  assert.equal(ago('12:31'), new Date(2026, 10, 19, 12, 31, 59, 999).getTime());
  assert.equal(ago('00:00:00'), local(2026, 10, 20));
  assert.equal(ago('23:59:59'), local(2026, 10, 20) - 1_000);
  assert.equal(ago('45 seconds ago'), NOW - 45_000);
  assert.equal(ago('3 days ago'), NOW - 3 * DAY);
  assert.equal(ago('an hour ago'), NOW - HOUR);
  assert.equal(ago('last week'), NOW - 7 * DAY);
  assert.equal(new Date(Number(ago('1 month ago'))).getMonth(), 9);
  for (const text of [
    '',
    'soon',
    '0',
    '2026-02-30',
    '2026-13-01',
    '2026-11-01T99:00',
    '24:01',
    '7:5',
    '-3',
    'ago',
  ]) {
    assert.equal(parseWhen(text, NOW), null, text);
  }
});
