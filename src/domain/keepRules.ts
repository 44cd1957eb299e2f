/** Rules that are ready to use: `relay keep add NAME --like RULE`. Pure. */
import { RelayError } from './errors.ts';
import { quoted } from './library.ts';

interface ReadyRule {
  /** What the rule keeps, for help texts. */
  what: string;
  /**
   * @param name of the playlist, whose own rows the query must not count
   * @param value the text after `=` in the rule; null without `=`
   */
  sql(name: string, value: string | null): string;
  /** Finds the value in the query. */
  valueIn: RegExp;
  /** Describes the rule with this value to a person. */
  words(value: string | null): string;
}

/** Match a text in SQL, and several that are separated by commas. */
const TEXT = /'((?:[^']|'')*)'/;
const TEXTS = `${TEXT.source}(?:, ${TEXT.source})*`;

/** Reads names that are separated by commas. As in CSV, a name in quotation marks may have commas. */
function namesIn(list: string): string[] {
  const found = [...list.matchAll(/\s*(?:"((?:[^"]|"")+)"|([^,]*?))\s*(?:,|$)/g)];
  return found.flatMap(([, marked, plain]) => marked?.replaceAll('""', '"') || plain || []);
}

/** Writes a name so that `namesIn` reads it. */
function listed(name: string): string {
  return /[",]|^\s|\s$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

const others = (name: string) => `playlist_id NOT IN (SELECT id FROM playlists WHERE name = ${quoted(name)})`;

/** In the order of the manual. */
export const READY_RULES = {
  fresh: {
    what: 'saved in the last 90 days (fresh=30: 30 days)',
    sql: (_, value) =>
      `SELECT uri FROM saved WHERE added_at >= strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-${wholeOf(value, 90, 3_650)} days') ORDER BY position`,
    valueIn: /-(\d+) days/,
    words: (value) => `Saved in the last ${value} days`,
  },
  unsorted: {
    what: 'saved, and in no other playlist of yours',
    sql: (name, value) => {
      if (value !== null) throw new RelayError('USAGE', `The rule "unsorted" takes no value: "${value}".`);
      return `SELECT uri FROM saved WHERE uri NOT IN (SELECT uri FROM playlist_rows JOIN playlists ON id = playlist_id WHERE mine = 1 AND uri IS NOT NULL AND ${others(name)}) ORDER BY position`;
    },
    valueIn: /^$/,
    words: () => 'Saved, and in no other playlist of yours',
  },
  'best-of': {
    what: 'the two songs of each artist saved last (best-of=3: three)',
    sql: (_, value) =>
      `SELECT uri FROM (SELECT uri, position, row_number() OVER (PARTITION BY artist_uri ORDER BY position) AS place FROM saved JOIN track_artists ON track_uri = uri AND track_artists.place = 0) WHERE place <= ${wholeOf(value, 2, 100)} ORDER BY position`,
    valueIn: /place <= (\d+)/,
    words: (value) => `Saved, at most ${value} by each artist`,
  },
  decade: {
    what: 'saved songs of the 1990s (decade=1980: of the 1980s)',
    sql: (_, value) => {
      const first = Math.floor(wholeOf(value?.replace(/s$/, '') ?? null, 1990, 2100, 1800) / 10) * 10;
      return `SELECT uri FROM saved JOIN tracks USING (uri) WHERE released >= '${first}' AND released < '${first + 10}' ORDER BY released, position`;
    },
    valueIn: /released >= '(\d+)'/,
    words: (value) => `Saved songs of the ${value}s`,
  },
  union: {
    what: 'your other playlists without repeats (union=Road,Gym: these)',
    sql: (name, value) => {
      const names = namesIn(value ?? '');
      const which = names.length === 0 ? 'mine = 1' : `playlists.name IN (${names.map(quoted).join(', ')})`;
      return `SELECT uri FROM (SELECT uri, song, playlists.name AS list, position, row_number() OVER (PARTITION BY song ORDER BY kind = 'local', playlists.name, position) AS copy FROM playlist_rows JOIN playlists ON playlists.id = playlist_id JOIN tracks USING (uri) WHERE ${which} AND ${others(name)}) WHERE copy = 1 ORDER BY list, position`;
    },
    valueIn: new RegExp(`playlists\\.name IN \\((${TEXTS})\\) AND `),
    words: (value) =>
      `${value === null ? 'Your other playlists' : namesIn(value).map(listed).join(', ')}, without repeats`,
  },
  'not-heard': {
    what: 'saved and not heard for a year (not-heard=90: 90 days)',
    sql: (_, value) => {
      const heard = `ms_played >= 30000 AND played_at >= strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-${wholeOf(value, 365, 36_500)} days')`;
      // The short history names a song only by its title and artist. The long one may have the URI of another release.
      const named = `SELECT 1 FROM plays WHERE plays.artist = track_artists.artist AND plays.name = tracks.name AND ${heard}`;
      return `SELECT uri FROM saved JOIN tracks USING (uri) LEFT JOIN track_artists ON track_uri = uri AND place = 0 WHERE uri NOT IN (SELECT uri FROM plays WHERE uri IS NOT NULL AND ${heard}) AND NOT EXISTS (${named}) ORDER BY position DESC`;
    },
    valueIn: /-(\d+) days/,
    words: (value) => `Saved, and not heard for ${value} days`,
  },
} as const satisfies Readonly<Record<string, ReadyRule>>;

export type ReadyRuleName = keyof typeof READY_RULES;
export const READY_RULE_NAMES = Object.keys(READY_RULES) as ReadyRuleName[];

/**
 * Returns the query of a ready rule.
 * @param given `fresh`, or `fresh=30`
 * @throws RelayError `USAGE`
 */
export function readyRule(given: string, name: string): string {
  const { rule, value } = partsOf(given);
  const known = READY_RULE_NAMES.find((one) => one === rule);
  if (known) return (READY_RULES[known] as ReadyRule).sql(name, value);
  throw new RelayError('USAGE', `There is no rule "${rule}".`, {
    remedy: `The rules are ${READY_RULE_NAMES.join(', ')}.`,
  });
}

/** Returns the names of the playlists that a rule names. @param given as for `readyRule` */
export function playlistsNamed(given: string): string[] {
  const { rule, value } = partsOf(given);
  return rule === 'union' ? namesIn(value ?? '') : [];
}

/** Returns the names of the playlists by which a ready rule made a query for a playlist of this name. */
export function playlistsInQuery(sql: string, name: string): string[] {
  const made = ruleOf(sql, name);
  return made?.rule === READY_RULES.union ? namesIn(made.value ?? '') : [];
}

/** Returns the days of the ready rule `not-heard`, if it made the query; otherwise null. */
export function daysUnheard(sql: string, name: string): number | null {
  const made = ruleOf(sql, name);
  return made?.rule === READY_RULES['not-heard'] ? Number(made.value) : null;
}

/** Returns the rule for the union of the playlists with these names, as `readyRule` takes it. */
export function unionOf(names: readonly string[]): string {
  return `union=${names.map(listed).join(',')}`;
}

function partsOf(given: string): { rule: string; value: string | null } {
  const at = given.indexOf('=');
  return {
    rule: (at < 0 ? given : given.slice(0, at)).trim().toLowerCase(),
    value: at < 0 ? null : given.slice(at + 1).trim(),
  };
}

/** Returns the words of the ready rule that made a query for a playlist of this name; null if no ready rule made the query. */
export function ruleWords(sql: string, name: string): string | null {
  const made = ruleOf(sql, name);
  return made?.rule.words(made.value) ?? null;
}

/** Returns the query of the same ready rule for a playlist that was renamed. Returns a query that no ready rule made as it is. */
export function renamedRule(sql: string, name: string, newName: string): string {
  const made = ruleOf(sql, name);
  return made === null ? sql : made.rule.sql(newName, made.value);
}

function ruleOf(sql: string, name: string): { rule: ReadyRule; value: string | null } | null {
  for (const rule of Object.values(READY_RULES) as ReadyRule[]) {
    const found = rule.valueIn.exec(sql)?.[1];
    const texts = [...(found?.matchAll(new RegExp(TEXT, 'g')) ?? [])];
    const names = texts.map(([, text = '']) => listed(text.replaceAll("''", "'")));
    const value = names.length > 0 ? names.join(',') : (found ?? null);
    try {
      if (rule.sql(name, value) === sql) return { rule, value };
    } catch {
      // The rule refuses this number, so the query was written by hand.
    }
  }
  return null;
}

function wholeOf(value: string | null, standard: number, most: number, least = 1): number {
  if (value === null) return standard;
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  throw new RelayError('USAGE', `"${value}" must be a number from ${least} to ${most}.`);
}
