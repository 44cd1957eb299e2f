/** What the clients do, and what each answer has to be. A person here is a client with everything that it changes. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { DemoTrack } from '../../../src/demo/catalogue/types.ts';
import type { DemoPlaylist } from '../../../src/demo/state.ts';
import { type Doing, listAfter } from '../../oracle/rows.ts';
import { at, owner } from '../../support/entries.ts';
import { addPlaylist } from '../../support/playlists.ts';
import type { Answer } from './callers.ts';
import { LATEST_MS } from './faults.ts';
import { failureIn, type Member } from './member.ts';
import { type Stage, type Tokens, tokensOf, urisOf } from './stage.ts';
import { assertHolds, certain, type Done, type Effect, type Target, targetOf } from './target.ts';

const ROWS = 100;
const SAVES = 40;

/** A client, and everything that only this client changes. */
export interface Person {
  member: Member;
  tokens: Tokens;
  playlist: DemoPlaylist;
  /** The rows of the client's playlist. */
  own: Target;
  /** Name and description of the client's playlist. */
  details: Target;
  /** The client's rows in the playlist that all clients share. */
  shared: Target;
  saved: Target;
  queued: Target;
  /** The player's settings; null except for the one client that changes them. */
  player: Record<'volume' | 'repeat' | 'shuffle', Target> | null;
  made: number;
}

type Task = (person: Person) => Promise<void>;

export function personOf(member: Member, index: number): Person {
  const { stage, chance } = member;
  const { provider, shared, device } = stage;
  const tokens = tokensOf(provider, index);
  const first = Array.from({ length: chance.whole(0, 180) }, () => chance.pick(tokens.own));
  const playlist = addPlaylist(provider, `Own ${index}`, first, '2026-01-01T00:00:00Z');
  const account = owner(provider);
  const mine = new Set(tokens.shared);
  const queued = new Set(tokens.queued);
  return {
    member,
    tokens,
    playlist,
    own: targetOf(`the playlist of client ${index}`, () => urisOf(playlist), playlist.id),
    details: targetOf(
      `the details of client ${index}`,
      () => [playlist.name, `${playlist.description}`],
      playlist.id,
    ),
    shared: targetOf(
      `what client ${index} has in the shared playlist`,
      () => urisOf(shared).filter((uri) => mine.has(uri)),
      shared.id,
    ),
    saved: targetOf(`what client ${index} has saved`, () => {
      const saved = new Set(account.saved.map(({ uri }) => uri));
      return tokens.saved.filter((uri) => saved.has(uri));
    }),
    queued: targetOf(`what client ${index} has queued`, () =>
      account.player.queue.filter((uri) => queued.has(uri)).sort(),
    ),
    player:
      index === 0
        ? {
            volume: targetOf('the volume', () => [`${device.volumePercent}`]),
            repeat: targetOf('repeat', () => [account.player.repeat]),
            shuffle: targetOf('shuffle', () => [`${account.player.shuffle}`]),
          }
        : null,
    made: 0,
  };
}

/** Everything that a person changes. */
export function targetsOf({ own, details, shared, saved, queued, player }: Person): Target[] {
  return [own, details, shared, saved, queued, ...(player ? Object.values(player) : [])];
}

// The effects of writes.

function rewritten(before: readonly string[], doing: Doing): Effect {
  const isInParts = doing.do === 'add' || doing.do === 'remove';
  return {
    total: 'uris' in doing ? Math.max(1, doing.uris.length) : 1,
    size: ROWS,
    at: (written) => listAfter(before, doing, written),
    ...(isInParts ? {} : { between: [] }),
    mayStayUnknown: doing.do === 'move',
  };
}

function whole(before: readonly string[], after: readonly string[], mayStayUnknown = false): Effect {
  return {
    total: 1,
    size: 1,
    between: [],
    mayStayUnknown,
    at: (written) => (written === 0 ? before : after),
  };
}

/**
 * What undoing `done` does to rows. An undo that only adds rows at the end may be written in part. Any other undo is all or
 * nothing.
 */
