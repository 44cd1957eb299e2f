/**
 * Asks thirty questions, from simple ones to window functions, about copies of random accounts. Others and relay itself
 * change the accounts while the provider lags and fails. Each answer must equal that of a database made from what the
 * provider holds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from 'sql.js';
import { systemClock } from '../../src/base/clock.ts';
import { MIRROR } from '../../src/library/files/schema.ts';
import { foldLetters } from '../../src/music/names.ts';
import { loadSqlite } from '../../src/store/sql/sqlite.ts';
import { at, owner } from '../support/entries.ts';
import { until } from '../support/until.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { minutesAgo, playlistOf, rowsFrom } from './accounts.ts';
import { type Answer, ask, type Cell, readAll } from './queries.ts';

const QUESTIONS = [
  'select count(*) from saved',
  'select count(*), sum(duration_ms), min(name), max(released) from tracks',
  'select kind, count(*), count(song is not null) from tracks group by kind order by kind',
  'select uri, added_at, position from saved order by position limit 40',
  'select uri from saved order by position desc limit 20',
  'select name, total, mine, readable from playlists order by id',
  'select id, owner, public, collaborative, description, snapshot_id from playlists order by id',
  'select playlist_id, count(*), count(uri), min(added_at), max(added_at) from playlist_rows group by 1 order by 1',
  'select playlist_id, position, uri, added_by from playlist_rows order by uri is not null, playlist_id, position limit 60',
  'select name, artist from saved join tracks using (uri) where uri not in (select uri from playlist_rows where uri is not null) order by position limit 30',
  'select uri from tracks where uri in (select uri from saved intersect select uri from playlist_rows) order by uri limit 50',
  'select artist, count(*) n from saved join tracks using (uri) group by artist order by n desc, artist limit 10',
  'select artist, count(distinct track_uri) n from track_artists group by artist order by n desc, artist limit 10',
  'select t.name, group_concat(a.artist, char(10)) from tracks t join (select * from track_artists order by track_uri, place) a on a.track_uri = t.uri group by t.uri order by t.uri limit 20',
  'select count(distinct song) from tracks',
  'select min(uri), count(*) n from tracks group by song having n > 1 order by 1 limit 40',
  'select min(t.uri), count(*) n from playlist_rows join tracks t using (uri) group by song having n > 1 order by 1 limit 40',
  "select uri from tracks where fold(artist) like '%a%' and fold(name) like '%e%' order by uri limit 40",
  "select substr(released, 1, 3) || '0s' d, count(*) from saved join tracks using (uri) group by d order by d",
  'select substr(added_at, 1, 13) h, count(*) from saved group by h order by h desc limit 12',
  'select a.id, b.id, count(*) from playlists a join playlist_rows x on x.playlist_id = a.id join playlist_rows y on y.uri = x.uri join playlists b on b.id = y.playlist_id where a.id < b.id group by 1, 2 order by 3 desc, 1, 2 limit 20',
  'select album_uri, min(album), count(*) n from saved join tracks using (uri) group by 1 having n > 1 order by n desc, 1 limit 20',
  'select id, (select count(*) from playlist_rows r where r.playlist_id = p.id and r.uri in (select uri from saved)) from playlists p order by id',
  'select uri, explicit, isrc from tracks where isrc is not null order by isrc, uri limit 30',
  'select playlist_id, position, uri from (select *, row_number() over (partition by playlist_id order by position desc) k from playlist_rows) where k <= 2 order by 1, 2',
  'select uri, duration_ms, rank() over (order by duration_ms desc) r from tracks order by r, uri limit 20',
  'select position, sum(duration_ms) over (order by position rows between 4 preceding and current row) from saved join tracks using (uri) order by position limit 25',
  'select position, added_at, lag(added_at) over (order by position) from saved order by position limit 15',
  'with lengths as (select playlist_id, sum(duration_ms) ms from playlist_rows join tracks using (uri) group by 1) select playlist_id, ms, round(100.0 * ms / sum(ms) over (), 3), ntile(3) over (order by ms, playlist_id) from lengths order by 1',
  'with recursive chain(n, uri) as (select 0, uri from saved where position = 0 union all select n + 1, s.uri from chain join saved s on s.position = n + 1 where n < 10) select n, uri from chain',
];

function seeded(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  const below = (count: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 9) % Math.max(1, count);
  };
  return below;
}

type Below = ReturnType<typeof seeded>;

/** Makes a database of what the provider holds, in the plainest way. */
async function oracleOf(relay: Relay): Promise<Database> {
  const SQL = await loadSqlite();
  const db = new SQL.Database();
  for (const { sql } of MIRROR.migrations) db.exec(sql);
  db.create_function('fold', (text: unknown) => (text === null ? null : foldLetters(String(text))));
  const account = owner(relay.provider);
  const { catalogue } = relay.provider;
  const uris = new Set<string>();
  for (const [position, { uri, addedAt }] of account.saved.entries()) {
    db.run('insert into saved values (?, ?, ?)', [uri, addedAt, position]);
    uris.add(uri);
  }
  for (const one of account.playlists) {
    const mine = one.ownerId === account.id;
    const readable = mine || (one.collaborative && one.collaboratorIds.includes(account.id));
    db.run(
      'insert into playlists (id, name, owner, mine, public, collaborative, description, total, snapshot_id, readable) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      [
        ...[one.id, one.name, one.ownerName, Number(mine), Number(one.public), Number(one.collaborative)],
        ...[
          one.description,
          one.rows.length,
          Buffer.from(`${one.version},${one.id}`).toString('base64'),
          Number(readable),
        ],
      ],
    );
    if (!readable) continue;
    for (const [position, row] of one.rows.entries()) {
      const uri = row.unavailable ? null : row.uri;
      db.run('insert into playlist_rows values (?, ?, ?, ?, ?)', [
        one.id,
        position,
        uri,
        row.addedAt,
        row.addedBy,
      ]);
      if (uri !== null) uris.add(uri);
    }
  }
  for (const uri of uris) {
    const track = catalogue.trackByUri.get(uri);
    assert.ok(track, uri);
    const { artists, album } = track;
    db.run('insert into tracks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null)', [
      ...[
        uri,
        track.id,
        track.name,
        artists.map(({ name }) => name).join(', '),
        album.name,
        `spotify:album:${album.id}`,
      ],
      ...[album.releaseDate, track.durationMs, Number(track.explicit), track.isrc, 'track'],
    ]);
    for (const [place, { id, name }] of artists.entries()) {
      db.run('insert into track_artists values (?, ?, ?, ?)', [uri, `spotify:artist:${id}`, name, place]);
    }
  }
  nameSongs(db);
  return db;
}

