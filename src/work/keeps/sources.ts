/** The playlists and plays that a query reads, and that it does not get now. */
import { RelayError } from '../../domain/errors.ts';
import { daysUnheard, playlistsInQuery } from '../../domain/keepRules.ts';
import type { Library, PlaysRead } from '../../library/library.ts';
import type { ListedName } from '../../library/tables/mirror.ts';
import type { Keep } from '../../store/tables/keeps.ts';

/** A source without rows. */
export interface Away {
  /** What `Keep.gone` holds once a person lets the runs do without this playlist. */
  key: string;
  name: string;
  /**
   * `refused`: Spotify does not give its rows. `left`: it has left the account. `unknown`: no playlist has this name.
   * `unheard`: the plays that the query needs are not stored, and `name` says which.
   */
  why: 'refused' | 'left' | 'unknown' | 'unheard';
}

const ID = /^[0-9A-Za-z]{22}$/;
/** Matches a comparison that leaves texts out: `<> 'a'`, `NOT LIKE 'a'`, `NOT IN ('a', 'b')`. Each text is written as its number. */
const EXCLUDED =
  /(?:<>|!=|\bis\s+not|\bnot\s+like)\s*\u{e000}\d+;|\bnot\s+in\s*\(\s*\u{e000}\d+;(?:\s*,\s*\u{e000}\d+;)*/giu;
/** Matches a comment, or a text in a query: SQLite also takes double quotation marks if they hold no name of a column. */
const TEXT = /--[^\n]*|\/\*[\s\S]*?\*\/|'((?:[^']|'')*)'|"((?:[^"]|"")*)"/g;
/** The key of the plays in `Keep.gone`. */
const PLAYS_KEY = 'plays';
/** The keys of sources in `Keep.gone`, which also has songs that Spotify refuses. */
const SOURCE_KEY = /^(?:spotify:playlist:|playlist |plays$)/;

/**
 * The playlists whose rows a query may lack: Spotify refuses the rows, or the playlist that the query names has left the
 * account. A source of the rule `union` may also have another name.
 * @param missed the playlists whose rows Spotify refuses
 */
export async function awayFrom(
  library: Library,
  { playlistId, name, query }: Pick<Keep, 'playlistId' | 'name' | 'query'>,
  missed: ReadonlyArray<{ id: string; name: string }>,
): Promise<Away[]> {
  const texts = textsIn(query);
  const names = playlistsInQuery(query, name).filter((one) => one !== name);
  const listed = texts.length === 0 ? [] : await library.listedPlaylists();
  const refused = [...missed, ...refusedIn({ name, query }, listed, missed)].map(
    (one): Away => ({ key: playlistUri(one.id), name: one.name, why: 'refused' }),
  );
  const here = new Set(listed.flatMap((one) => [one.id, one.name]));
  const named = namesIn(query).filter((one) => one !== name && !names.includes(one));
  const unlisted = [...texts.filter((text) => ID.test(text)), ...named].filter((one) => !here.has(one));
  // Not every text is the ID or name of a playlist. Only a playlist that was read once has versions.
  const versioned = unlisted.length === 0 ? [] : await library.versionedPlaylists();
  const left = versioned.filter(
    (one) => !here.has(one.id) && (unlisted.includes(one.id) || unlisted.includes(one.name)),
  );
  const away = [
    ...refused,
    ...left.map((one): Away => ({ key: playlistUri(one.id), name: one.name, why: 'left' })),
    ...names
      .filter((wanted) => listed.every((one) => one.name !== wanted))
      .map((one): Away => ({ key: `playlist ${one}`, name: one, why: 'unknown' })),
  ];
  return away.filter(({ key }) => playlistId === null || key !== playlistUri(playlistId));
}

/**
 * The plays, if the query reads them and there are none; or if it is the rule `not-heard` and there are none of its days. Every
 * song then counts as not heard.
 * @param now in Unix milliseconds
 */
export function unheard(
  { name, query }: Pick<Keep, 'name' | 'query'>,
  plays: PlaysRead | null,
  now: number,
): Away[] {
  if (plays === null) return [];
  const { until } = plays;
  if (until === null)
    return [{ key: PLAYS_KEY, name: 'The query reads plays, and there are none now.', why: 'unheard' }];
  const days = daysUnheard(query, name);
  if (days === null || now - Date.parse(until) <= days * 86_400_000) return [];
  const what = `The rule needs the plays of the last ${days} days, and the plays end on ${until.slice(0, 10)}.`;
  return [{ key: PLAYS_KEY, name: what, why: 'unheard' }];
}

