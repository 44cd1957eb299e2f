/**
 * Spotify as a function: the rules of the simulated provider over a small world. The class below decides when reads show a
 * write, and records every effect of relay's requests and of a person's acts.
 */
import { trackObject } from '../../src/demo/api/shapes.ts';
import type {
  Catalogue,
  DemoAlbum,
  DemoArtist,
  DemoEpisode,
  DemoShow,
  DemoTrack,
} from '../../src/demo/catalogue/types.ts';
import { type Answer, apiError, type Incoming } from '../../src/demo/http.ts';
import { createDemoRules } from '../../src/demo/provider.ts';
import {
  type DemoAccount,
  type DemoPlaylist,
  findPlaylist,
  type PlaylistRow,
  type World,
} from '../../src/demo/state.ts';
import { distance } from '../../src/domain/mergeRows.ts';
import { sameRows, without } from '../../src/domain/rows.ts';
import { countsOf, difference } from '../oracle/counts.ts';
import { chanceFor, randomOf } from './chance.ts';
import type { VirtualTime } from './time.ts';

/** How far reads are behind, in milliseconds. */
export interface Lags {
  /** Rows of a playlist, and saved tracks. */
  lists: number;
  /** Number of rows that a playlist reports. */
  totals: number;
  /** `snapshot_id`. */
  versions: number;
  /** Name and description. */
  details: number;
  /** Which playlists the account has. */
  mine: number;
  /** How long a new playlist answers 404. */
  created: number;
  /** True if each read is behind by a different part of the lag, so that a later read may show an older state. */
  uneven: boolean;
}

export const NO_LAG: Lags = {
  lists: 0,
  totals: 0,
  versions: 0,
  details: 0,
  mine: 0,
  created: 0,
  uneven: false,
};

/** One change of what Spotify holds. */
export interface Effect {
  at: number;
  /** When the request came that led to the effect. */
  sentAt: number;
  by: 'relay' | 'person';
  /** As a story tells it. */
  what: string;
  playlist: DemoPlaylist | null;
  /** Rows before and after, if the effect is on a playlist. */
  before: readonly string[];
  after: readonly string[];
  /** The same rows as objects. A row stays the same object as long as it is in the list. */
  rowsBefore: readonly PlaylistRow[];
  rowsAfter: readonly PlaylistRow[];
  method: string;
}

/** A request of relay to change a playlist, even one that was lost on its way, and after how many effects it came. */
interface Send {
  at: number;
  after: number;
  /**
   * What the request does to rows.
   * @param shown what the list shows afterwards, if the request may have been done in part: a removal leaves songs that were
   * added under another ID than the removal names, and a request that names a song unknown to Spotify is halved
   */
  asks(rows: readonly string[], shown?: readonly string[]): readonly string[];
  /** True if it names a song that Spotify does not know. */
  namesUnknown: boolean;
  /** True if relay has heard how the request ended. */
  isAnswered: boolean;
}

/** A read of one page of a playlist's rows, and after how many effects it came. */
interface PageRead {
  at: number;
  after: number;
  from: number;
  count: number;
}

interface Former {
  until: number;
  rows: DemoPlaylist['rows'];
  version: number;
  name: string;
  description: string | null;
}

interface FormerAccount {
  until: number;
  playlists: DemoPlaylist[];
  saved: DemoAccount['saved'];
}

/**
 * Number of tracks in the catalogue. The catalogue is small, since a history would spend most of its time on the JSON of a
 * large one.
 */
export const TRACKS = 4_000;
/** The first number that stands for an episode in place of a track. */
export const EPISODES = 3_900;
/** The first number that stands for a local file, which no request can write. */
export const LOCALS = 3_950;
const ARTIST: DemoArtist = { id: idOf('A', 0), uri: '', name: 'Somebody', genres: [], popularity: 0 };
const ALBUM: DemoAlbum = {
  id: idOf('L', 0),
  uri: '',
  name: 'Songs',
  type: 'album',
  artists: [],
  releaseDate: '2020',
  precision: 'year',
  upc: '',
  popularity: 0,
  tracks: [],
};

const SHOW: DemoShow = { id: idOf('S', 0), uri: '', name: 'Show', description: '', episodes: [] };

/** The JSON of tracks, kept from one history to the next, since tracks never change. */
const SHAPES = new Map<string, Record<string, unknown>>();