interface Facts {
  uri: string;
  isrc: string | null;
  title: string;
  first: string;
  ms: number;
}

/** Fills the column `song` by its definition: tracks are one song if they are alike or if a chain of like tracks joins them. */
function nameSongs(db: Database): void {
  const rows = db.exec(`select t.uri, isrc, fold(name), ifnull(fold(a.artist), ''), duration_ms
    from tracks t left join track_artists a on a.track_uri = t.uri and a.place = 0`)[0]?.values;
  const all = (rows ?? []).map(
    ([uri, isrc, title, first, ms]) => ({ uri, isrc, title, first, ms: Number(ms) }) as Facts,
  );
  const areAlike = (a: Facts, b: Facts) =>
    (a.isrc !== null && a.isrc === b.isrc) ||
    (a.title === b.title && a.first === b.first && Math.abs(a.ms - b.ms) <= 2_000);
  const left = new Set(all);
  for (const [song, start] of all.entries()) {
    if (!left.delete(start)) continue;
    for (const reached = [start]; reached.length > 0; ) {
      const one = reached.pop() as Facts;
      db.run('update tracks set song = ? where uri = ?', [song, one.uri]);
      for (const other of left) if (areAlike(one, other) && left.delete(other)) reached.push(other);
    }
  }
}

function randomAccount(relay: Relay, below: Below, seed: number): void {
  const account = owner(relay.provider);
  account.saved = rowsFrom(relay, below(3_000), below(160)).map(({ uri }, index) => ({
    uri,
    addedAt: minutesAgo(index),
  }));
  account.playlists = Array.from({ length: 1 + below(6) }, (_, index) => {
    // Each seed has playlist IDs of its own, since an ID names one playlist for ever.
    const playlist = playlistOf(
      account,
      seed * 1_000 + index,
      rowsFrom(relay, below(3_000), below(3) === 0 ? below(130) : below(40)),
    );
    for (const row of playlist.rows) if (below(25) === 0) row.unavailable = true;
    if (below(5) === 0) return { ...playlist, ownerId: 'somebody', ownerName: 'Somebody', public: true };
    if (below(5) === 0) playlist.description = 'Only & “mine”';
    return playlist;
  });
}

/** Something that another client does. */
function editElsewhere(relay: Relay, below: Below, turn: number): void {
  relay.provider.lag.remember();
  const account = owner(relay.provider);
  const own = account.playlists.filter(({ ownerId }) => ownerId === account.id);
  const playlist = own[below(own.length)];
  const kind = below(7);
  if (kind === 0) account.saved.splice(below(account.saved.length), 1 + below(3));
  else if (kind === 1)
    account.saved.unshift(
      ...rowsFrom(relay, 3_500 + below(900), 1 + below(60))
        .filter(({ uri }) => !account.saved.some((one) => one.uri === uri))
        .map(({ uri }) => ({ uri, addedAt: minutesAgo(-turn) })),
    );
  else if (kind === 2 && playlist)
    relay.provider.editPlaylist(
      playlist.id,
      rowsFrom(relay, below(3_000), below(120)).map(({ uri }) => uri),
    );
  else if (kind === 3 && playlist)
    relay.provider.editPlaylist(
      playlist.id,
      [...playlist.rows].reverse().map(({ uri }) => uri),
    );
  else if (kind === 4) account.playlists.splice(below(account.playlists.length), 1);
  else if (kind === 5)
    account.playlists.unshift(playlistOf(account, 100 + turn, rowsFrom(relay, below(3_000), below(70))));
  else if (playlist) {
    playlist.name = `Renamed ${turn}`;
    playlist.version += 1;
  }
}

