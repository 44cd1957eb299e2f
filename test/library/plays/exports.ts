/** Rows and archives of privacy exports, as Spotify has written them over the years. Everything in them is invented. */
import { strToU8, type Zippable, zipSync } from 'fflate';

export type ExportRow = Record<string, unknown>;

/** What must never be in a file of the home. */
export const PRIVATE = {
  address: '203.0.113.77',
  agent: 'Vessel/9.4 (Imaginary OS)',
  platform: 'Imaginary OS 4.2 (Acme, Anvil)',
  country: 'ZQ',
  email: 'someone@example.org',
  born: '1971-02-03',
} as const;

/** A URI that no real track has. */
export function trackUri(number: number): string {
  return `spotify:track:${String(number).padStart(22, '0')}`;
}

export interface Heard {
  /** When the play ended: ISO 8601 in UTC, to the second. */
  at: string;
  song?: number;
  ms?: number;
  artist?: string;
  name?: string;
}

/** A row of the extended history, as it is written today. */
export function extended(
  { at, song = 1, ms = 200_000, artist, name }: Heard,
  more: ExportRow = {},
): ExportRow {
  return {
    ts: at,
    platform: PRIVATE.platform,
    ms_played: ms,
    conn_country: PRIVATE.country,
    ip_addr: PRIVATE.address,
    master_metadata_track_name: name ?? `Song ${song}`,
    master_metadata_album_artist_name: artist ?? `Artist ${song % 7}`,
    master_metadata_album_album_name: `Album ${song % 11}`,
    spotify_track_uri: trackUri(song),
    episode_name: null,
    episode_show_name: null,
    spotify_episode_uri: null,
    audiobook_title: null,
    audiobook_uri: null,
    audiobook_chapter_uri: null,
    audiobook_chapter_title: null,
    reason_start: 'trackdone',
    reason_end: 'trackdone',
    shuffle: false,
    skipped: false,
    offline: false,
    offline_timestamp: 1_600_000_000,
    incognito_mode: false,
    ...more,
  };
}

/** A row of the extended history as it was written until 2022, with the user name. */
export function endsong(heard: Heard, username: string, more: ExportRow = {}): ExportRow {
  const { ip_addr, ...row } = extended(heard);
  return { ...row, username, ip_addr_decrypted: ip_addr, user_agent_decrypted: PRIVATE.agent, ...more };
}

/** A row of the account data. */
export function short({ at, song = 1, ms = 200_000, artist, name }: Heard): ExportRow {
  return {
    endTime: at.slice(0, 16).replace('T', ' '),
    artistName: artist ?? `Artist ${song % 7}`,
    trackName: name ?? `Song ${song}`,
    msPlayed: ms,
  };
}

/** The account data about the person: the file that has the values of `PRIVATE`. */
export function userdata(username: string): ExportRow {
  const { email, country, born } = PRIVATE;
  return { username, email, country, birthdate: born, createdFromFacebook: false };
}

/** An archive with these files. Text is added as it is, bytes without compression, and anything else as JSON. */
export function zipped(files: Record<string, unknown>): Uint8Array {
  const entries = Object.entries(files).map(([path, content]): [string, Zippable[string]] => {
    if (content instanceof Uint8Array) return [path, [content, { level: 0 }]];
    return [path, strToU8(typeof content === 'string' ? content : JSON.stringify(content, null, 2))];
  });
  return zipSync(Object.fromEntries(entries));
}
