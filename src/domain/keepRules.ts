/** Rules that are ready to use: `relay keep add NAME --like RULE`. Pure. */
import { RelayError } from './errors.ts';
import { quoted } from './library.ts';

/** In the order of the manual: what each rule keeps, for help texts. */
export const READY_RULES = {
  fresh: 'saved in the last 90 days (fresh=30: 30 days)',
  unsorted: 'saved, and in no other playlist of yours',
  'best-of': 'the two songs of each artist saved last (best-of=3: three)',
  decade: 'saved songs of the 1990s (decade=1980: of the 1980s)',
  union: 'your other playlists without repeats (union=Road,Gym: these)',
  'not-heard': 'saved and not heard for a year (not-heard=90: 90 days)',
} as const;

export type ReadyRuleName = keyof typeof READY_RULES;
export const READY_RULE_NAMES = Object.keys(READY_RULES) as ReadyRuleName[];

/** A playlist that a rule names. Its name is only for people: the rule finds it by its ID. */
interface NamedPlaylist {
  id: string;
  name: string;
}

/** A ready rule with its value, as a kept playlist stores it. */
export interface KeepRule {
  name: ReadyRuleName;
  /** Days, songs of each artist, or the first year of the decade; null for a rule without a number. */
  value: number | null;
  /** The playlists of `union`; none for all. */
  playlists: readonly NamedPlaylist[];
}

/** The number that a rule takes: what it is by default, and its range. */
const VALUES: Partial<Record<ReadyRuleName, { usual: number; least: number; most: number }>> = {
  fresh: { usual: 90, least: 1, most: 3_650 },
  'best-of': { usual: 2, least: 1, most: 100 },
  decade: { usual: 1990, least: 1800, most: 2100 },
  'not-heard': { usual: 365, least: 1, most: 36_500 },
};

/**
 * Reads a rule as a person writes it: `fresh`, `fresh=30` or `union=Road,Gym`.
 * @returns the rule, and the names of the playlists that it is to have
 * @throws RelayError `USAGE`
 */
export function parseRule(given: string): { rule: KeepRule; names: string[] } {
  const [word = '', ...rest] = given.split('=');
  const value = rest.length === 0 ? null : rest.join('=').trim();
  const name = READY_RULE_NAMES.find((one) => one === word.trim().toLowerCase());
  if (name === undefined) {
    throw new RelayError('USAGE', `There is no rule "${word.trim()}".`, {
      remedy: `The rules are ${READY_RULE_NAMES.join(', ')}.`,
    });
  }
  const rule = { name, value: null, playlists: [] };
  if (name === 'union') return { rule, names: namesIn(value ?? '') };
  return { rule: { ...rule, value: numberOf(name, value) }, names: [] };
}

function numberOf(name: ReadyRuleName, value: string | null): number | null {
  const range = VALUES[name];
  if (!range) {
    if (value === null) return null;
    throw new RelayError('USAGE', `The rule "${name}" takes no value: "${value}".`);
  }
  if (value === null) return range.usual;
  const text = name === 'decade' ? value.replace(/s$/, '') : value;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < range.least || number > range.most)
    throw new RelayError('USAGE', `"${text}" must be a number from ${range.least} to ${range.most}.`);
  return name === 'decade' ? Math.floor(number / 10) * 10 : number;
}

/** Reads names that are separated by commas. As in CSV, a name in quotation marks may have commas. */
function namesIn(list: string): string[] {
  const found = [...list.matchAll(/\s*(?:"((?:[^"]|"")+)"|([^,]*?))\s*(?:,|$)/g)];
  return found.flatMap(([, marked, plain]) => marked?.replaceAll('""', '"') || plain || []);
}

/** Writes a name so that `namesIn` reads it. */
function listed(name: string): string {
  return /[",]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

/** Describes a rule to a person. */
export function ruleWords({ name, value, playlists }: KeepRule): string {
  switch (name) {
    case 'fresh':
      return `Saved in the last ${value} days`;
    case 'unsorted':
      return 'Saved, and in no other playlist of yours';
    case 'best-of':
      return `Saved, at most ${value} by each artist`;
    case 'decade':
      return `Saved songs of the ${value}s`;
    case 'union': {
      const names = playlists.map((one) => listed(one.name)).join(', ');
      return `${names || 'Your other playlists'}, without repeats`;
    }
    case 'not-heard':
      return `Saved, and not heard for ${value} days`;
  }
}

/** The time so many days ago, in SQL. */
const daysAgo = (days: number | null) => `strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-${days} days')`;
const among = (column: string, ids: readonly string[]) => `${column} IN (${ids.map(quoted).join(', ')})`;

/**
 * Returns the query of a rule.
 * @param self ID of the playlist that follows the rule; null until it is made
 * @param kept IDs of all kept playlists, which `unsorted` does not count as sorting
 */
export function ruleSql(
  { name, value, playlists }: KeepRule,
  self: string | null,
  kept: readonly string[],
): string {
  switch (name) {
    case 'fresh':
      return `SELECT uri FROM saved WHERE added_at >= ${daysAgo(value)} ORDER BY position`;
    case 'unsorted':
      return `SELECT uri FROM saved WHERE uri NOT IN (SELECT uri FROM playlist_rows JOIN playlists ON id = playlist_id WHERE mine = 1 AND uri IS NOT NULL AND NOT ${among('playlist_id', kept)}) ORDER BY position`;
    case 'best-of':
      return `SELECT uri FROM (SELECT uri, position, row_number() OVER (PARTITION BY artist_uri ORDER BY position) AS place FROM saved JOIN track_artists ON track_uri = uri AND track_artists.place = 0) WHERE place <= ${value} ORDER BY position`;
    case 'decade':
      return `SELECT uri FROM saved JOIN tracks USING (uri) WHERE released >= '${value}' AND released < '${(value ?? 0) + 10}' ORDER BY released, position`;
    case 'union': {
      const ids = playlists.map(({ id }) => id);
      const which = ids.length === 0 ? 'mine = 1' : among('playlist_id', ids);
      const others = self === null ? which : `${which} AND playlist_id <> ${quoted(self)}`;
      return `SELECT uri FROM (SELECT uri, song, playlists.name AS list, position, row_number() OVER (PARTITION BY song ORDER BY kind = 'local', playlists.name, position) AS copy FROM playlist_rows JOIN playlists ON playlists.id = playlist_id JOIN tracks USING (uri) WHERE ${others}) WHERE copy = 1 ORDER BY list, position`;
    }
    case 'not-heard': {
      const heard = `ms_played >= 30000 AND played_at >= ${daysAgo(value)}`;
      // The short history names a song only by its title and artist. The long one may have the URI of another release.
      const named = `SELECT 1 FROM plays WHERE plays.artist = track_artists.artist AND plays.name = tracks.name AND ${heard}`;
      return `SELECT uri FROM saved JOIN tracks USING (uri) LEFT JOIN track_artists ON track_uri = uri AND place = 0 WHERE uri NOT IN (SELECT uri FROM plays WHERE uri IS NOT NULL AND ${heard}) AND NOT EXISTS (${named}) ORDER BY position DESC`;
    }
  }
}
