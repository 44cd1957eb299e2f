/** What each wish asks a tool for, and what it should do to what Spotify holds. */
import type { DemoPlaylist } from '../../src/demo/state.ts';
import { sameRows } from '../../src/domain/rows.ts';
import type { Ask, JobType } from './plan.ts';
import { type Spotify, uriOf, urisOf } from './world/spotify.ts';

/** What a request does. Rows, saved songs and names are all lists of texts here. */
interface Effect {
  /** What it does to the rows of the playlist; `other` if it writes elsewhere. */
  kind: 'add' | 'remove' | 'rewrite' | 'other';
  uris: readonly string[];
  /** What Spotify holds of what it writes to. */
  read(): string[];
  /** What there should be afterwards. */
  goal(before: readonly string[]): string[];
  /** True if a whole number of requests leads from `before` to `now`. */
  isPart(before: readonly string[], now: readonly string[]): boolean;
}

/** Something that relay is asked to do. */
export interface Doing extends Effect {
  tool: string;
  args: Record<string, unknown>;
}

/** Number of entries in one request. */
const CHUNK = 100;
/** Maximum number of songs that one removal names. */
const MAX_NAMED = 150;
/** A track that no list has. */
const NOWHERE = 3_900;

/** @returns null if there is nothing that could be asked for */
export function doingOf(ask: Ask, spotify: Spotify, list: DemoPlaylist, nth: number): Doing | null {
  const uris = 'tracks' in ask ? ask.tracks.map(uriOf) : [];
  const present = urisOf(list);
  const target = { playlist_id: list.id };
  const asked = (tool: string, more: object, effect: Effect): Doing => ({
    ...effect,
    ...{ tool, args: { ...(effect.kind === 'other' ? {} : target), ...more } },
  });
  switch (ask.do) {
    case 'add':
      return asked('add_tracks_to_playlist', { track_ids: uris }, adding(list, uris));
    case 'replace':
      return asked('replace_playlist_tracks', { track_ids: uris }, replacing(list, uris));
    case 'remove': {
      const picked = present.filter((_, at) => (at * 7 + ask.salt) % 10 < ask.tenths).slice(0, MAX_NAMED);
      const named = [...new Set([...picked, uriOf(NOWHERE)])];
      return asked('remove_tracks_from_playlist', { track_ids: named }, removing(list, named));
    }
    case 'deduplicate':
      return asked(
        'deduplicate_playlist',
        {},
        rewriting(list, (before) => [...new Set(before)]),
      );
    case 'reorder': {
      const start = Math.floor(ask.start * present.length);
      const length = 1 + Math.floor(ask.length * (present.length - start - 1));
      const before = Math.floor(ask.to * (present.length + 1));
      if (present.length < 2 || (before >= start && before <= start + length)) return null;
      const move = { range_start: start, range_length: length, insert_before: before };
      const goal = (rows: readonly string[]) => moved(rows, start, length, before);
      return asked('reorder_playlist_tracks', move, { ...rewriting(list, goal), isPart: sameRows });
    }
    case 'rename': {
      const name = `Name ${nth}`;
      const effect = { uris, read: () => [list.name], goal: () => [name], isPart: () => true };
      return asked('update_playlist_details', { ...target, name }, { kind: 'other', ...effect });
    }
    case 'save':
      return asked('save_tracks', { track_ids: uris }, saving(spotify, uris, true));
    case 'unsave': {
      const held = spotify.account.saved.map(({ uri }) => uri).slice(0, 50);
      if (held.length === 0) return null;
      return asked('remove_saved_tracks', { track_ids: held }, saving(spotify, held, false));
    }
    case 'create': {
      const name = `Made ${nth}`;
      const args = { name, tracks: uris.map((id) => ({ id })) };
      return asked('create_playlist_from_tracks', args, making(spotify, name, uris));
    }
    case 'job': {
      const name = `Made ${nth}`;
      const effect = effectOf(ask.type, spotify, list, name, uris);
      const where = effect.kind !== 'other' ? target : ask.type === 'create_playlist' ? { name } : {};
      const args = { type: ask.type, payload: { ...where, skip_duplicates: false }, items: uris };
      return { ...effect, tool: 'create_bulk_job', args };
    }
    case 'undo':
      return null;
  }
}

function effectOf(
  type: JobType,
  spotify: Spotify,
  list: DemoPlaylist,
  name: string,
  uris: readonly string[],
): Effect {
  switch (type) {
    case 'add_to_playlist':
      return adding(list, uris);
    case 'replace_playlist':
      return replacing(list, uris);
    case 'create_playlist':
      return making(spotify, name, uris);
    default:
      return saving(spotify, uris, type === 'save_tracks');
  }
}

/** True if `begin` is what a whole number of requests has written of `uris`. */
function isBegin(uris: readonly string[], begin: readonly string[]): boolean {
  const isWhole = begin.length % CHUNK === 0 || begin.length === uris.length;
  return isWhole && sameRows(uris.slice(0, begin.length), begin);
}

function rewriting(list: DemoPlaylist, goal: Effect['goal']): Effect {
  return { kind: 'rewrite', uris: [], read: () => urisOf(list), goal, isPart: () => true };
}

function adding(list: DemoPlaylist, uris: readonly string[]): Effect {
  return {
    ...{ kind: 'add', uris, read: () => urisOf(list), goal: (before) => [...before, ...uris] },
    isPart: (before, now) =>
      sameRows(now.slice(0, before.length), before) && isBegin(uris, now.slice(before.length)),
  };
}

function replacing(list: DemoPlaylist, uris: readonly string[]): Effect {
  const isPart: Effect['isPart'] = (before, now) =>
    isBegin(uris, now) || adding(list, uris.slice(before.length)).isPart(before, now);
  return { ...rewriting(list, () => [...uris]), uris, isPart };
}

function removing(list: DemoPlaylist, uris: readonly string[]): Effect {
  const less = (rows: readonly string[], gone: readonly string[]) =>
    rows.filter((uri) => !gone.includes(uri));
  return {
    ...{ kind: 'remove', uris, read: () => urisOf(list), goal: (before) => less(before, uris) },
    isPart(before, now) {
      const there = uris.filter((uri) => before.includes(uri));
      return [0, 1, 2].some((count) => sameRows(now, less(before, there.slice(0, count * CHUNK))));
    },
  };
}

function moved(rows: readonly string[], start: number, length: number, before: number): string[] {
  const rest = [...rows.slice(0, start), ...rows.slice(start + length)];
  return rest.toSpliced(before > start ? before - length : before, 0, ...rows.slice(start, start + length));
}

/** Saved songs are compared without their order. Any part of a save may be done: it is sent again without a look. */
function saving({ account }: Spotify, uris: readonly string[], saves: boolean): Effect {
  const goal = (before: readonly string[]) =>
    saves ? [...new Set([...before, ...uris])].sort() : before.filter((uri) => !uris.includes(uri));
  const read = () => account.saved.map(({ uri }) => uri).sort();
  return { kind: 'other', uris, read, goal, isPart: (before, now) => sameRows(goal(now), goal(before)) };
}

/** The playlists of one name, each with its rows. */
function making({ account }: Spotify, name: string, uris: readonly string[]): Effect {
  const named = () => account.playlists.filter((one) => one.name === name);
  return {
    ...{ kind: 'other', uris, read: () => named().flatMap((one) => ['playlist', ...urisOf(one)]) },
    goal: () => ['playlist', ...uris],
    isPart: (_, now) => now[0] === 'playlist' && isBegin(uris, now.slice(1)),
  };
}
