/**
 * The Spotify of histories of kept playlists, with episodes, local files and songs that turn grey. Also the rows that a rule
 * should find.
 */
import type { DemoEpisode, DemoShow } from '../../../src/demo/catalogue/types.ts';
import { type Answer, apiError, type Incoming } from '../../../src/demo/http.ts';
import type { DemoPlaylist, PlaylistRow } from '../../../src/demo/state.ts';
import { Spotify, uriOf, urisOf } from '../spotify.ts';
import type { VirtualTime } from '../time.ts';
import { EPISODES, type KeepPlan, LOCALS, type RuleText } from './plan.ts';

const SHOW: DemoShow = { id: 'S'.padEnd(22, '0'), uri: '', name: 'A show', description: '', episodes: [] };

function episodeOf(index: number): DemoEpisode {
  const id = `E${String(index).padStart(21, '0')}`;
  return {
    id,
    uri: `spotify:episode:${id}`,
    name: `Episode ${index}`,
    description: '',
    show: SHOW,
    durationMs: 1_800_000,
    releaseDate: '2024-05-01',
    explicit: false,
  };
}

const EPISODE_LIST = Array.from({ length: 10 }, (_, index) => episodeOf(index));
const EPISODE_BY_URI = new Map(EPISODE_LIST.map((episode) => [episode.uri, episode]));

/** The URI of a row, by the row's number in a plan. */
export function rowUri(row: number): string {
  if (row >= LOCALS) return `spotify:local:Somebody:Tapes:Song+${row - LOCALS}:180`;
  return row >= EPISODES ? (EPISODE_LIST[row - EPISODES] as DemoEpisode).uri : uriOf(row);
}

export class KeepSpotify extends Spotify {
  constructor(time: VirtualTime, plan: KeepPlan) {
    super(time, plan.seed, null);
    const { world, account } = this;
    Object.assign(world, { catalogue: { ...world.catalogue, episodeByUri: EPISODE_BY_URI } });
    account.saved = Array.from({ length: plan.saved }, (_, index) => ({
      uri: uriOf(index),
      addedAt: '2026-01-05T08:00:00Z',
    }));
  }

  /** Spotify no longer offers the track of a grey row, so requests that read or write that track are refused. */
  override handle(request: Incoming): Answer {
    const { method, path, text } = request;
    if (this.vanished.size > 0 && request.isApi) {
      const track = /^\/tracks\/([^/]+)$/.exec(path)?.[1];
      if (track !== undefined && this.vanished.has(`spotify:track:${track}`))
        return apiError(404, 'Resource not found');
      const isWrite = (method === 'POST' || method === 'PUT') && path.endsWith('/items');
      if (isWrite && [...this.vanished].some((uri) => text.includes(`"${uri}"`)))
        return apiError(400, 'Invalid track uri');
    }
    return super.handle(request);
  }

  named(name: string): DemoPlaylist | undefined {
    return this.account.playlists.find((one) => one.name === name);
  }

  /** Every state that a playlist's rows had in the `span` milliseconds before the time `at`. */
  statesOf(playlist: DemoPlaylist, at: number, span: number): string[][] {
    const own = this.effects.filter((effect) => effect.playlist === playlist);
    const states: string[][] = [];
    let rows = [...(own[0]?.before ?? urisOf(playlist))];
    let from = Number.NEGATIVE_INFINITY;
    for (const effect of [...own, null]) {
      const until = effect?.at ?? Number.POSITIVE_INFINITY;
      if (from <= at && until >= at - span) states.push(rows);
      if (effect) rows = [...effect.after];
      from = until;
    }
    return states;
  }
}

export function rowOf(uri: string): PlaylistRow {
  return { uri, addedAt: '2026-11-20T08:00:00Z', addedBy: null };
}

/** The query of a rule. */
export function sqlOf(text: RuleText, lists: readonly DemoPlaylist[]): string {
  switch (text.is) {
    case 'saved':
      return 'SELECT uri FROM saved ORDER BY position';
    case 'head':
      return `SELECT uri FROM saved ORDER BY position LIMIT ${text.limit}`;
    case 'union': {
      const ids = text.of.map((index) => `'${lists[index]?.id}'`).join(', ');
      return `SELECT uri FROM playlist_rows WHERE playlist_id IN (${ids}) AND uri IS NOT NULL GROUP BY uri ORDER BY min(playlist_id || printf('%05d', position))`;
    }
    case 'unsorted':
      return "SELECT uri FROM saved WHERE uri NOT IN (SELECT uri FROM playlist_rows JOIN playlists ON id = playlist_id WHERE name LIKE 'List %' AND uri IS NOT NULL) ORDER BY position";
    case 'turned':
      return `SELECT uri FROM playlist_rows JOIN playlists ON id = playlist_id WHERE name = '${text.of}' ORDER BY position DESC`;
  }
}

/** The rows that the query of the same rule should find in what Spotify holds. */
export function wantedBy(text: RuleText, spotify: KeepSpotify, lists: readonly DemoPlaylist[]): string[] {
  const saved = spotify.account.saved.map(({ uri }) => uri);
  const rows = ((): string[] => {
    switch (text.is) {
      case 'saved':
        return saved;
      case 'head':
        return saved.slice(0, text.limit);
      case 'union':
        return [...new Set(text.of.flatMap((index) => urisOf(lists[index] as DemoPlaylist)))];
      case 'unsorted': {
        const held = new Set(lists.flatMap(urisOf));
        return saved.filter((uri) => !held.has(uri));
      }
      case 'turned': {
        const source = spotify.named(text.of);
        return source ? urisOf(source).toReversed() : [];
      }
    }
  })();
  return rows.filter((uri) => !uri.startsWith('spotify:local:'));
}
