/** The kinds of change: how to ask for each, and how to tell from the provider's data whether it was made. */
import type { DemoPlaylist } from '../../../src/demo/state.ts';
import { at, owner } from '../../support/entries.ts';
import { addPlaylist, differenceOf } from '../../support/playlists.ts';
import type { Simulator } from '../../support/simulator/simulator.ts';
import type { Chance } from './chance.ts';

/** What to ask for: a call of a tool, or a job. */
type Asked =
  | { tool: string; args: Record<string, unknown> }
  | { type: string; payload: Record<string, unknown>; items: unknown[] };

/** One change on a target of its own. */
export interface Scene {
  kind: Kind;
  asked: Asked;
  /** The playlist to change; null if the change creates the playlist or changes the library. */
  playlist: DemoPlaylist | null;
  /** `wanted` if the target is exactly as asked for, `former` if it is exactly as before; otherwise says what is wrong. */
  outcome(): string;
  /** A change that is made first, before any kill, so that this one can undo it. */
  undoes?: Scene;
}

/** One kind for each way through the program. The simulator (`test/simulate`) has all of them. */
export const KINDS = [
  'add',
  'remove',
  'replace',
  'create',
  'save',
  'job add_to_playlist',
  'job create_playlist',
  'undo',
] as const;
export type Kind = (typeof KINDS)[number];

interface Stage {
  provider: Simulator;
  chance: Chance;
  /** Number of the scene, for names that no other scene uses. */
  serial: number;
  /** Tracks that scenes of the library use. */
  taken: Set<string>;
}

export function sceneOf(stage: Stage, kind: Kind): Scene {
  switch (kind) {
    case 'save':
      return saving(stage);
    case 'create':
    case 'job create_playlist':
      return creation(stage, kind);
    case 'undo':
      return undoing(stage);
    default:
      return rewriting(stage, kind);
  }
}

function rewriting({ provider, chance, serial }: Stage, kind: Kind): Scene {
  const uris = draw(provider, chance, chance.whole(1, 330));
  const former = draw(provider, chance, chance.whole(20, 260)).filter((uri) => !uris.includes(uri));
  const playlist = addPlaylist(provider, `Target ${serial}`, former);
  const playlist_id = playlist.id;
  const scene = (asked: Asked, wanted: string[]): Scene => {
    const outcome = () => {
      const difference = differenceOf(urisOf(playlist), wanted);
      if (difference === null) return 'wanted';
      return differenceOf(urisOf(playlist), former) === null ? 'former' : difference;
    };
    return { kind, asked, playlist, outcome };
  };
  const of = (tool: string, track_ids: string[]) => ({ tool, args: { playlist_id, track_ids } });
  switch (kind) {
    case 'remove': {
      const left = former.filter((_, index) => index > 0 && chance.fraction() < 0.4);
      const gone = former.filter((uri) => !left.includes(uri));
      return scene(of('remove_tracks_from_playlist', gone), left);
    }
    case 'replace':
      return scene(of('replace_playlist_tracks', uris), uris);
    case 'add':
      return scene(of('add_tracks_to_playlist', uris), [...former, ...uris]);
    default: {
      const payload = { playlist_id, skip_duplicates: false };
      const items = searched(provider, uris, chance);
      return scene({ type: 'add_to_playlist', payload, items }, [...former, ...uris]);
    }
  }
}

function creation({ provider, chance, serial }: Stage, kind: Kind): Scene {
  const uris = draw(provider, chance, chance.whole(1, 250));
  const name = `Created ${serial}`;
  const payload = { name, skip_duplicates: false };
  const made = () => owner(provider).playlists.filter((playlist) => playlist.name === name);
  return {
    kind,
    playlist: null,
    asked:
      kind === 'create'
        ? { tool: 'create_playlist_from_tracks', args: { ...payload, tracks: uris } }
        : { type: 'create_playlist', payload, items: uris },
    outcome() {
      if (made().length === 0) return 'former';
      if (made().length > 1) return `${made().length} playlists were made`;
      return differenceOf(made().flatMap(urisOf), uris) ?? 'wanted';
    },
  };
}

/** A scene of the library. No other scene uses its tracks, since all scenes share one library. */
function saving({ provider, chance, taken }: Stage): Scene {
  const savedNow = () => new Set(owner(provider).saved.map(({ uri }) => uri));
  const held = savedNow();
  const uris = draw(provider, chance, 400)
    .filter((uri) => !taken.has(uri) && !held.has(uri))
    .slice(0, chance.whole(1, 130));
  for (const uri of uris) taken.add(uri);
  const outcome = () => {
    const saved = savedNow();
    const count = uris.filter((uri) => saved.has(uri)).length;
    if (count === uris.length) return 'wanted';
    return count === 0 ? 'former' : `${count} of ${uris.length} tracks are saved`;
  };
  return { kind: 'save', playlist: null, asked: { tool: 'save_tracks', args: { track_ids: uris } }, outcome };
}

const UNDONE = ['add', 'remove', 'replace', 'save'] as const;

function undoing(stage: Stage): Scene {
  const undoes = sceneOf(stage, stage.chance.pick(UNDONE));
  const swapped = new Map([
    ['wanted', 'former'],
    ['former', 'wanted'],
  ]);
  const outcome = () => swapped.get(undoes.outcome()) ?? undoes.outcome();
  return { ...undoes, kind: 'undo', asked: { tool: 'undo_change', args: {} }, undoes, outcome };
}

/** Draws distinct tracks. */
function draw({ catalogue }: Simulator, chance: Chance, count: number): string[] {
  const drawn = new Set<string>();
  while (drawn.size < count) drawn.add(chance.pick(catalogue.tracks).uri);
  return [...drawn];
}

/** Replaces a few of the items by searches. Each search finds only the track that it replaces. */
function searched(provider: Simulator, uris: readonly string[], chance: Chance): unknown[] {
  return uris.map((uri) => (chance.fraction() < 0.03 ? (searchFor(provider, uri) ?? uri) : uri));
}

function searchFor({ catalogue }: Simulator, uri: string): object | null {
  const track = catalogue.trackByUri.get(uri);
  if (!track || !/^[A-Za-z ]{14,}$/.test(track.name)) return null;
  // No other track may have this name, or a name that contains it: the matching might prefer that one.
  if (catalogue.tracks.filter(({ name }) => name.includes(track.name)).length !== 1) return null;
  return { title: track.name, artist: at(track.artists, 0).name };
}

function urisOf({ rows }: DemoPlaylist): string[] {
  return rows.map(({ uri }) => uri);
}