async function editWithRelay(relay: Relay, below: Below): Promise<void> {
  const account = owner(relay.provider);
  const own = account.playlists.filter(({ ownerId }) => ownerId === account.id);
  const playlist = own[below(own.length)];
  const tracks = rowsFrom(relay, below(4_000), 1 + below(5)).map(({ uri }) => uri);
  const kind = below(3);
  if (kind === 0) await relay.call('save_tracks', { track_ids: tracks });
  else if (kind === 1 && account.saved.length > 0)
    await relay.call('remove_saved_tracks', {
      track_ids: [at(account.saved, below(account.saved.length)).uri],
    });
  else if (playlist)
    await relay.call('add_tracks_to_playlist', { playlist_id: playlist.id, track_ids: tracks });
}

/** How long the provider's snapshots lag, in real milliseconds; rows lag less. */
const LAG_MS = 120;

/** Something that goes wrong once, or for a while. */
function disturb(relay: Relay, below: Below, seed: number): void {
  const { faults, lag } = relay.provider;
  const kind = below(5);
  const rule = { method: 'GET', path: /^\/(me|playlists)\//, skip: below(6) };
  if (kind === 0) faults.add({ ...rule, kind: 'status', status: at([500, 502, 503], below(3)) });
  else if (kind === 1) faults.add({ ...rule, kind: 'drop', when: 'before' });
  else if (kind === 2) faults.add({ ...rule, kind: 'malformed' });
  else if (kind === 3) lag.set({ lists: 20, snapshots: LAG_MS, totals: LAG_MS });
  else
    faults.add({
      ...rule,
      kind: 'hook',
      fn: () => editElsewhere(relay, below, seed * 1_000 + 500 + below(400)),
    });
}

async function settled(relay: Relay): Promise<void> {
  await until(async () => {
    const answer: Answer = await ask(relay, 'select 1', { max_age_minutes: 0 });
    if (answer.error) throw new Error(answer.error.message);
    // A failed reading waits; a person can have it tried at once.
    if (answer.note !== undefined) await relay.server.local.syncLibrary();
    return answer.note === undefined;
  });
}

/** Number of seeds. `LIBRARY_SEEDS=1000` tries more of them, `SEED=7` only that one. */
const SEEDS = Number(process.env.LIBRARY_SEEDS ?? 1);
const FIRST = Number(process.env.SEED ?? 1);
/** Number of accounts that one relay reads, one after the other. Before each, relay forgets its copy. */
const EACH = 10;
/** Number of questions after a turn. After the last turn, all questions are asked. */
const SOME = 6;

test(`whatever happens to random accounts, thirty questions get the answers that the provider's data gives: ${SEEDS} seeds`, async () => {
  assert.equal(QUESTIONS.length, 30);
  const env = {
    RELAY_ACCESS: 'everything',
    RELAY_LIBRARY_REQUESTS_PER_MINUTE: '10000',
    RELAY_LIBRARY_REQUESTS_PER_DAY: '100000',
  };
  for (let first = FIRST; first < FIRST + SEEDS; first += EACH) {
    await withRelay({ env }, async (relay) => {
      for (let seed = first; seed < Math.min(first + EACH, FIRST + SEEDS); seed++) await oneSeed(relay, seed);
    });
  }
});

async function oneSeed(relay: Relay, seed: number): Promise<void> {
  const below = seeded(seed);
  randomAccount(relay, below, seed);
  await relay.server.local.forgetLibrary({ part: 'mirror' });
  await readAll(relay);
  const turns = 3;
  for (let turn = 1; turn <= turns; turn++) {
    const edits = below(4);
    for (let edit = 0; edit < edits; edit++) {
      if (below(3) === 0) await editWithRelay(relay, below);
      else editElsewhere(relay, below, seed * 1_000 + turn * 10 + edit);
    }
    if (below(3) > 0) {
      disturb(relay, below, seed);
      await ask(relay, 'select count(*) from tracks', { max_age_minutes: 0 });
      relay.provider.faults.clear();
      relay.provider.lag.set({});
      // Waits until everything that lags now is shown.
      await systemClock.sleep(LAG_MS);
    }
    await settled(relay);
    const oracle = await oracleOf(relay);
    const begin = turn === turns ? 0 : below(QUESTIONS.length - SOME);
    for (const sql of turn === turns ? QUESTIONS : QUESTIONS.slice(begin, begin + SOME)) {
      const { rows, error } = await ask(relay, sql, { limit: 500, max_age_minutes: 1_000 });
      const expected = (oracle.exec(sql)[0]?.values ?? []) as Cell[][];
      assert.deepEqual(error ?? rows, expected, `SEED=${seed}, turn ${turn}: ${sql}`);
    }
    oracle.close();
  }
}