function undone({ before, after }: Done): Effect {
  const onlyAdds = before.length > after.length && isDeepStrictEqual(before.slice(0, after.length), after);
  return onlyAdds ? rewritten(after, { do: 'add', uris: before.slice(after.length) }) : whole(after, before);
}

/** The effect of saving or removing. relay sends the songs in the order of `uris`; the model keeps them in the order of `all`. */
function savedUpTo(
  all: readonly string[],
  before: readonly string[],
  uris: readonly string[],
  saves: boolean,
): Effect {
  return {
    total: uris.length,
    size: SAVES,
    mayStayUnknown: true,
    at(written) {
      const changed = new Set(uris.slice(0, written));
      const had = new Set(before);
      return all.filter((uri) => (changed.has(uri) ? saves : had.has(uri)));
    },
  };
}

function some(member: Member, uris: readonly string[], most: number): string[] {
  const { chance } = member;
  const left = [...uris];
  const count = Math.min(left.length, chance.whole(1, most));
  return Array.from({ length: count }, () => left.splice(chance.whole(0, left.length - 1), 1)[0] ?? '');
}

// Writes to the client's own playlist.

const add: Task = async ({ member, playlist, tokens, own }) => {
  const { chance } = member;
  const before = certain(own);
  if (before.length > 500) return;
  const count = chance.fraction() < 0.25 ? chance.whole(90, 230) : chance.whole(1, 30);
  const drawn = Array.from({ length: count }, () => chance.pick(tokens.own));
  // Sometimes adds rows that are there already.
  const uris = chance.fraction() < 0.15 && before.length > 0 ? before.slice(-count) : drawn;
  const args = { playlist_id: playlist.id, track_ids: uris };
  await member.write(own, 'add_tracks_to_playlist', args, rewritten(before, { do: 'add', uris }));
};

const remove: Task = async ({ member, playlist, own }) => {
  const before = certain(own);
  const uris = some(member, [...new Set(before)], 110);
  if (uris.length === 0) return;
  const args = { playlist_id: playlist.id, track_ids: uris };
  await member.write(own, 'remove_tracks_from_playlist', args, rewritten(before, { do: 'remove', uris }));
};

const reorder: Task = async ({ member, playlist, own }) => {
  const { chance } = member;
  const before = certain(own);
  if (before.length < 3) return;
  const start = chance.whole(0, before.length - 2);
  const length = chance.whole(1, Math.min(20, before.length - start));
  const to = chance.whole(0, before.length);
  const args = { playlist_id: playlist.id, range_start: start, range_length: length, insert_before: to };
  const effect = rewritten(before, { do: 'move', start, length, before: to });
  await member.write(own, 'reorder_playlist_tracks', args, effect);
};

const replace: Task = async ({ member, playlist, tokens, own }) => {
  const { chance } = member;
  const count = chance.fraction() < 0.4 ? chance.whole(101, 260) : chance.whole(0, 60);
  const uris = Array.from({ length: count }, () => chance.pick(tokens.own));
  const args = { playlist_id: playlist.id, track_ids: uris };
  await member.write(own, 'replace_playlist_tracks', args, rewritten(certain(own), { do: 'replace', uris }));
};

const deduplicate: Task = async ({ member, playlist, own }) => {
  const before = certain(own);
  const effect = rewritten(before, { do: 'deduplicate' });
  const answer = await member.write(own, 'deduplicate_playlist', { playlist_id: playlist.id }, effect);
  if (!answer || failureIn(answer)) return;
  assert.deepEqual(
    [answer.original_count, answer.resulting_count],
    [before.length, effect.at(1).length],
    'wrong counts of duplicates',
  );
};

/**
 * relay may not know the rows that it moved. Then it undoes the move only if the playlist still has the same snapshot. A change
 * of the playlist's name makes a new snapshot.
 */
const undoRows: Task = ({ member, own }) => member.undo(own, undone, isMove);

