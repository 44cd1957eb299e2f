/**
 * The library as a database: a copy of the account's saved tracks and playlists. Few requests keep the copy up to date, and a
 * query on it sends none. README.md says what happens when.
 */
import type { Clock, Random } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { asRelayError, loginRequired, messageOf, RelayError } from '../domain/errors.ts';
import type { LibraryAnswer, LibraryCsv, LibraryPart, LibraryStatus } from '../domain/library.ts';
import type { Playlist, Track } from '../domain/shapes.ts';
import type { PlaylistVersions } from '../domain/versions.ts';
import type { TrackQuery } from '../music/trackQuery.ts';
import type { ProviderApi } from '../provider/api.ts';
import type { Disk } from '../store/disk.ts';
import { loadSqlite } from '../store/sql/sqlite.ts';
import type { Store } from '../store/store.ts';
import { getAccount } from '../store/tables/account.ts';
import { libraryFile } from './files/files.ts';
import type { Budget } from './pace.ts';
import { createPlayImports } from './plays/importPlays.ts';
import { createAnswers, type LibraryQuestion } from './query/answers.ts';
import { createQueryLine, type QueryLine } from './query/line.ts';
import { type Caller, createSync } from './sync.ts';
import {
  factsOf,
  listedPlaylists,
  nameOfPlaylist,
  rowsOfPlaylist,
  type UnreadList,
  unreadLists,
} from './tables/mirror.ts';
import { knownTracks, namesOf, recordingsOf, savedLike } from './tables/tracks.ts';
import { createPlaylistVersions } from './versions/playlistVersions.ts';

export interface LibraryOptions {
  home: string;
  /** The provider without `watchedProvider.ts`, since the reader's own requests are not those of a person or a model. */
  provider: ProviderApi;
  store: Store;
  clock: Clock;
  random: Random;
  log: Log;
  /** Limits of the reading in the background; null in the demo, which has none. */
  budget: Budget | null;
  /** Disk, and what runs queries; the machine's own by default. */
  ground?: { disk?: Disk; line?(): QueryLine };
}

/** A part of the library that one tool needs. */
type LibraryView =
  | { kind: 'saved' }
  /** One playlist. With `isKnown`, `view` returns null unless the rows have been read and relay has not just written to them. */
  | { kind: 'playlist'; id: string; isKnown?: boolean };

export type Library = ReturnType<typeof createLibrary>;