/**
 * Refuses to keep a query that names a playlist whose rows Spotify does not give.
 * @throws RelayError `FORBIDDEN`
 */
export async function requireSources(library: Library, of: Pick<Keep, 'name' | 'query'>): Promise<void> {
  // A playlist that relay could read before may be readable again: a run without it waits for a review.
  const missed = await library.missedPlaylists();
  const refused = refusedIn(of, await library.listedPlaylists(), missed);
  const names = refused.map(({ name }) => `"${name}"`);
  if (names.length === 0) return;
  const them = names.length === 1 ? 'it' : 'them';
  throw new RelayError('FORBIDDEN', `Spotify does not let relay read the songs of ${names.join(' or ')}.`, {
    remedy: `Leave ${them} out of the rule, or copy ${them} in Spotify and name the copy.`,
  });
}

/**
 * The playlists that a query names and whose rows Spotify does not give, without `missed`. A name that a readable playlist has
 * too means that one.
 */
function refusedIn(
  { name, query }: Pick<Keep, 'name' | 'query'>,
  listed: readonly ListedName[],
  missed: ReadonlyArray<{ id: string }>,
): ListedName[] {
  // A rule that leaves a playlist out lacks nothing without it.
  const texts = new Set(neededTexts(query));
  const names = namesIn(query);
  const isReadable = new Set(listed.filter(({ readable }) => readable).map((one) => one.name));
  const isNamed = (one: string) => one !== name && names.includes(one) && !isReadable.has(one);
  const isMissed = new Set(missed.map(({ id }) => id));
  const isRefused = ({ id, readable }: ListedName) => !readable && !isMissed.has(id);
  return listed.filter((one) => isRefused(one) && (texts.has(one.id) || isNamed(one.name)));
}

/** The texts that may be names of playlists. A text may also name an artist, so it counts only beside the table with the names. */
function namesIn(query: string): string[] {
  return /\bplaylists\b/i.test(query.replace(TEXT, ' ')) ? neededTexts(query) : [];
}

/** The texts in a query, without those that it leaves out. */
function neededTexts(query: string): string[] {
  const texts = textsIn(query);
  let count = 0;
  const numbered = query.replace(TEXT, (found) => (/^['"]/.test(found) ? `\u{e000}${count++};` : ' '));
  const needed = numbered.replace(EXCLUDED, ' ').matchAll(/\u{e000}(\d+);/gu);
  return Array.from(needed, ([, at]) => texts[Number(at)]).filter((text) => text !== undefined);
}

function textsIn(query: string): string[] {
  return Array.from(
    query.matchAll(TEXT),
    ([, single, double]) => single?.replaceAll("''", "'") ?? double?.replaceAll('""', '"'),
  ).filter((text) => text !== undefined);
}

/** True for a source in `Keep.gone`; false for a song. */
export function isSource(key: string): boolean {
  return SOURCE_KEY.test(key);
}

/** What a run still does without. A person's leave to do without a source ends once that source is back. */
export function stillGone({ gone }: Pick<Keep, 'gone'>, away: readonly Away[]): string[] {
  const isAway = new Set(away.map(({ key }) => key));
  return gone.filter((one) => !isSource(one) || isAway.has(one));
}

/** Says which sources the query lacks without a person's leave; null if there are none. */
export function missing({ gone }: Pick<Keep, 'gone'>, away: readonly Away[]): string | null {
  const lacking = away.filter(({ key }) => !gone.includes(key));
  if (lacking.length === 0) return null;
  const namesOf = (some: readonly Away[]) => some.map(({ name }) => `"${name}"`);
  const refused = namesOf(lacking.filter(({ why }) => why === 'refused'));
  const left = namesOf(lacking.filter(({ why }) => why === 'left' || why === 'unknown'));
  const texts = [
    ...lacking.flatMap(({ why, name }) => (why === 'unheard' ? [name] : [])),
    refused.length > 0 &&
      `Spotify does not give the rows of ${refused.join(', ')} now, and the query may read them.`,
    left.length > 0 && `The query reads ${left.join(' and ')}, which you no longer have.`,
    lacking.some(({ why }) => why === 'unknown') &&
      'If it only has another name now, stop keeping this playlist, and add it again.',
    `If you accept, it runs without ${lacking.length === 1 && lacking[0]?.why !== 'unheard' ? 'it' : 'them'}.`,
  ];
  return texts.filter(Boolean).join(' ');
}

function playlistUri(id: string): string {
  return `spotify:playlist:${id}`;
}