const isMove = ({ before, after }: Done) => isDeepStrictEqual([...before].sort(), [...after].sort());

const bulkAdd: Task = async ({ member, playlist, tokens, own }) => {
  const { chance, stage } = member;
  const before = certain(own);
  if (before.length > 500) return;
  const uris = Array.from({ length: chance.whole(1, 25) }, () => chance.pick(tokens.own));
  const tracks = uris.map((uri) => (chance.fraction() < 0.3 ? (songFor(stage, uri) ?? uri) : uri));
  const args = { playlist_id: playlist.id, tracks };
  await member.write(own, 'bulk_add_tracks', args, rewritten(before, { do: 'add', uris }));
};

const addJob: Task = async ({ member, playlist, tokens, own }) => {
  const { chance, stage } = member;
  const before = certain(own);
  if (before.length > 500) return;
  const uris = Array.from({ length: chance.whole(1, 230) }, () => chance.pick(tokens.own));
  const items = uris.map((uri) => (chance.fraction() < 0.05 ? (songFor(stage, uri) ?? uri) : uri));
  const payload = { playlist_id: playlist.id, skip_duplicates: false };
  await member.job(
    own,
    { type: 'add_to_playlist', payload, items, max_attempts: 20 },
    rewritten(before, { do: 'add', uris }),
  );
};

const replaceJob: Task = async ({ member, playlist, tokens, own }) => {
  const { chance } = member;
  const uris = Array.from({ length: chance.whole(1, 230) }, () => chance.pick(tokens.own));
  const payload = { playlist_id: playlist.id, skip_duplicates: false };
  const args = { type: 'replace_playlist', payload, items: uris, max_attempts: 20 };
  await member.job(own, args, rewritten(certain(own), { do: 'replace', uris }));
};

// Writes to the other things that a person changes.

const changeDetails: Task = async ({ member, playlist, details }) => {
  const [name = '', description = ''] = certain(details);
  const serial = member.chance.whole(0, 99_999);
  const isName = member.chance.fraction() < 0.5;
  const after = isName ? [`${name.split(',')[0]}, ${serial}`, description] : [name, `Described ${serial}`];
  const args = isName ? { name: after[0] } : { description: after[1] };
  await member.write(
    details,
    'update_playlist_details',
    { playlist_id: playlist.id, ...args },
    whole([name, description], after, true),
  );
};

const undoDetails: Task = ({ member, details }) =>
  member.undo(details, ({ before, after }) => whole(after, before, true));

const addShared: Task = async ({ member, tokens, shared }) => {
  const { chance, stage } = member;
  const before = certain(shared);
  const free = tokens.shared.filter((uri) => !before.includes(uri));
  if (free.length === 0) return;
  const uris = some(member, free, chance.fraction() < 0.1 ? 110 : 12);
  const args = { playlist_id: stage.shared.id, track_ids: uris };
  await member.write(shared, 'add_tracks_to_playlist', args, rewritten(before, { do: 'add', uris }));
};

const removeShared: Task = async ({ member, shared }) => {
  const before = certain(shared);
  if (before.length === 0) return;
  const uris = some(member, before, 40);
  const args = { playlist_id: member.stage.shared.id, track_ids: uris };
  await member.write(shared, 'remove_tracks_from_playlist', args, rewritten(before, { do: 'remove', uris }));
};

/** relay may refuse this undo, since others may have changed the playlist since. */
const undoShared: Task = ({ member, shared }) => member.undo(shared, undone, () => true);

const save: Task = async ({ member, tokens, saved }) => {
  const uris = some(member, tokens.saved, 50);
  const effect = savedUpTo(tokens.saved, certain(saved), uris, true);
  await member.write(saved, 'save_tracks', { track_ids: uris }, effect);
};

const unsave: Task = async ({ member, tokens, saved }) => {
  const uris = some(member, tokens.saved, 50);
  const effect = savedUpTo(tokens.saved, certain(saved), uris, false);
  await member.write(saved, 'remove_saved_tracks', { track_ids: uris }, effect);
};