export function createLibrary(options: LibraryOptions) {
  const { store, clock, log } = options;
  const place = { ...options, ...options.ground, sqlite: loadSqlite };
  const connected = (): string | null => {
    const account = getAccount(store);
    return account === null || account.reauthorizationRequired ? null : account.providerUserId;
  };
  const memory = libraryFile('memory.db', place);
  const played = libraryFile('plays.db', place);
  const plays = createPlayImports(options);
  const file = libraryFile('library.db', place);
  const playlistVersions = createPlaylistVersions(memory, file, clock);
  const sync = createSync({
    ...options,
    file,
    onRead: playlistVersions.keep,
    saveVersions: memory.save,
    connected,
  });
  let line: QueryLine | null = null;
  const startedLine = () => (line ??= options.ground?.line?.() ?? createQueryLine(clock));
  const answers = createAnswers(sync, { memory, plays: played }, connected, clock, startedLine);
  const { undamaged } = answers;

  /**
   * Reads the list of playlists, and a playlist's rows if they have changed; answers from the copy if Spotify cannot be asked.
   * Returns true if the copy has no list either, since nothing then says that the playlist is gone.
   */
  async function isListedNow(id: string, { signal }: Caller): Promise<boolean> {
    const account = connected();
    try {
      if (account !== null) {
        await sync.of(account);
        const listed = await sync.playlists({ signal });
        if (await sync.isDue(id)) await sync.playlist(id, { signal });
        return listed.some((one) => one.id === id);
      }
    } catch (thrown) {
      signal.throwIfAborted();
      if (asRelayError(thrown).code === 'INTERNAL') throw thrown;
    }
    if (!(await sync.summary()).listed) return true;
    return file.use((sql) => nameOfPlaylist(sql, id) !== null);
  }

  /** The lists that could not be read whole, although they were readable before: a playlist that has versions was read. */
  async function unread(): Promise<UnreadList[]> {
    const all = await file.use(unreadLists);
    if (all.every(({ isSure }) => isSure)) return all;
    const versioned = new Set<string | null>((await playlistVersions.playlists()).map(({ id }) => id));
    return all.filter(({ id, isSure }) => isSure || versioned.has(id));
  }

  function requireAccount(): string {
    const account = connected();
    if (account === null) throw loginRequired();
    return account;
  }

  /** Stops the reading and deletes the copy. @returns true if there was one */
  async function dropCopy(): Promise<boolean> {
    const was = await file.exists();
    await sync.drop();
    return was;
  }

  return {
    /**
     * Answers a question from the copy. Brings the copy up to date first if it is older than the question allows, or lacks
     * something that relay wrote.
     * @throws RelayError `LOGIN_REQUIRED` if no account is connected and nothing has been read; otherwise as `QueryLine.ask`
     */
    ask: (question: LibraryQuestion, call: Caller): Promise<LibraryAnswer> =>
      undamaged(() => answers.answer(question, call)),
    /** Does the same as `ask`, and returns the rows as CSV. */
    askCsv: (question: LibraryQuestion, call: Caller): Promise<LibraryCsv> =>
      undamaged(async () => {
        const { columns, rows, csv = '', ...facts } = await answers.answer(question, call, true);
        return { csv, ...facts };
      }),
    /**
     * Answers the query of a kept playlist like `ask`, with all rows.
     * @returns the answer; `unread` has the lists that could not be read whole, although they were readable before
     */
    follow: (sql: string, maxAgeMinutes: number, call: Caller) =>
      undamaged(async () => {
        const answer = await answers.answer({ sql, limit: null, maxAgeMinutes, isQuiet: true }, call);
        return { ...answer, unread: await unread() };
      }),
    /** Says how far the plays reach that a query reads; null if it reads none. */
    playsRead: (sql: string, { signal }: Pick<Caller, 'signal'>) =>
      undamaged(() => answers.playsRead(sql, signal)),
    /**
     * Brings one part of the copy up to date, and runs a query of relay's own.
     * @returns null if the part is not in the copy, or if `isKnown` forbids an answer. `note` says which part of the saved tracks
     *   has been read; null if all rows have been read
     * @throws RelayError `LOGIN_REQUIRED`, or of the provider
     */
    view: (part: LibraryView, sql: string, call: Caller) =>
      undamaged(async () => {
        await sync.of(requireAccount());
        let note: string | null = null;
        if (part.kind === 'saved') note = await sync.saved(call);
        else if (part.isKnown && !(await sync.hasRows(part.id))) return null;
        else if (!(await sync.playlist(part.id, call))) return null;
        return { rows: await answers.rows(sql, call.signal), note };
      }),
    /** Reads the list of playlists, and stores it. @throws RelayError `LOGIN_REQUIRED`, or of the provider */
    async playlists(call: Caller): Promise<Playlist[]> {
      await sync.of(requireAccount());
      return sync.playlists(call);
    },
    /**
     * Brings one playlist of the copy up to date, and lists its versions, newest first. If Spotify cannot be asked, lists the
     * stored versions.
     * @throws RelayError `NOT_FOUND` if the playlist has no versions
     */
    async versions(id: string, call: Caller): Promise<PlaylistVersions> {
      const present = await isListedNow(id, call);
      const { name, items } = await playlistVersions.list(id);
      await memory.save();
      if (items.length > 0) return { playlist_id: id, name: name ?? id, present, items };
      throw new RelayError('NOT_FOUND', `There are no versions of the playlist ${id}.`, {
        remedy: 'relay keeps a version of each playlist that it can read, from the first reading on.',
      });
    },
    /** Returns the rows of one version in order; null if no version has that number. */
    versionRows: playlistVersions.rows,
    /** URIs of the rows of a playlist, '' for a row without an item; null if the copy does not list the playlist. */
    playlistRows: (id: string) =>
      sync.read((sql) => {
        const isListed = nameOfPlaylist(sql, id) !== null;
        return isListed ? rowsOfPlaylist(sql, id).map(({ uri }) => uri ?? '') : null;
      }, null),
    /** The name of a playlist, and whether it is the account's own; null if the copy does not list the playlist. */
    playlistFacts: (id: string) => sync.read((sql) => factsOf(sql, id), null),
    /** The names of those tracks that are in the copy, by URI. */
    trackNames: (uris: readonly string[]) =>
      sync.read((sql) => namesOf(sql, uris), new Map<string, { name: string; artist: string }>()),
    /** The recording (`domain/recordings.ts`) of those tracks that are in the copy, by URI. */
    recordings: (uris: readonly string[]) =>
      sync.read((sql) => recordingsOf(sql, uris), new Map<string, string>()),
    /** Those `uris` whose tracks are in a list of the copy. Spotify offered the tracks when the list was read. */
    knownTracks: (uris: readonly string[]) => sync.read((sql) => knownTracks(sql, uris), []),
    /**
     * Returns saved tracks that may be a song of a list. They have the song's ISRC or, if the query has none, its title and first
     * artist. The copy may be old: a track that is no longer saved is still the right recording. Returns none if the copy cannot be
     * read.
     */
    async savedLike(query: TrackQuery): Promise<Track[]> {
      try {
        const account = connected();
        if (account === null || (await sync.summary()).account !== account) return [];
        return await sync.read((sql) => savedLike(sql, query), []);
      } catch (error) {
        // A search finds the song as well.
        log.warn({ reason: messageOf(error) }, 'the saved tracks could not be looked through');
        return [];
      }
    },
    listedPlaylists: () => sync.read(listedPlaylists, []),
    /** Lists the playlists that have versions, also those that are no longer in the account. */
    versionedPlaylists: playlistVersions.playlists,
    status: sync.status,
    /** Begins a reading, or a check if everything has been read. Returns at once. @throws RelayError `LOGIN_REQUIRED` */
    async sync(): Promise<LibraryStatus> {
      await sync.of(requireAccount());
      await sync.begin();
      return sync.status();
    },
    async forget(part: LibraryPart): Promise<void> {
      if (part === 'mirror') return void (await dropCopy());
      if (part === 'versions') return playlistVersions.forget();
      return plays.forget(played.drop);
    },
    /** Writes `memory.db`, so that a copy of the file is complete. @throws RelayError `STORE_ERROR` */
    saveMemory: memory.save,
    /**
     * Deletes the copy after its account was disconnected.
     * @param erase true to delete versions and plays too
     * @returns true if there was a copy
     */
    async accountLeft(erase: boolean): Promise<boolean> {
      const was = await dropCopy();
      if (!erase) return was;
      await memory.drop();
      await plays.forget(played.drop);
      return was;
    },
    /** Continues a reading that waits, whatever it waits for: a login may end the other reasons too. */
    loggedIn: () => void sync.resume().catch(() => {}),
    /** Imports of listening histories, which need no account. */
    plays,
    watcher: sync.watcher,
    /** Continues a reading that was interrupted when relay stopped. */
    start() {
      void sync
        .resume()
        .catch((error) => log.warn({ reason: messageOf(error) }, 'the library could not be opened'));
    },
    async stop() {
      await plays.stop();
      await sync.stop();
      await line?.close();
      await file.close();
      await memory.close();
    },
  };
}