/** How many rows are in only one of the two lists. */
function apart(a: readonly string[], b: readonly string[]): number {
  return [...difference(countsOf(a), countsOf(b)).values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

/** True if an act has only taken out rows, and for each of them an equal row stays. */
function isOneOfEqual({ before, after }: Effect): boolean {
  const left = countsOf(after);
  const changed = [...difference(countsOf(before), left)];
  return changed.length > 0 && changed.every(([uri, count]) => count < 0 && left.has(uri));
}

function idOf(kind: string, index: number): string {
  return `${kind}${String(index).padStart(21, '0')}`;
}

function trackOf(index: number): DemoTrack {
  const id = idOf('T', index);
  return {
    id,
    uri: `spotify:track:${id}`,
    name: `Song ${index}`,
    artists: [ARTIST],
    album: ALBUM,
    durationMs: 200_000 + index,
    explicit: false,
    isrc: `ISRC${index}`,
    trackNumber: 1,
    popularity: 0,
  };
}

/** The same recording under another ID, as Spotify shows it in another country. */
function twinOf(track: DemoTrack): DemoTrack {
  const id = idOf('R', numberOf(track.uri));
  return { ...track, id, uri: `spotify:track:${id}` };
}

/** The URI that lists show for a relinked track. */
function shownAs(uri: string): string {
  return twinOf(trackOf(numberOf(uri))).uri;
}

function catalogueOf(tracks: readonly DemoTrack[]): Catalogue {
  const all = tracks.flatMap((track) => [track, twinOf(track)]);
  const episodes = Array.from({ length: LOCALS - EPISODES }, (_, index) => episodeOf(EPISODES + index));
  return {
    artists: [ARTIST],
    albums: [ALBUM],
    tracks,
    shows: [],
    episodes,
    trackByUri: new Map(all.map((track) => [track.uri, track])),
    episodeByUri: new Map(episodes.map((episode) => [episode.uri, episode])),
    albumByUri: new Map(),
    artistByUri: new Map(),
    showByUri: new Map(),
  };
}

function episodeOf(index: number): DemoEpisode {
  const common = { id: idOf('E', index), uri: uriOf(index), name: `Episode ${index}`, description: '' };
  return { ...common, show: SHOW, durationMs: 1_800_000, releaseDate: '2020-01-01', explicit: false };
}

/** The URI of a track, of an episode or of a local file. */
export function uriOf(index: number): string {
  if (index >= EPISODES && index < LOCALS) return `spotify:episode:${idOf('E', index)}`;
  if (index >= LOCALS && index < TRACKS) return `spotify:local:Somebody:Songs:Song:${idOf('', index)}`;
  return `spotify:track:${idOf('T', index)}`;
}
/** The number of a track, an episode or a local file, as stories name it. */
export const numberOf = (uri: string): number => Number(uri.slice(-21));

const CATALOGUE: Catalogue = catalogueOf(Array.from({ length: TRACKS }, (_, index) => trackOf(index)));

export class Spotify {
  readonly world: World;
  readonly account: DemoAccount;
  readonly effects: Effect[] = [];
  readonly rules: ReturnType<typeof createDemoRules>;
  lags: Lags = NO_LAG;
  /** HTTP status that a full playlist answers with; null for Spotify's own refusal. */
  fullStatus: number | null = null;
  /** URIs of tracks that lists show under another ID. */
  readonly relinked = new Set<string>();
  /** URIs of tracks that lists show as empty rows. */
  readonly vanished = new Set<string>();
  /** Playlists that a person made. */
  readonly persons = new Set<DemoPlaylist>();
  /** When rows of a playlist were read, and after how many effects. */
  readonly reads = new Map<DemoPlaylist, PageRead[]>();
  /**
   * Effects since a copy of the state was made, if that copy was restored later. relay knows none of them, not even its own.
   */
  readonly forgotten = new Set<Effect>();
  /** When a client asked relay for a change of a playlist's rows. */
  readonly calls = new Map<DemoPlaylist, number[]>();
  /**
   * When relay asked for a change of a playlist, and after how many effects Spotify carried it out, whether or not the rows
   * changed.
   */
  readonly writes = new Map<DemoPlaylist, Array<{ at: number; after: number }>>();
  /** Every request of relay to change a playlist, even if it was lost on its way. */
  readonly sends = new Map<DemoPlaylist, Send[]>();
  /** When relay first asked Spotify to make a playlist of that name, whether or not it was made. */
  readonly firstAsked = new Map<string, { at: number; listedAt: number }>();
  /** Time when the list of playlists was last read. */
  #listedAt = Number.NEGATIVE_INFINITY;
  /** Every request of relay that saves songs or removes saved ones, even if it was lost on its way. */
  readonly librarySends: Array<{ at: number; uris: ReadonlySet<string>; saves: boolean }> = [];
  /** When a person made a playlist. */
  readonly madeAt = new Map<DemoPlaylist, number>();
  /** After how many effects a person last took a playlist off the account's list. */
  readonly leftAfter = new Map<DemoPlaylist, number>();
  #time: VirtualTime;
  #seed: number;
  #reads = 0;
  #formers = new Map<DemoPlaylist, Former[]>();
  #formerAccounts: FormerAccount[] = [];
  #createdAt = new Map<string, number>();
  /** When each request came. It may take effect long after that. */
  #arrivals = new WeakMap<Incoming, number>();
  #sendOf = new WeakMap<Incoming, Send>();

  /** @param maxRows maximum number of rows of a playlist; null for Spotify's own limit */
  constructor(time: VirtualTime, seed: number, maxRows: number | null) {
    this.#time = time;
    this.#seed = seed;
    this.world = {
      catalogue: CATALOGUE,
      accounts: [accountOf('owner'), accountOf('guest')],
      unlisted: [],
      clock: time.clock(),
      random: randomOf(chanceFor(seed, 'spotify')),
      legacyShapes: false,
      apiUrl: 'https://api/v1',
      commands: 0,
      shapes: SHAPES,
      ...(maxRows === null ? {} : { maxRows }),
    };
    this.account = this.world.accounts[0] as DemoAccount;
    this.rules = createDemoRules(this.world);
  }

  /** Adds a playlist that the account has before the history begins. */
  addPlaylist(name: string, rows: readonly number[], index: number): DemoPlaylist {
    const playlist: DemoPlaylist = {
      id: `P${index}`.padEnd(22, '0'),
      name,
      description: 'As it was',
      public: false,
      collaborative: false,
      ownerId: this.account.id,
      ownerName: this.account.displayName,
      collaboratorIds: [],
      version: 1,
      rows: rows.map((row) => ({
        uri: uriOf(row),
        addedAt: '2026-01-05T08:00:00Z',
        addedBy: this.account.id,
      })),
    };
    this.account.playlists.push(playlist);
    return playlist;
  }

  /** Every playlist that there is. */
  all(): DemoPlaylist[] {
    return [
      ...new Set([...this.world.accounts.flatMap(({ playlists }) => playlists), ...this.world.unlisted]),
    ];
  }

  /**
   * Songs that a person has put in or taken out when relay could not see the act. Nothing that relay had read showed the act
   * when relay sent its next write. And no read could have shown it when the call that led to that write began.
   * @param from where in the record of effects a call began. Of a person's acts since then, only songs count that relay's next
   * write has put in or taken out. A later write counts too if nothing showed the act before that write either.
   * @param requests `sends`: a request that never had an effect also counts as the next write
   */
  unseenIn(
    playlist: DemoPlaylist,
    from = this.effects.length,
    requests: 'writes' | 'sends' = 'writes',
  ): Set<string> {
    const unseen = new Set<string>();
    for (const [index, act] of this.effects.entries()) {
      if (act.by !== 'person' || act.playlist !== playlist) continue;
      const writes = this[requests].get(playlist)?.filter(({ after }) => after > index) ?? [];
      // If reads show the new number of rows before the new rows, the last rows of the longer list are not counted. relay then
      // does not read them.
      const uncounted = this.lags.totals < this.lags.lists ? act.before.slice(act.after.length) : [];
      const touched = touchedBy(act.before, act.after);
      for (const [nth, write] of (writes.length > 0 ? writes : [undefined]).entries()) {
        const written = write?.at ?? Infinity;
        const isOlder = nth === 0 && this.#looksOlder(index, written);
        if (this.#couldBeSeen(playlist, index, written) && !isOlder) break;
        const isRewritten = index < from ? () => true : this.#rewrittenBy(act, write);
        for (const uri of touched) if (isRewritten(uri)) unseen.add(uri);
        // A row that relay does not read may also stay although it should be removed.
        for (const uri of uncounted) unseen.add(uri);
      }
    }
    return unseen;
  }

  /**
   * Songs of which relay cannot tell who has put them in or taken them out. If the answer to a request is lost, what relay
   * reads has two explanations: the request has had its effect, or it has not. relay believes the explanation in which a person
   * has done less. That may be wrong if a person has meanwhile brought the list nearer to the rows that the request asks for.
   * The songs of the request and of the person's acts are unclear if the list is then at least as near to those rows as to the
   * rows before. It may also be wrong if the request has had its effect and a person has brought the list back.
   * @param from where in the record of effects the call that sent the requests began
   */
  mistakenIn(playlist: DemoPlaylist, from: number): Set<string> {
    const songs = new Set<string>();
    const sends = this.sends.get(playlist) ?? [];
    for (const [nth, send] of sends.entries()) {
      if (send.after < from || send.isAnswered) continue;
      const acts = this.#beside(playlist, send, sends[nth + 1]?.after);
      const shown = (rows: readonly string[]) => rows.map((uri) => (this.vanished.has(uri) ? '' : uri));
      const before = acts[0]?.before ?? [];
      const asked = send.asks(before);
      const changed = [...difference(countsOf(before), countsOf(asked)).keys()];
      const isNearer = acts.some(({ after }) => {
        const part = send.asks(before, after);
        const most = difference(countsOf(before), countsOf(part)).size > 0 ? part : asked;
        // A row without a name may be any song.
        return [after, shown(after)].some((rows) => distance(most, rows) <= distance(before, rows));
      });
      const touched = acts.flatMap((act) => touchedBy(act.before, act.after));
      if (changed.length > 0 && isNearer) for (const uri of [...changed, ...touched]) songs.add(uri);
      for (const uri of this.#takenBack(playlist, send, sends[nth + 1]?.after)) songs.add(uri);
    }
    return songs;
  }

  /**
   * Songs of a request that has had its effect, and of a person's acts that bring the list at least as near to the rows before
   * it as to the rows after it. Without an answer, relay takes the request for one without effect. If a person adds a song that
   * the request has taken out, relay takes the row for one that the request has left. If a person brings the list nearer to the
   * rows from before an earlier write of the last minute, relay takes it for a list that lags.
   */
  #takenBack(playlist: DemoPlaylist, send: Send, next = this.effects.length): string[] {
    const { after, asks } = send;
    const place = this.effects.findIndex(
      (effect, index) =>
        index >= after && index < next && effect.playlist === playlist && effect.by === 'relay',
    );
    const own = this.effects[place];
    if (!own) return [];
    const earlier = this.#beside(playlist, send, place);
    const acts = this.effects
      .slice(place + 1, next)
      .filter((effect) => effect.playlist === playlist && effect.by === 'person');
    const known = earlier[0]?.before ?? own.before;
    const written = asks(known);
    const formers = this.#ownBefore(place).flatMap((write) =>
      own.at - write.at <= REMEMBERED_MS ? [write.known] : [],
    );
    const shown = (rows: readonly string[]) => rows.map((uri) => (this.vanished.has(uri) ? '' : uri));
    const isAsBefore = ({ after: rows }: Effect) => {
      // A row without a name may be any song.
      const isNear = [(uris: readonly string[]) => uris, shown].some(
        (as) => distance(as(known), as(rows)) <= distance(as(written), as(rows)),
      );
      return isNear || formers.some((former) => distance(former, rows) < distance(written, rows));
    };
    const seemsLeft = ({ after: rows }: Effect) =>
      distance(asks(own.before, rows), rows) < distance(own.after, rows);
    const isMistaken =
      acts.some((act) => isAsBefore(act) || seemsLeft(act)) || (earlier.length > 0 && isAsBefore(own));
    return isMistaken
      ? [own, ...earlier, ...acts].flatMap((effect) => touchedBy(effect.before, effect.after))
      : [];
  }

  /**
   * What a person did after relay's last reading before a request, until the request had its effect or the next request was
   * sent.
   */
  #beside(
    playlist: DemoPlaylist,
    { at, after }: Pick<Send, 'at' | 'after'>,
    next = this.effects.length,
  ): Effect[] {
    const read = this.reads.get(playlist)?.findLast((one) => one.at <= at);
    const isSeen = (effect: Effect, index: number) =>
      read === undefined || (index < read.after && effect.at <= read.at - this.lags.lists);
    const acts: Effect[] = [];
    for (const [index, effect] of this.effects.slice(0, next).entries()) {
      if (effect.playlist !== playlist) continue;
      if (effect.by === 'person' && (index >= after || !isSeen(effect, index))) acts.push(effect);
      else if (index >= after) break;
      else acts.length = 0;
    }
    return acts;
  }

  /**
   * relay's own writes to a list before an act, each with the rows that relay had last read before the write. A person's act
   * counts as relay's own if relay cannot but take it for its own.
   */
  #ownBefore(index: number): Array<Effect & { known: readonly string[] }> {
    const { playlist } = this.effects[index] as Effect;
    return this.effects.slice(0, index).flatMap((write, place) => {
      if (playlist === null || write.playlist !== playlist) return [];
      if (write.by === 'person')
        return this.#doesWhatIsAsked(playlist, place) ? [{ ...write, known: write.before }] : [];
      const [unread] = this.#beside(playlist, { at: write.sentAt, after: place }, place);
      return [{ ...write, known: unread?.before ?? write.before }];
    });
  }

  /** True if an act has done exactly what relay had asked for in a request whose answer was lost. */
  #doesWhatIsAsked(playlist: DemoPlaylist, index: number): boolean {
    const { before, after } = this.effects[index] as Effect;
    const last = this.sends.get(playlist)?.findLast((send) => send.after <= index);
    return last?.isAnswered === false && sameRows(last.asks(before), after) && !sameRows(before, after);
  }

  /**
   * True if a reading showed a person's act before the write at `written`, or could have shown it when that write was asked
   * for.
   */
  #couldBeSeen(playlist: DemoPlaylist, index: number, written: number): boolean {
    const { at, before, after } = this.effects[index] as Effect;
    const own = this.#ownBefore(index);
    // While relay remembers a write, a page that fits the list from before it looks like a list that lags.
    const formersAt = (read: PageRead) => [
      before,
      this.#rowsBefore(playlist, index),
      ...own.filter((write) => read.at - write.at <= REMEMBERED_MS).map(({ known }) => known),
    ];
    const isSeen = this.reads.get(playlist)?.some(
      (read) =>
        read.after > index &&
        read.at - this.lags.lists >= at &&
        read.at <= written &&
        // Another act just before or after this one may have made the page the same again.
        formersAt(read).every((former) =>
          [after, this.#rowsAt(playlist, read)].every((rows) =>
            shows(read, former, rows, read.at - this.lags.totals >= at),
          ),
        ),
    );
    const begun = this.calls.get(playlist)?.findLast((call) => call <= written) ?? 0;
    const wasThere = at + this.lags.lists < begun && written < Infinity;
    return isSeen === true || wasThere;
  }

  /** The rows before an act and before those just before it, as long as neither a reading nor a write of relay lies between them. */
  #rowsBefore(playlist: DemoPlaylist, index: number): readonly string[] {
    const acts = this.effects.slice(0, index + 1).filter((one) => one.playlist === playlist);
    const last = this.reads.get(playlist)?.findLast(({ after }) => after <= index)?.after ?? 0;
    const since = new Set(this.effects.slice(last, index + 1));
    const other = acts.findLastIndex((act) => act.by !== 'person' || !since.has(act));
    return (acts[other + 1] ?? (this.effects[index] as Effect)).before;
  }

  /** The rows that a reading could show. */
  #rowsAt(playlist: DemoPlaylist, { after, at }: PageRead): readonly string[] {
    const shown = this.effects
      .slice(0, after)
      .findLast((effect) => effect.playlist === playlist && effect.at <= at - this.lags.lists);
    return shown?.after ?? [];
  }

  /**
   * Returns a function that is true for songs that a write has put in or taken out, or would have if a person had not acted just
   * before it. It is true for every song if the write has replaced all rows.
   */
  #rewrittenBy(act: Effect, write: Pick<Send, 'at' | 'after'> | undefined): (uri: string) => boolean {
    const effect = write && this.effects[write.after];
    if (!effect || !act.playlist) return () => false;
    const left = new Set(effect.rowsAfter);
    if (effect.method === 'PUT' && !effect.rowsBefore.some((row) => left.has(row))) return () => true;
    const changed = difference(countsOf(effect.before), countsOf(effect.after));
    const send = this.sends.get(act.playlist)?.find(({ at }) => at === write.at);
    const asked = difference(countsOf(act.before), countsOf(send?.asks(act.before) ?? act.before));
    return (uri) => changed.has(uri) || asked.has(uri);
  }

  /**
   * True if a person has brought a list back to its state before one of relay's own writes. Bringing it nearer to that state
   * than to the state that relay left counts too. For a minute, the list then looks like a list that lags.
   * @param from where in the record of effects a call began; only acts before it count
   */
  isTurnedBack(playlist: DemoPlaylist, from: number): boolean {
    return this.effects
      .slice(0, from)
      .some(
        (act, index) =>
          act.by === 'person' &&
          act.playlist === playlist &&
          (this.#looksOlder(index, act.at) || this.#turnedBackBy(index).length > 0),
      );
  }

  /**
   * relay's own writes of the last minute that an act turns back. The act puts back exactly the rows that the write took out,
   * or takes out exactly the rows that the write put in. Or it brings the list nearer to what it was before the write than to
   * what it was after.
   */
  #turnedBackBy(index: number): Effect[] {
    const act = this.effects[index] as Effect;
    const back = difference(countsOf(act.after), countsOf(act.before));
    return this.#ownBefore(index).filter(({ at, known, before, after }) => {
      if (act.at - at > REMEMBERED_MS) return false;
      const own = difference(countsOf(known), countsOf(after));
      // relay does not know what a person did just before the write.
      const believed = withChange(known, difference(countsOf(before), countsOf(after)));
      const isInverse =
        own.size > 0 && own.size === back.size && [...own].every(([uri, count]) => back.get(uri) === count);
      return isInverse || [after, believed].some((left) => this.#looksNearer(known, left, act.after));
    });
  }

  /**
   * True if `rows` are nearer to those from before a write than to those after it, or as near under the IDs that lists show. Under
   * these, relay does not know its own song again.
   */
  #looksNearer(known: readonly string[], after: readonly string[], rows: readonly string[]): boolean {
    if (apart(known, rows) < apart(after, rows)) return true;
    const written = without(after, known);
    if (!written.some((uri) => this.relinked.has(uri))) return false;
    const shown = (list: readonly string[]) =>
      list.map((uri) => (this.relinked.has(uri) ? shownAs(uri) : uri));
    const left = [...shown(without(after, written)), ...written];
    return apart(shown(known), shown(rows)) <= apart(left, shown(rows));
  }

  /**
   * Songs of relay's own writes that were turned back within a minute, and of the acts that turned them back. In that minute,
   * relay may take what it reads for a list that lags. The acts are a person's, or relay's own if a restored copy does not know
   * them. Acts count until the first write of a call, or all if the call writes nothing, since the readings of that call may show
   * them.
   * @param from where in the record of effects the call began
   */
  broughtBack(playlist: DemoPlaylist, from: number): Set<string> {
    const begun = this.effects[from]?.at ?? this.#time.at;
    const isWrite = ({ by, playlist: on }: Effect, index: number) =>
      index >= from && by === 'relay' && on === playlist;
    const first = this.effects.findIndex(isWrite);
    const songs = this.effects.slice(0, first < 0 ? undefined : first).flatMap((act, index) => {
      const isOfOthers = act.by === 'person' || this.forgotten.has(act);
      if (!isOfOthers || act.playlist !== playlist || begun - act.at > REMEMBERED_MS) return [];
      const writes = this.#turnedBackBy(index);
      return writes.length > 0 ? [act, ...writes] : [];
    });
    return new Set(
      songs.flatMap(({ before, after }) => [...difference(countsOf(before), countsOf(after)).keys()]),
    );
  }

  /**
   * True if relay moved rows in the minute before a later change, and a person moved rows while relay read pages for its move.
   * The list then shows neither what relay's move should have left nor what was there before it.
   * @param from where in the record of effects the later change began
   */
  isMovedBlindly(playlist: DemoPlaylist, from: number): boolean {
    const until = this.effects[from]?.at ?? this.#time.at;
    const moves = this.effects
      .slice(0, from)
      .filter(
        ({ playlist: on, before, after }) =>
          on === playlist &&
          !sameRows(before, after) &&
          difference(countsOf(before), countsOf(after)).size === 0,
      );
    return moves.some((move) => {
      if (move.by !== 'relay' || until - move.at > REMEMBERED_MS) return false;
      const begun = this.calls.get(playlist)?.findLast((call) => call <= move.at) ?? 0;
      return moves.some((act) => act.by === 'person' && act.at >= begun && act.at <= move.at);
    });
  }

  /**
   * True if a person changed the list shortly before a call, and reads began to show that only after the call's first reading.
   * The pages that the call read then show different states of the list.
   * @param from where in the record of effects the call began
   */
  isSeenInPart(playlist: DemoPlaylist, from: number): boolean {
    const written = this.effects[from]?.at ?? this.#time.at;
    const begun = this.calls.get(playlist)?.findLast((call) => call <= written) ?? 0;
    const first = this.reads.get(playlist)?.find(({ at }) => at >= begun);
    return this.effects
      .slice(0, from)
      .some(
        ({ by, playlist: on, at }) =>
          by === 'person' && on === playlist && first !== undefined && at + this.lags.lists >= first.at,
      );
  }

  /**
   * Songs that a person and relay have changed within a minute of each other. Empty unless reads lag so much that relay no
   * longer waits for them. What relay reads may then be the list before both acts, between them, or after both.
   * @param until where in the record of effects to end
   */
  blurredIn(playlist: DemoPlaylist, until = this.effects.length): Set<string> {
    if (this.lags.lists <= FAR_MS) return new Set();
    const acts = this.effects.slice(0, until).filter((one) => one.playlist === playlist);
    const of = (by: Effect['by']) => acts.filter((one) => one.by === by);
    const pairs = of('person').flatMap((act) =>
      of('relay').flatMap((write) => (Math.abs(act.at - write.at) <= REMEMBERED_MS ? [act, write] : [])),
    );
    return new Set(pairs.flatMap(({ before, after }) => touchedBy(before, after)));
  }

  /**
   * True if an act, alone or with a person's next acts until `until`, has brought back the rows from before a write of relay.
   * The write must be from the last minute. If the act has taken out one of several equal rows, the order of the others does
   * not count.
   */
  #looksOlder(index: number, until: number): boolean {
    const { playlist } = this.effects[index] as Effect;
    const here = this.effects.filter((effect, at) => at >= index && effect.playlist === playlist);
    const next = here.findIndex(({ by, at }) => by === 'relay' || at > until);
    const acts = next === -1 ? here : here.slice(0, next);
    return this.#ownBefore(index).some(({ at, known }) =>
      acts.some(
        (act) =>
          act.at - at <= REMEMBERED_MS &&
          (sameRows(known, act.after) || (isOneOfEqual(act) && apart(known, act.after) === 0)),
      ),
    );
  }

  /**
   * Songs that a person has saved less than a minute after relay asked to remove them, or removed after relay asked to save
   * them. To a call that begins now, that looks like a library that lags.
   * @param begun when the first of the changes that ended less than a minute ago began
   */
  takenBack(begun: number): Set<string> {
    const since = Math.min(begun, this.#time.at - REMEMBERED_MS - ANSWERED_MS);
    const recent = this.librarySends.filter(({ at }) => at >= since);
    const touched = this.effects.flatMap(({ at, by, what }) => {
      const touch = by === 'person' ? touchOf(what) : null;
      return touch ? [{ at, ...touch }] : [];
    });
    const isBack = ({ at, uri, saves }: (typeof touched)[number]) =>
      recent.some((request) => request.at <= at && request.saves !== saves && request.uris.has(uri));
    return new Set(touched.filter(isBack).map(({ uri }) => uri));
  }

  /** A person changes something in Spotify's own app. */
  edit(what: string, playlist: DemoPlaylist | null, change: () => void): void {
    const before = playlist ? urisOf(playlist) : [];
    const rowsBefore = [...(playlist?.rows ?? [])];
    this.#remember(playlist);
    change();
    if (playlist) playlist.version += 1;
    const after = playlist ? urisOf(playlist) : [];
    const rowsAfter = [...(playlist?.rows ?? [])];
    const at = this.#time.at;
    this.effects.push({
      at,
      sentAt: at,
      by: 'person',
      what,
      playlist,
      before,
      after,
      rowsBefore,
      rowsAfter,
      method: 'EDIT',
    });
  }

  /** Notes that relay is asked for a change of rows. */
  asked(playlist: DemoPlaylist): void {
    noted(this.calls, playlist, this.#time.at);
  }

  /** Notes that a request has come, whether or not it takes effect. */
  arrived(request: Incoming): void {
    const { method, path, text } = request;
    this.#arrivals.set(request, this.#time.at);
    const playlist = method === 'GET' ? null : findPlaylist(this.world, playlistIdIn(path) ?? '');
    if (playlist) {
      const isHalved = this.sends.get(playlist)?.some((earlier) => earlier.namesUnknown) ?? false;
      const send = {
        at: this.#time.at,
        after: this.effects.length,
        ...asksOf(method, text, isHalved),
        isAnswered: false,
      };
      this.#sendOf.set(request, send);
      noted(this.sends, playlist, send);
    }
    if (method !== 'GET' && path === '/me/library')
      this.librarySends.push({
        at: this.#time.at,
        uris: new Set(request.query.get('uris')?.split(',')),
        saves: method === 'PUT',
      });
    if (method !== 'POST' || path !== '/me/playlists') return;
    const { name } = JSON.parse(text) as { name: string };
    if (!this.firstAsked.has(name))
      this.firstAsked.set(name, { at: this.#time.at, listedAt: this.#listedAt });
  }

  /** Notes that relay hears how a request ended. */
  answered(request: Incoming): void {
    const send = this.#sendOf.get(request);
    if (send) send.isAnswered = true;
  }

  /** The account whose token a request has. */
  accountOf({ headers }: Incoming): DemoAccount | null {
    const token = headers.authorization?.replace(/^Bearer /, '');
    return token === undefined ? null : (this.rules.grants.access(token)?.account ?? null);
  }

  /** Lets a request of the program take effect, and answers with the state that reads show by now. */
  handle(request: Incoming): Answer {
    if (!request.isApi) return this.rules.handle(request);
    const created = this.#createdAt.get(playlistIdIn(request.path) ?? '');
    if (created !== undefined && this.#time.at - created < this.lags.created)
      return apiError(404, 'Resource not found');
    return request.method === 'GET' ? this.#read(request) : this.#write(request);
  }

  #write(request: Incoming): Answer {
    const id = playlistIdIn(request.path);
    const playlist = id === undefined ? null : (findPlaylist(this.world, id) ?? null);
    const before = playlist ? urisOf(playlist) : [];
    const rowsBefore = [...(playlist?.rows ?? [])];
    const known = new Set(this.account.playlists);
    const { version } = playlist ?? { version: 0 };
    const sentAt = this.#arrivals.get(request) ?? this.#time.at;
    if (playlist) noted(this.writes, playlist, { at: sentAt, after: this.effects.length });
    this.#remember(playlist);
    const answer = this.rules.handle(request);
    if (this.fullStatus !== null && isFull(answer)) return apiError(this.fullStatus, 'Server error');
    if (answer.status >= 300) return answer;
    const made = this.account.playlists.find((one) => !known.has(one)) ?? null;
    if (made && request.path === '/me/playlists') this.#createdAt.set(made.id, this.#time.at);
    if (playlist && playlist.version === version) return answer;
    const target = playlist ?? made;
    const after = target ? urisOf(target) : [];
    const what = `${request.method} ${request.path}`;
    this.effects.push({
      at: this.#time.at,
      sentAt,
      by: 'relay',
      what,
      playlist: target,
      before,
      after,
      rowsBefore,
      rowsAfter: [...(target?.rows ?? [])],
      method: request.method,
    });
    return answer;
  }

  #read(request: Incoming): Answer {
    const id = playlistIdIn(request.path);
    const playlist = id === undefined ? null : (findPlaylist(this.world, id) ?? null);
    if (playlist && request.path.endsWith('/items'))
      noted(this.reads, playlist, {
        at: this.#time.at,
        after: this.effects.length,
        from: Number(request.query.get('offset') ?? 0),
        count: Number(request.query.get('limit') ?? 100),
      });
    const part = this.lags.uneven ? chanceFor(this.#seed, `read ${this.#reads++}`).fraction() : 1;
    const undo: Array<() => void> = [];
    const at = (lag: number) => this.#time.at - lag * part;
    let total: number | null = null;
    const show = (one: DemoPlaylist) => {
      const formers = this.#formers.get(one);
      if (!formers || formers.length === 0) return;
      const { rows, version, name, description } = one;
      const shown = formerAt(formers, at(this.lags.lists))?.rows ?? rows;
      const counted = (formerAt(formers, at(this.lags.totals))?.rows ?? rows).length;
      const told = formerAt(formers, at(this.lags.details)) ?? one;
      one.version = formerAt(formers, at(this.lags.versions))?.version ?? version;
      one.rows = playlist ? shown : shown.length === counted ? shown : sized(shown, counted);
      one.name = told.name;
      one.description = told.description;
      if (one === playlist) total = counted;
      undo.push(() => Object.assign(one, { rows, version, name, description }));
    };
    const { account } = this;
    const { playlists, saved } = account;
    if (playlist) show(playlist);
    else if (request.path === '/me/playlists') {
      this.#listedAt = this.#time.at;
      account.playlists = formerAt(this.#formerAccounts, at(this.lags.mine))?.playlists ?? playlists;
      for (const one of account.playlists) show(one);
    } else {
      account.saved = formerAt(this.#formerAccounts, at(this.lags.lists))?.saved ?? saved;
    }
    try {
      const answer = this.rules.handle(request);
      if (playlist) this.#asShown(answer, total);
      return answer;
    } finally {
      for (const one of undo) one();
      Object.assign(account, { playlists, saved });
    }
  }

  /** Changes an answer to what reads show. The answer is this call's own, so it is changed in place. */
  #asShown(answer: Answer, total: number | null): void {
    const json = answer.json as { total?: number; items?: unknown } | undefined;
    for (const page of [json, json?.items] as Array<{ total?: number; items?: unknown } | undefined>) {
      if (typeof page?.total !== 'number' || !Array.isArray(page.items)) continue;
      if (total !== null) page.total = total;
      if (this.relinked.size + this.vanished.size === 0) continue;
      for (const row of page.items as Array<{ item: { uri: string } | null }>) {
        const uri = row.item?.uri ?? '';
        if (this.vanished.has(uri)) row.item = null;
        else if (this.relinked.has(uri)) {
          row.item = trackObject(this.world, twinOf(trackOf(numberOf(uri)))) as { uri: string };
        }
      }
    }
  }

  /** Notes the state before a change. */
  #remember(playlist: DemoPlaylist | null): void {
    const until = this.#time.at;
    const { lags } = this;
    const horizon = until - Math.max(lags.lists, lags.totals, lags.versions, lags.details, lags.mine);
    if (horizon === until) return;
    if (playlist) {
      const formers = (this.#formers.get(playlist) ?? []).filter((former) => former.until > horizon);
      const { rows, version, name, description } = playlist;
      formers.push({ until, rows: [...rows], version, name, description });
      this.#formers.set(playlist, formers);
      return;
    }
    const { playlists, saved } = this.account;
    this.#formerAccounts = this.#formerAccounts.filter((former) => former.until > horizon);
    this.#formerAccounts.push({ until, playlists: [...playlists], saved: [...saved] });
  }
}

/**
 * What a request does to rows. Requests that move rows, or are not for rows, count as doing nothing.
 * @param isHalved true if an earlier request to the list named a song that Spotify does not know
 */
function asksOf(method: string, text: string, isHalved: boolean): Pick<Send, 'asks' | 'namesUnknown'> {
  const { uris, items, position } = (text === '' ? {} : JSON.parse(text)) as {
    uris?: string[];
    items?: Array<{ uri: string }>;
    position?: number;
  };
  const named = (uris ?? items?.map(({ uri }) => uri) ?? []).map(recordingOf);
  const namesUnknown = named.some((uri) => numberOf(uri) >= TRACKS);
  // relay halves a request that names a song unknown to Spotify, so a part of it may have taken effect. relay does not know the
  // size of a half either if it has stopped meanwhile.
  const isWhole = !namesUnknown && !isHalved;
  const endOf = (shown: readonly string[] | undefined) => {
    const end = isWhole || !shown ? -1 : named.findIndex((uri) => !shown.includes(uri));
    return end < 0 ? named.length : end;
  };
  const asks: Send['asks'] = (rows, shown) => {
    if (method === 'DELETE') return rows.filter((uri) => !named.includes(uri) || shown?.includes(uri));
    if (uris === undefined) return rows;
    if (method === 'PUT') return named;
    const at = position ?? rows.length;
    return [...rows.slice(0, at), ...named.slice(0, endOf(shown)), ...rows.slice(at)];
  };
  return { asks, namesUnknown };
}

function noted<K, V>(all: Map<K, V[]>, key: K, value: V): void {
  const known = all.get(key);
  if (known) known.push(value);
  else all.set(key, [value]);
}

/** The largest lag of lists for which relay waits, in milliseconds. */
export const FAR_MS = 6_000;

/** How long relay remembers its own writes, in milliseconds. */
const REMEMBERED_MS = 60_000;

/** Within this time relay knows how a request ended, or that it cannot find out; in milliseconds. */
const ANSWERED_MS = 15_000;

/** Reads from the text of an act which song a person saved, or removed from the saved songs. */
export function touchOf(what: string): { uri: string; saves: boolean } | null {
  const found = /^saves (\d+)$|^removes (\d+) from the saved songs$/.exec(what);
  return found && { uri: uriOf(Number(found[1] ?? found[2])), saves: found[1] !== undefined };
}

/**
 * True if a page tells of an act: by the number of rows, or by rows that differ.
 * @param isCounted true if the page tells the number of rows after the act
 */
function shows(
  { from, count }: PageRead,
  before: readonly string[],
  after: readonly string[],
  isCounted: boolean,
): boolean {
  if (before.length !== after.length && isCounted) return true;
  const page = (rows: readonly string[]) => rows.slice(from, from + count);
  return !sameRows(page(before), page(after));
}

/** The rows after each song has been put in or taken out as often as `change` says. */
function withChange(rows: readonly string[], change: ReadonlyMap<string, number>): string[] {
  const open = new Map(change);
  const left = rows.filter((uri) => {
    const count = open.get(uri) ?? 0;
    if (count < 0) open.set(uri, count + 1);
    return count >= 0;
  });
  const added = [...open].flatMap(([uri, count]) => new Array<string>(Math.max(0, count)).fill(uri));
  return [...left, ...added];
}

/** Songs that one act of a person has put in, taken out or moved. */
export function touchedBy(before: readonly string[], after: readonly string[]): string[] {
  const changes = [...difference(countsOf(before), countsOf(after)).keys()];
  if (changes.length > 0) return changes;
  const differs = (uri: string, index: number) => uri !== after[index];
  return [before.find(differs), before.findLast(differs)].filter((uri) => uri !== undefined);
}

/** The former state that held at the time `at`; undefined if the present state held then. */
function formerAt<T extends { until: number }>(formers: readonly T[], at: number): T | undefined {
  return formers.find(({ until }) => until > at);
}

/** `total` rows for a list of playlists, which shows nothing of the rows but their number. */
function sized(rows: DemoPlaylist['rows'], total: number): DemoPlaylist['rows'] {
  const sample = rows[0] ?? { uri: uriOf(0), addedAt: null, addedBy: null };
  return Array.from({ length: total }, () => sample);
}

function isFull({ status, json }: Answer): boolean {
  return status === 403 && JSON.stringify(json).includes('size limit');
}

function playlistIdIn(path: string): string | undefined {
  return /^\/playlists\/([^/]+)/.exec(path)?.[1];
}

export function urisOf({ rows }: DemoPlaylist): string[] {
  return rows.map(({ uri }) => recordingOf(uri));
}

/** A row written under another ID of the same recording counts as that recording. */
export function recordingOf(uri: string): string {
  return uri.startsWith('spotify:track:R') ? uriOf(numberOf(uri)) : uri;
}

function accountOf(name: string): DemoAccount {
  return {
    id: name,
    accountId: name.padEnd(22, '0'),
    displayName: name,
    premium: true,
    appOwnerPremium: true,
    registered: true,
    playlists: [],
    saved: [],
    otherSaved: new Set(),
    history: [],
    top: {
      tracks: { short_term: [], medium_term: [], long_term: [] },
      artists: { short_term: [], medium_term: [], long_term: [] },
    },
    devices: [],
    player: {
      deviceId: null,
      privateSession: false,
      queue: [],
      index: 0,
      queued: 0,
      contextUri: null,
      isPlaying: false,
      positionMs: 0,
      at: BEGIN,
      repeat: 'off',
      shuffle: false,
    },
  };
}

const BEGIN = 0;