const undoSaves: Task = ({ member, tokens, saved }) =>
  member.undo(saved, ({ before, after }) => {
    const back = before.length > after.length;
    const changed = tokens.saved.filter((uri) => before.includes(uri) !== after.includes(uri));
    // The answer does not say in which order the songs were written.
    return { ...savedUpTo(tokens.saved, after, changed, back), isAnyOrder: true };
  });

const create: Task = async (person) => {
  const { member, tokens } = person;
  const { chance, stage } = member;
  const name = `Made by ${member.name}, ${person.made++}`;
  const uris = [...new Set(Array.from({ length: chance.whole(1, 40) }, () => chance.pick(tokens.own)))];
  const made = () => owner(stage.provider).playlists.filter((playlist) => playlist.name === name);
  // The first entry stands for the playlist itself, so that an empty playlist differs from no playlist.
  const target = targetOf(name, () => made().flatMap((playlist) => ['a playlist', ...urisOf(playlist)]));
  const effect: Effect = {
    total: uris.length,
    size: ROWS,
    at: (written) => (written === 0 ? [] : ['a playlist', ...uris]),
    between: [['a playlist']],
    part: (written) => ['a playlist', ...uris.slice(0, written)],
  };
  const answer = await member.write(target, 'create_playlist_from_tracks', { name, tracks: uris }, effect);
  const [playlist] = made();
  if (!playlist || !answer || failureIn(answer)) return;
  const { matches } = (await member.ask('find_playlist_by_name', { name })) as {
    matches?: Array<{ id: string }>;
  };
  if (matches)
    assert.deepEqual(
      matches.map(({ id }) => id),
      [playlist.id],
      `${name} is not found by its name`,
    );
  const isListed = targetOf(`the list with ${name}`, () => made().map(({ id }) => id), playlist.id);
  const args = { playlist_id: playlist.id };
  await member.write(isListed, 'delete_playlist', args, whole([playlist.id], [], true));
};

const queue: Task = async ({ member, tokens, queued }) => {
  const uri = member.chance.pick(tokens.queued);
  const before = certain(queued);
  await command(member, queued, 'add_to_queue', { track_id: uri }, [...before, uri].sort());
};

/** Codes of errors that only player commands get: a 403, and a 404 for the player's device. */
const REFUSALS = ['RESTRICTION_VIOLATED', 'DEVICE_NOT_FOUND'];

/**
 * Sends a player command. relay never repeats a player command, so a command without an answer may or may not have taken
 * effect.
 */
async function command(
  member: Member,
  target: Target,
  tool: string,
  args: Record<string, unknown>,
  after: readonly string[],
): Promise<void> {
  assertHolds(target, 'nothing');
  const error = failureIn(await member.ask(tool, args, REFUSALS));
  const isUnknown = error?.code.startsWith('PROVIDER_') === true;
  if (isUnknown) await member.stage.clock.sleep(LATEST_MS + 2_000);
  if (!error) target.possible = [after];
  else if (isUnknown) target.possible = [certain(target), after];
  assertHolds(target, `${tool} ${JSON.stringify(error)}`);
}

const play: Task = async ({ member, player, queued, ...person }) => {
  if (!player) return queue({ member, player, queued, ...person });
  const { chance } = member;
  const percent = chance.whole(0, 100);
  const repeat = chance.pick(['off', 'track', 'context']);
  const shuffle = chance.fraction() < 0.5;
  await chance.pick([
    () => command(member, player.volume, 'set_volume', { volume_percent: percent }, [`${percent}`]),
    () => command(member, player.repeat, 'set_repeat', { state: repeat }, [repeat]),
    () => command(member, player.shuffle, 'set_shuffle', { state: shuffle }, [`${shuffle}`]),
    async () => void (await member.ask('next_track', {}, REFUSALS)),
    async () => void (await member.ask('seek', { position_ms: chance.whole(0, 60_000) }, REFUSALS)),
    async () => {
      const state = await member.ask('get_playback_state', {});
      if (failureIn(state)) return;
      assert.equal(state.active, true, `the player was said to be silent: ${JSON.stringify(state)}`);
      assert.deepEqual(
        [`${(state.device as Answer).volume_percent}`, state.repeat_state, `${state.shuffle_state}`],
        [player.volume, player.repeat, player.shuffle].map((target) => certain(target)[0]),
      );
    },
  ])();
};

