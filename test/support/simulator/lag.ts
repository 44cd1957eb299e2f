/**
 * Simulates that Spotify's reads lag: lists show a write after about 0.6 s, snapshots and counts even later, and a new playlist
 * is unknown for a moment. Also simulates rows that are shown under another ID (relinking), or without an item.
 */
import { trackObject } from '../../../src/demo/api/shapes.ts';
import type { Hook, RequestContext } from '../../../src/demo/hook.ts';
import { type Answer, apiError } from '../../../src/demo/http.ts';
import type { DemoAccount, DemoPlaylist, SavedTrack, World } from '../../../src/demo/state.ts';

/** How long after a change reads lag, in milliseconds on the provider's clock; 0 for no lag. */
export interface Lags {
  /** Until the rows of a playlist and the saved tracks show a change. */
  lists: number;
  /** Until a playlist's `snapshot_id` shows a change. */
  snapshots: number;
  /** Until a playlist's `total` shows a change. */
  totals: number;
  /** How long a new playlist answers 404. */
  created: number;
}

const NONE: Lags = { lists: 0, snapshots: 0, totals: 0, created: 0 };

export interface LagControl {
  /** Sets the lags. Lags that are left out become 0. */
  set(lags: Partial<Lags>): void;
  /** Notes the present state. Call it before changing the accounts by hand. */
  remember(): void;
  /**
   * Makes lists show the track `uri` as the track `shown`, as relinking does.
   * @param how `named`: the list also gives the original track in `linked_from`, as Spotify does for some apps only
   */
  relink(uri: string, shown: string, how?: 'named'): void;
  /** Makes lists show the rows of the track `uri` with `item: null`, as if Spotify no longer offered it. */
  vanish(uri: string): void;
  /** Undoes every `relink` and `vanish`. */
  showAll(): void;
}

interface Row {
  item?: { uri: string } | null;
  track?: { uri: string } | null;
}

interface Page {
  total: number;
  items: Row[];
}

/** An earlier state of a playlist, and when it ended. */
interface Former {
  until: number;
  rows: DemoPlaylist['rows'];
  version: number;
}

interface FormerSaved {
  until: number;
  saved: SavedTrack[];
}

export class Lag implements LagControl {
  readonly #world: World;
  readonly #playlists = new Map<DemoPlaylist, Former[]>();
  readonly #saved = new Map<DemoAccount, FormerSaved[]>();
  readonly #createdAt = new Map<string, number>();
  readonly #relinks = new Map<string, string>();
  readonly #named = new Set<string>();
  readonly #vanished = new Set<string>();
  #lags = NONE;

  constructor(world: World) {
    this.#world = world;
  }

  set(lags: Partial<Lags>): void {
    this.#lags = { ...NONE, ...lags };
  }

  relink(uri: string, shown: string, how?: 'named'): void {
    this.#relinks.set(uri, shown);
    if (how === 'named') this.#named.add(uri);
  }

  vanish(uri: string): void {
    this.#vanished.add(uri);
  }

  showAll(): void {
    this.#relinks.clear();
    this.#named.clear();
    this.#vanished.clear();
  }

  remember(): void {
    const until = this.#now();
    const horizon = until - Math.max(...Object.values(this.#lags));
    if (horizon === until) return;
    for (const playlist of this.#allPlaylists()) {
      const formers = this.#playlists.get(playlist) ?? [];
      formers.push({ until, rows: [...playlist.rows], version: playlist.version });
      this.#playlists.set(
        playlist,
        formers.filter((former) => former.until > horizon),
      );
    }
    for (const account of this.#world.accounts) {
      const formers = this.#saved.get(account) ?? [];
      formers.push({ until, saved: [...account.saved] });
      this.#saved.set(
        account,
        formers.filter((former) => former.until > horizon),
      );
    }
  }

