/** Answers queries on the library: brings the copy up to date as far as the question asks, then runs the query in a thread. */
import { type Clock, isoOf } from '../../base/clock.ts';
import { loginRequired, RelayError } from '../../domain/errors.ts';
import type { LibraryAnswer } from '../../domain/library.ts';
import type { DatabaseFile } from '../../store/databaseFile.ts';
import type { LibraryFile } from '../files/files.ts';
import type { Caller, Sync } from '../sync.ts';
import type { QueryLine } from './line.ts';
import type { Mirror, Question, Rows } from './runQuery.ts';

/** Maximum number of characters of rows, columns and note as JSON, so that the whole answer has at most 10,000. */
const ROW_CHARACTERS = 9_200;
const NO_PLAYS =
  'plays is empty: relay knows no plays until the owner imports Spotify’s export of the listening history (relay import my_spotify_data.zip).';
/** The end of the last play before a time, and whether most of the last thousand have no URI. All plays may be a million. */
const latestPlays = (until: string) =>
  `SELECT max(played_at), count(uri) * 2 < count(*) FROM (SELECT played_at, uri FROM plays WHERE played_at < '${until}' ORDER BY played_at DESC LIMIT 1000)`;
/** How far a device's clock may be ahead. A play further in the future says nothing about how far the plays reach. */
const AHEAD_MS = 86_400_000;
const NAMED_ONLY = 'Most of the latest have no uri, as in the account data: compare name and artist too.';

export interface LibraryQuestion {
  sql: string;
  /** Maximum number of rows; null for no limit of rows or characters. */
  limit: number | null;
  maxAgeMinutes: number;
  /** True if nobody waits for more than the answer, so that the copy need not be saved soon. */
  isQuiet?: boolean;
}

/** The plays that a query reads. */
interface PlaysRead {
  /** When the last play ended, ISO 8601; null if none are stored. */
  until: string | null;
  /** Says this to the reader of an answer, whose rows alone would mean that nothing was heard since. */
  note: string;
}

/**
 * @param connected returns the ID of the connected account; null if none is connected
 * @param line returns what runs the queries; its thread starts at the first question
 */
export function createAnswers(
  sync: Sync,
  { memory, plays }: { memory: LibraryFile; plays: LibraryFile },
  connected: () => string | null,
  clock: Clock,
  line: () => QueryLine,
) {
  async function ask(question: { sql: string } & Partial<Question>, signal: AbortSignal): Promise<Rows> {
    await sync.tidied();
    const path = async (file: LibraryFile) => ((await file.exists()) ? file.path : null);
    await memory.save();
    const files = { memory: await path(memory), plays: await path(plays) };
    const most = Number.MAX_SAFE_INTEGER;
    const mirror = await sync.file.use(mirrorOf);
    return line().ask({ limit: most, maxCharacters: most, ...question, mirror, files }, signal);
  }

  /** @returns a note for the answer, which says what the answer lacks; null if it lacks nothing */
  async function bringUpToDate(
    { sql, maxAgeMinutes, isQuiet }: LibraryQuestion,
    call: Caller,
  ): Promise<string | null> {
    const account = connected();
    if (account !== null) {
      await sync.of(account);
      return sync.current(maxAgeMinutes, call, isQuiet === true);
    }
    const { asOf } = await sync.summary();
    // Plays need no account, and versions are kept after a logout.
    const needsNone = /\b(?:plays|versions|version_items)\b/i.test(withoutTexts(sql));
    if (asOf === null && !needsNone) throw loginRequired();
    return 'No Spotify account is connected, so this is what was known before.';
  }

  /** Says how far the plays reach that a query reads; null if it reads none. */
  async function playsRead(sql: string, signal: AbortSignal): Promise<PlaysRead | null> {
    if (!/\bplays\b/i.test(withoutTexts(sql))) return null;
    const latest = latestPlays(isoOf(clock.now() + AHEAD_MS));
    const [until, isNamedOnly] = (await ask({ sql: latest }, signal)).rows[0] ?? [];
    if (typeof until !== 'string') return { until: null, note: NO_PLAYS };
    const end = `plays end on ${until.slice(0, 10)}: relay does not know what was heard since.`;
    return { until, note: isNamedOnly === 1 ? `${end} ${NAMED_ONLY}` : end };
  }

  /**
   * Replaces a file that was damaged or removed while relay ran: drops a damaged copy, and puts another file aside.
   * @returns false if the error is about none of them
   */
  async function replacedDamaged(error: unknown): Promise<boolean> {
    const { file: name } = (error instanceof RelayError ? error.details : null) ?? {};
    if (name === 'library.db') await sync.drop();
    else if (name === 'memory.db') await memory.replaceDamaged();
    else if (name === 'plays.db') await plays.replaceDamaged();
    else return false;
    return true;
  }

  return {
    /**
     * Brings the copy up to date, and answers a question from it.
     * @throws RelayError `LOGIN_REQUIRED` if no account is connected and nothing has been read; otherwise as `QueryLine.ask`
     */
    async answer(
      question: LibraryQuestion,
      call: Caller,
      isCsv = false,
    ): Promise<LibraryAnswer & { csv?: string }> {
      const { sql, limit, isQuiet } = question;
      const note = await bringUpToDate(question, call);
      const { asOf, begunAt, coverage } = await sync.summary();
      const limits = limit === null ? {} : { limit, maxCharacters: ROW_CHARACTERS - (note?.length ?? 0) };
      const { rows, columns, count, truncated, csv } = await ask({ sql, ...limits, isCsv }, call.signal);
      // A kept playlist asks for itself how far the plays reach.
      const heard = isQuiet ? null : await playsRead(sql, call.signal);
      return {
        ...(csv === undefined ? {} : { csv: Buffer.concat(csv).toString('utf8') }),
        columns,
        rows,
        row_count: count ?? rows.length,
        truncated,
        as_of: isoOf(asOf ?? begunAt),
        coverage,
        ...noteOf([note, memory.news(), plays.news(), heard?.note ?? null]),
      };
    },
    /** Runs a query of relay's own on the copy as it is. @returns all its rows */
    rows: async (sql: string, signal: AbortSignal) => (await ask({ sql }, signal)).rows,
    playsRead,
    /** Does some work. If a file turns out to be damaged, replaces the file and does the work once more. */
    async undamaged<T>(work: () => Promise<T>): Promise<T> {
      try {
        return await work();
      } catch (error) {
        if (!(await replacedDamaged(error))) throw error;
        return work();
      }
    },
  };
}

const opened = new WeakMap<DatabaseFile, number>();
let times = 0;

/** The content of the copy, for a thread that may hold it already. */
function mirrorOf(sql: DatabaseFile): Mirror {
  const time = opened.get(sql) ?? ++times;
  opened.set(sql, time);
  return { mark: `${time} ${sql.version()}`, bytes: () => new Uint8Array(Buffer.concat(sql.image().parts)) };
}

/** A query without its texts and comments, which may hold the names of tables. */
function withoutTexts(sql: string): string {
  return sql.replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
}

function noteOf(notes: ReadonlyArray<string | null>): { note?: string } {
  const note = notes.filter((one) => one !== null).join(' ');
  return note === '' ? {} : { note };
}