// Tasks that only read.

const readRows: Task = async ({ member, playlist }) => {
  const { chance, stage } = member;
  const target = chance.fraction() < 0.8 ? playlist : stage.shared;
  const since = stage.clock.monotonic();
  const offset = chance.pick([0, 0, chance.whole(0, 200)]);
  const limit = chance.whole(1, 50);
  const answer = await member.ask('get_playlist_tracks', { playlist_id: target.id, offset, limit });
  if (failureIn(answer)) return;
  const items = answer.items as Array<{ position: number; item: { uri: string } | null }>;
  const shown = items.map(({ item }) => item?.uri ?? '');
  const states = stage.rowsSince(target, since);
  assert.ok(
    states.some((state) => isDeepStrictEqual(state.slice(offset, offset + limit), shown)),
    `rows that ${target.name} did not have: ${JSON.stringify({ offset, shown, states })}`,
  );
  assert.ok(
    states.some((state) => state.length === answer.total),
    `a wrong total: ${JSON.stringify(answer.total)}`,
  );
  assert.deepEqual(
    items.map(({ position }) => position),
    shown.map((_, index) => offset + index),
  );
};

const readStats: Task = async ({ member, playlist }) => {
  const { stage } = member;
  const since = stage.clock.monotonic();
  const answer = await member.ask('get_playlist_stats', { playlist_id: playlist.id });
  if (failureIn(answer)) return;
  const counts = [answer.total_items, answer.unique_track_count, answer.duplicate_count];
  const possible = stage.rowsSince(playlist, since).map((rows) => {
    const { size } = new Set(rows);
    return [rows.length, size, rows.length - size];
  });
  assert.ok(
    possible.some((one) => isDeepStrictEqual(one, counts)),
    `wrong counts of the rows: ${JSON.stringify({ counts, possible })}`,
  );
};

const readSaved: Task = async ({ member, tokens, saved }) => {
  const { stage } = member;
  const since = stage.clock.monotonic();
  const answer = await member.ask('check_saved_tracks', { track_ids: tokens.saved });
  if (failureIn(answer)) return;
  const items = answer.items as Array<{ uri: string; saved: boolean }>;
  // relay sends two requests, and reads may have caught up in between. So each song may show a different state.
  const states = stage.savedSince(since);
  for (const [index, { uri, saved: isSaved }] of items.entries()) {
    assert.equal(uri, tokens.saved[index]);
    assert.ok(
      states.some((state) => state.has(uri) === isSaved),
      `${uri} was ${isSaved ? 'not ' : ''}saved (${certain(saved).length} are)`,
    );
  }
};

const readName: Task = async ({ member, playlist, details }) => {
  const [name = ''] = certain(details);
  const { matches } = (await member.ask('find_playlist_by_name', { name })) as {
    matches?: Array<{ id: string }>;
  };
  if (matches)
    assert.deepEqual(
      matches.map(({ id }) => id),
      [playlist.id],
    );
};

/** Asks again what was asked before the faults began. The answer must be the same. */
const readCatalogue: Task = async ({ member }) => {
  const { known } = member.stage;
  const question = member.chance.pick([...known.keys()]);
  const [tool, args] = JSON.parse(question) as [string, Record<string, unknown>];
  const answer = await member.ask(tool, args);
  if (failureIn(answer)) return;
  assert.deepEqual(steady(tool, answer), known.get(question), `${question} was answered otherwise`);
};

/** The part of an answer that stays the same. The source of a match changes, since relay searches once and then remembers it. */
function steady(tool: string, answer: Answer): unknown {
  const { source, ...rest } = answer;
  return tool === 'find_track_exact' && rest.status === 'matched'
    ? (rest.match as { track: unknown }).track
    : rest;
}

