/** Brings the copy, or the part of it that somebody asks for, up to date while that caller waits. */
import { interruptible } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { counted } from '../../base/lists.ts';
import type { Log } from '../../base/log.ts';
import { asRelayError } from '../../domain/errors.ts';
import type { LibraryList } from '../../domain/library.ts';
import { ALL_LISTS, type Copy } from '../copy.ts';
import {
  clearFailures,
  isKnown,
  nameOfPlaylist,
  playlistSnapshot,
  playlistsDue,
  putMeta,
  type Summary,
  setDue,
} from '../tables/mirror.ts';
import { LAG_MS, playlistKey, touchedPlaylists } from '../touched.ts';
import type { Background, Caller } from './background.ts';
import { type ReadCall, type Reader, SAVED_PAGE } from './reader.ts';

/** How long a call reads rows, at a check or of the saved tracks alone. The background reads what is left after that. */
const CHECK_MS = 25_000;
/** Maximum age of the saved tracks when songs of a list are looked up in them. A question allows the same age by default. */
const FRESH_MS = 10 * 60_000;
/** From this number of songs on, a request to check the saved tracks is worth it, since it may spare searches. */
const WORTH_A_LOOK = 10;
/** Minimum time between two checks of the saved tracks for songs of a list. */
const LOOK_AGAIN_MS = 60_000;

export interface Checks {
  /**
   * Finds out what has changed since the last check, and reads it. Reads rows of playlists for at most 25 s; the background
   * reads the others. Takes place in the caller's turn (`Copy.exclusively`), like all functions of `Checks` that take a
   * `ReadCall`.
   * @param asked lists to check; lists that relay has just written to are always checked too
   * @returns a note for the answer if not everything was read; otherwise null
   */
  all(call: ReadCall, asked?: readonly LibraryList[]): Promise<string | null>;
  /**
   * Brings the copy up to date for a question. If Spotify cannot be asked, leaves the copy as it is.
   * @returns a note for the answer, which says what the answer lacks; null if it lacks nothing
   */
  current(
    account: string,
    maxAgeMinutes: number,
    lists: readonly LibraryList[],
    call: Caller,
  ): Promise<string | null>;
  /**
   * Brings the saved tracks up to date. If their first reading takes longer than 25 s, it continues in the background.
   * @returns a note if not all saved tracks have been read; otherwise null
   */
  saved(call: ReadCall): Promise<string | null>;
  /** Brings the rows of one playlist up to date. @returns false if the copy lacks them, for example if Spotify refuses them */
  playlist(id: string, call: ReadCall): Promise<boolean>;
  /** Reads the list of playlists, then the playlist's rows if they have changed. @returns true if the list has the playlist */
  listed(id: string, call: ReadCall): Promise<boolean>;
  /** True if the copy has the rows of a playlist, and relay has not just written to the playlist. */
  hasRows(id: string): Promise<boolean>;
  /**
   * True if the copy of the saved tracks is current. If `listed` songs are worth a request, an older copy is checked first. Such
   * a check begins at most once a minute, and never while other work on the copy runs.
   */
  hasSaved(account: string, listed: number, signal: AbortSignal): Promise<boolean>;
  /** Returns the age of a list in milliseconds; infinite if it was never read. */
  ageOf(found: Summary, list: LibraryList): number;
}

