/** Versions of playlists: readings that were kept. */

/** One version. `added` and `removed` count its rows against the version kept before it. */
export interface PlaylistVersion {
  version: number;
  /** ISO 8601. */
  seen_at: string;
  total: number;
  added: number;
  removed: number;
}

/** A row of a version. All but `added_at` are null if the provider named no item. */
export interface VersionRow {
  uri: string | null;
  name: string | null;
  artist: string | null;
  album: string | null;
  kind: 'track' | 'episode' | 'local' | null;
  /** ISO 8601; null if it is not known. */
  added_at: string | null;
}

/** The versions of one playlist, newest first. */
export interface PlaylistVersions {
  playlist_id: string;
  name: string;
  /** False if the playlist is not in the account's list any more. */
  present: boolean;
  items: PlaylistVersion[];
}

/** What bringing back a version does, or would do. */
export interface RestoreAnswer {
  ok: boolean;
  playlist_id: string;
  version: number;
  dry_run: boolean;
  added_count: number;
  removed_count: number;
  /** Number of rows that only change their position. */
  moved_count: number;
  /** Rows that cannot be written. While there are any, nothing is. */
  unsupported: UnsupportedRow[];
  change_id?: string;
  note?: string;
}

export interface UnsupportedRow {
  /** 0-based position in the version or, for a row that would be removed, in the present playlist. */
  position: number;
  uri: string | null;
  name: string | null;
  /** `local`: a local file. `gone`: Spotify no longer offers it. */
  reason: 'local' | 'gone';
}