const readState: Task = async ({ member }) => {
  const tool = member.chance.pick([
    'get_state_diagnostics',
    'get_rate_limit_status',
    'get_recent_api_errors',
    'list_jobs',
    'list_changes',
  ]);
  const error = failureIn(await member.ask(tool, {}));
  assert.equal(error, null, `${tool} sends no requests, and failed`);
};

const TASKS: ReadonlyArray<readonly [weight: number, task: Task]> = [
  [10, add],
  [6, remove],
  [6, reorder],
  [6, replace],
  [4, deduplicate],
  [10, undoRows],
  [4, bulkAdd],
  [3, addJob],
  [2, replaceJob],
  [4, changeDetails],
  [2, undoDetails],
  [6, addShared],
  [4, removeShared],
  [3, undoShared],
  [5, save],
  [4, unsave],
  [3, undoSaves],
  [3, create],
  [3, queue],
  [4, play],
  [10, readRows],
  [5, readStats],
  [4, readSaved],
  [2, readName],
  [14, readCatalogue],
  [4, readState],
];

const WEIGHT = TASKS.reduce((sum, [weight]) => sum + weight, 0);

/** Does one of the tasks, drawn by weight. */
export async function doSomething(person: Person): Promise<void> {
  let drawn = person.member.chance.fraction() * WEIGHT;
  for (const [weight, task] of TASKS) {
    drawn -= weight;
    if (drawn < 0) return task(person);
  }
}

/** Undoes what can still be undone, one change after the other. */
export async function undoAll(person: Person): Promise<void> {
  person.member.calm();
  for (const [target, undo] of [
    [person.own, undoRows],
    [person.saved, undoSaves],
    [person.details, undoDetails],
  ] as const) {
    const most = 2 * target.done.length;
    for (let count = 0; target.done.length > 0; count++) {
      assert.ok(count <= most, `the changes of ${target.name} cannot be taken back`);
      await undo(person);
    }
  }
}

/** Asks questions before the faults begin. The same questions are asked again during the faults. */
export async function learn({ member }: Person): Promise<void> {
  const { known, provider } = member.stage;
  const songs = provider.catalogue.tracks.filter((_, index) => index % 300 === 7).slice(0, 12);
  const questions: Array<[string, Record<string, unknown>]> = songs.flatMap((song) => [
    ['search_tracks', { query: song.name, limit: 12 }],
    ['get_track', { track_id: song.id }],
    ['find_track_exact', { title: song.name, artist: at(song.artists, 0).name }],
    ['get_artist', { artist_id: at(song.artists, 0).id }],
    ['search_artists', { query: at(song.artists, 0).name, limit: 5 }],
    ['get_album_tracks', { album_id: song.album.id }],
  ]);
  questions.push(['get_top_tracks', { limit: 30 }], ['get_top_artists', {}]);
  for (const [tool, args] of questions) {
    const answer = await member.ask(tool, args);
    assert.equal(failureIn(answer), null, JSON.stringify(answer));
    known.set(JSON.stringify([tool, args]), steady(tool, answer));
  }
}

const songs = new WeakMap<Stage, Map<string, DemoTrack | null>>();

/** Title and artist of a track, or null if they could mean another track. */
function songFor(stage: Stage, uri: string): { title: string; artist: string } | null {
  const known = songs.get(stage) ?? new Map<string, DemoTrack | null>();
  songs.set(stage, known);
  let track = known.get(uri);
  if (track === undefined) {
    const { tracks, trackByUri } = stage.provider.catalogue;
    const found = trackByUri.get(uri);
    const isAlone =
      found !== undefined &&
      /^[A-Za-z ]{14,}$/.test(found.name) &&
      tracks.filter(({ name }) => name.includes(found.name)).length === 1;
    track = isAlone ? found : null;
    known.set(uri, track);
  }
  return track && { title: track.name, artist: at(track.artists, 0).name };
}