  /** Lets a request take effect, and answers it with the state that reads show by now. */
  handle({ request, handle }: RequestContext): Answer {
    if (!request.isApi) return handle();
    if (this.#isTooNew(request.path)) return apiError(404, 'Resource not found');
    if (request.method === 'GET') return this.#read(request.path, handle);
    const known = new Set(this.#allPlaylists());
    this.remember();
    const answer = handle();
    for (const playlist of this.#allPlaylists()) {
      if (!known.has(playlist)) this.#createdAt.set(playlist.id, this.#now());
    }
    return answer;
  }

  #read(path: string, handle: () => Answer): Answer {
    if (this.#isOff()) return handle();
    const playlist = this.#playlistAt(path);
    const formers = playlist && this.#playlists.get(playlist);
    const counted = formers && formerAt(formers, this.#now() - this.#lags.totals);
    const total = (counted ?? playlist)?.rows.length;
    const undo = this.#showFormer();
    try {
      const answer = handle();
      return total === undefined ? answer : this.#asShown(answer, total);
    } finally {
      for (const one of undo) one();
    }
  }

  /** True if nothing makes reads differ from the present state. */
  #isOff(): boolean {
    const isQuick = Math.max(...Object.values(this.#lags)) === 0;
    return isQuick && this.#relinks.size + this.#vanished.size === 0;
  }

  /** Sets playlists and saved tracks to the state that reads show. Returns functions that set them back. */
  #showFormer(): Array<() => void> {
    const now = this.#now();
    const undo: Array<() => void> = [];
    for (const [playlist, formers] of this.#playlists) {
      const { rows, version } = playlist;
      playlist.rows = formerAt(formers, now - this.#lags.lists)?.rows ?? rows;
      playlist.version = formerAt(formers, now - this.#lags.snapshots)?.version ?? version;
      undo.push(() => Object.assign(playlist, { rows, version }));
    }
    for (const [account, formers] of this.#saved) {
      const { saved } = account;
      account.saved = formerAt(formers, now - this.#lags.lists)?.saved ?? saved;
      undo.push(() => Object.assign(account, { saved }));
    }
    return undo;
  }

  /** A playlist's answer with the count and the IDs that reads show. */
  #asShown(answer: Answer, total: number): Answer {
    if (answer.json === undefined) return answer;
    const json = structuredClone(answer.json) as { total?: number; items?: unknown; tracks?: unknown };
    for (const page of [json, json.items, json.tracks] as Array<Partial<Page> | undefined>) {
      if (typeof page?.total !== 'number') continue;
      page.total = total;
      for (const row of page.items ?? []) this.#showRow(row);
    }
    return { ...answer, json };
  }

  #showRow(row: Row): void {
    for (const field of ['item', 'track'] as const) {
      if (this.#vanished.has(row[field]?.uri ?? '')) row[field] = null;
      const uri = row[field]?.uri ?? '';
      const shown = this.#world.catalogue.trackByUri.get(this.#relinks.get(uri) ?? '');
      if (!shown) continue;
      const from = this.#named.has(uri) ? { linked_from: { uri } } : {};
      row[field] = { ...(trackObject(this.#world, shown) as { uri: string }), ...from };
    }
  }

  #playlistAt(path: string): DemoPlaylist | undefined {
    const id = playlistIdIn(path);
    return id === undefined ? undefined : this.#allPlaylists().find((playlist) => playlist.id === id);
  }

  #isTooNew(path: string): boolean {
    const createdAt = this.#createdAt.get(playlistIdIn(path) ?? '');
    return createdAt !== undefined && this.#now() - createdAt < this.#lags.created;
  }

  #allPlaylists(): DemoPlaylist[] {
    const { accounts, unlisted } = this.#world;
    return [...new Set([...accounts.flatMap(({ playlists }) => playlists), ...unlisted])];
  }

  #now(): number {
    return this.#world.clock.now();
  }
}

/** The former state that held at the time `at`; undefined if the present state held then. */
function formerAt<T extends { until: number }>(formers: readonly T[], at: number): T | undefined {
  return formers.find(({ until }) => until > at);
}

function playlistIdIn(path: string): string | undefined {
  return /^\/playlists\/([^/]+)/.exec(path)?.[1];
}

/** A hook that answers requests with lag, whenever `next` lets them take effect. */
export function lagHook(lag: Lag, next: Hook): Hook {
  return (context) => next({ ...context, handle: () => lag.handle(context) });
}