export function createChecks(
  copy: Copy,
  reader: Reader,
  background: Background,
  clock: Clock,
  log: Log,
): Checks {
  const { file } = copy;
  /** The check of the saved tracks that all songs of a list share; null if none is under way. */
  let savedLook: Promise<void> | null = null;
  /** When the last check in `savedLook` began, in monotonic milliseconds. */
  let lookedAtSaved = Number.NEGATIVE_INFINITY;

  async function all(call: ReadCall, asked: readonly LibraryList[] = ALL_LISTS): Promise<string | null> {
    const begunAt = clock.now();
    const written = Object.keys(copy.touched);
    const lists = ALL_LISTS.filter((list) => asked.includes(list) || written.includes(list));
    if (lists.includes('saved')) await reader.checkSaved(call);
    if (lists.includes('playlists')) await reader.checkPlaylists(call);
    await file.use((sql) => {
      // Somebody is waiting, so playlists whose last reading failed are tried now, without their wait.
      clearFailures(sql);
      for (const id of touchedPlaylists(copy.touched)) setDue(sql, id);
    });
    const end = clock.monotonic() + CHECK_MS;
    const leaveRest = async () => {
      await file.save();
      await background.want(lists.length === ALL_LISTS.length ? begunAt : null);
    };
    try {
      while (clock.monotonic() < end && (await reader.step(call))) await copy.refresh();
    } catch (error) {
      // The background reads what comes after a playlist that failed.
      await copy.refresh();
      await leaveRest();
      throw error;
    }
    const now = await copy.refresh();
    if (now.complete && now.due === 0) {
      await background.ended(begunAt, lists);
      return null;
    }
    await leaveRest();
    return changesLeft(now);
  }

  /** Checks only the lists and playlists in `touched`: relay has written to them, and no reading has shown the write yet. */
  async function touchedLists(call: ReadCall): Promise<void> {
    const begunAt = clock.now();
    const keys = Object.keys(copy.touched);
    if (keys.includes('saved')) await reader.checkSaved(call);
    if (keys.includes('playlists')) await reader.checkPlaylists(call);
    const ids = touchedPlaylists(copy.touched);
    await file.use((sql) => {
      for (const id of ids) setDue(sql, id);
    });
    for (const id of ids) await reader.readPlaylist(id, call);
    await copy.refresh((sql) => copy.shown(sql, begunAt, keys));
    await file.save();
  }

  /** Reads what has changed in the saved tracks, and nothing else. Stores the time only if the first reading has ended. */
  async function savedAlone(call: ReadCall): Promise<void> {
    const begunAt = clock.now();
    await reader.checkSaved(call);
    const { complete, listAsOf } = await copy.refresh();
    if (!complete) return;
    await copy.refresh((sql) => {
      copy.shown(sql, begunAt, ['saved']);
      putMeta(sql, 'saved_as_of', begunAt);
      putMeta(sql, 'as_of', Math.min(begunAt, listAsOf.playlists ?? begunAt));
    });
  }

  function ageOf({ listAsOf }: Summary, list: LibraryList): number {
    const asOf = listAsOf[list];
    return asOf === null ? Number.POSITIVE_INFINITY : Math.abs(clock.now() - asOf);
  }

  function isSavedFresh(found: Summary): boolean {
    return ageOf(found, 'saved') <= FRESH_MS && !Object.hasOwn(copy.touched, 'saved');
  }

  return {
    all,
    async current(account, maxAgeMinutes, lists, caller) {
      const { signal } = caller;
      const found = await copy.of(account);
      if (isFirst(found)) return background.first(caller);
      const old = lists.filter((list) => ageOf(found, list) > maxAgeMinutes * 60_000);
      if (old.length === 0 && found.complete && Object.keys(copy.touched).length === 0) return null;
      const call = { signal, account };
      try {
        return await copy.exclusively(async () => {
          // After the first reading, a list may lack something too: for example, a new playlist has been listed but not read.
          if (old.length > 0 || !found.complete) return all(call, old);
          await touchedLists(call);
          return null;
        }, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        const error = asRelayError(thrown);
        if (error.code === 'INTERNAL') throw thrown;
        await copy.refresh();
        return `Spotify could not be asked (${error.code}): this is what was known before. ${error.remedy ?? ''}`.trim();
      }
    },
    async saved(call) {
      const end = clock.monotonic() + CHECK_MS;
      try {
        if ((await copy.refresh()).coverage.saved === 'complete') await savedAlone(call);
        else
          while (clock.monotonic() < end && (await reader.savedStep(call))) {
            await file.save();
            const { saved, savedTotal } = await copy.refresh();
            call.progress?.(Math.ceil(saved / SAVED_PAGE), Math.ceil((savedTotal ?? saved) / SAVED_PAGE));
          }
      } finally {
        await copy.refresh();
        await file.save();
      }
      const now = await copy.refresh();
      if (now.coverage.saved === 'complete') return null;
      await background.want(now.asOf === null ? clock.now() : null);
      return `Only ${now.saved} of ${now.savedTotal ?? 'many'} saved tracks have been read; the others follow.`;
    },
    async playlist(id, call) {
      if (!(await copy.summary()).listed) await reader.checkPlaylists(call);
      const begunAt = clock.now();
      const key = playlistKey(id);
      if (Object.hasOwn(copy.touched, key)) await file.use((sql) => setDue(sql, id));
      await reader.readPlaylist(id, call);
      const isHere = await file.use((sql) => isKnown(sql, id, playlistSnapshot(sql, id)));
      await copy.refresh((sql) => copy.shown(sql, begunAt, isHere ? [key] : []));
      await file.save();
      return isHere;
    },
    async listed(id, call) {
      await reader.checkPlaylists(call);
      await file.use((sql) => {
        if (Object.hasOwn(copy.touched, playlistKey(id))) setDue(sql, id);
      });
      const { isListed, isDue } = await file.use((sql) => ({
        isListed: nameOfPlaylist(sql, id) !== null,
        isDue: playlistsDue(sql).some((due) => due.id === id),
      }));
      if (isDue) await reader.readPlaylist(id, call);
      await copy.refresh();
      await file.save();
      return isListed;
    },
    async hasRows(id) {
      const written = copy.touched[playlistKey(id)];
      if (written && clock.now() - written.at < LAG_MS) return false;
      return file.use((sql) => isKnown(sql, id, playlistSnapshot(sql, id)));
    },
    async hasSaved(account, listed, signal) {
      const found = await copy.summary();
      if (found.account !== account || !found.complete) return false;
      if (isSavedFresh(found)) return true;
      const isWorthIt = listed >= WORTH_A_LOOK && clock.monotonic() - lookedAtSaved >= LOOK_AGAIN_MS;
      if (!savedLook && isWorthIt && !copy.isBusy) {
        lookedAtSaved = clock.monotonic();
        savedLook = copy
          .exclusively(() => savedAlone({ signal, account }), signal)
          .then(() => file.save())
          .catch((thrown) => {
            // Searches then look for the songs, and report what is wrong with Spotify.
            if (!signal.aborted && asRelayError(thrown).code === 'INTERNAL')
              log.error({ err: thrown }, 'the saved tracks could not be looked at');
          })
          .finally(() => {
            savedLook = null;
          });
      }
      if (savedLook) await interruptible(signal, savedLook);
      return isSavedFresh(await copy.summary());
    },
    ageOf,
  };
}

/** True until everything has been read once. */
export function isFirst({ complete, asOf }: Summary): boolean {
  return !complete && asOf === null;
}

/** Says which part of a check follows in the background. */
function changesLeft({ coverage, saved, savedTotal, due }: Summary): string {
  const parts = [
    ...(coverage.saved === 'complete'
      ? []
      : [
          `The saved tracks have changed and are read again: ${saved} of ${savedTotal ?? 'many'} have been read.`,
        ]),
    ...(due === 0
      ? []
      : [`${counted(due, 'playlist')} ${due === 1 ? 'has' : 'have'} changed; their rows are being read.`]),
  ];
  return parts.join(' ');
}
