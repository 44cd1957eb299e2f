/**
 * What a history is made of: everything that its seed decides before it begins. A plan is data, so that it can be printed,
 * and made shorter by leaving parts out.
 */
import type { Chance } from '../changes/crash/chance.ts';
import type { FaultAction, FaultMatch } from '../support/simulator/faults.ts';
import { chanceFor } from './chance.ts';
import { type Lags, NO_LAG, TRACKS } from './spotify.ts';

/**
 * What a history is mostly about. `pages`: lists of several pages that change while relay reads them. `again`: clients add
 * songs that the list has already.
 */
export const KINDS = [
  'calm',
  'person',
  'lag',
  'lost',
  'crash',
  'create',
  'library',
  'details',
  'jobs',
  'full',
  'pages',
  'again',
] as const;
export type Kind = (typeof KINDS)[number];

/**
 * One thing that a client asks relay for. Tracks are numbers; Spotify knows those below `TRACKS`. `list` is the index of a
 * playlist, or -1 for the playlist that this client made last.
 */
export type Wish =
  | { do: 'add'; list: number; tracks: number[] }
  | { do: 'remove'; list: number; tracks: number[] }
  /** The numbers are shares of the list's length, from 0 to 1. */
  | { do: 'reorder'; list: number; start: number; length: number; before: number }
  | { do: 'replace'; list: number; tracks: number[] }
  | { do: 'deduplicate'; list: number }
  | { do: 'bulk'; list: number; tracks: number[]; skipExisting: boolean }
  | { do: 'create'; name: string; tracks: number[]; skipDuplicates?: boolean }
  | { do: 'rename'; list: number; name: string }
  | { do: 'unfollow'; list: number }
  | { do: 'save'; tracks: number[] }
  | { do: 'unsave'; tracks: number[] }
  | {
      do: 'job';
      type:
        | 'add_to_playlist'
        | 'replace_playlist'
        | 'save_tracks'
        | 'remove_saved_tracks'
        | 'create_playlist';
      list: number;
      name: string;
      tracks: number[];
      skipExisting: boolean;
      /** True to write each track once; false if left out. */
      skipDuplicates?: boolean;
      /** Milliseconds after the answer at which the client cancels the job; null for never. */
      cancelAfter: number | null;
      /** How often a refused request is sent; left out for relay's default. */
      attempts?: number;
      early?: EarlyUndo;
    }
  /** Undoes the change that came `back` changes before this client's last one. */
  | { do: 'undo'; back: number; force: boolean }
  /** Several clients ask for changes of one list at about the same moment, each after a pause of its own. */
  | {
      do: 'rush';
      list: number;
      calls: Array<{ pause: number; wish: Wish & { list: number } }>;
      undoes: boolean;
    }
  /** Looks for a playlist by its name until it appears, and replaces its rows. */
  | { do: 'find'; name: string; tracks: number[] };

/** An undo of what a job writes, asked for while the job has not ended. */
export type EarlyUndo =
  /** Milliseconds after the answer that names the job. */
  | { after: number }
  /** Milliseconds after the job is resumed; less than 0 for before. */
  | { beside: number };

export interface Act {
  /** Milliseconds to wait after the previous act has ended. */
  pause: number;
  /** Milliseconds after which the client leaves without the answer; null if it stays. */
  leaves: number | null;
  wish: Wish;
}

/** When a person acts: at a time, or when a request of relay is at Spotify. */
type Moment =
  | { at: number }
  /**
   * Before or after the effect of the `nth` request, counted from 0, that reads (or writes) the list. If `list` is null, requests
   * for anything count.
   */
  | { list: number | null; reads: boolean; nth: number; before: boolean };

export type Deed =
  | { do: 'add'; list: number; track: number; place: number }
  /** Adds an equal row beside the row at this share of the list's length. */
  | { do: 'double'; list: number; place: number }
  | { do: 'remove'; list: number; place: number }
  | { do: 'move'; list: number; place: number; to: number }
  /** Puts another song in place of a row, so that the number of rows stays the same. */
  | { do: 'swap'; list: number; place: number; track: number }
  | { do: 'rename'; list: number; name: string }
  | { do: 'unfollow'; list: number }
  | { do: 'make'; name: string }
  | { do: 'save'; track: number }
  | { do: 'unsave'; track: number };

export interface PersonAct {
  when: Moment;
  deed: Deed;
}

/** What happens to the computer, the network, the disk or the home. */
export type Mishap = { at: number } & (
  | { do: 'kill' | 'power' | 'stop'; down: number }
  | { do: 'sleep'; ms: number }
  | { do: 'clock'; ms: number }
  | { do: 'disk'; code: string; ms: number }
  | { do: 'offline'; ms: number }
  | { do: 'expire' }
  | { do: 'logout'; ms: number }
  | { do: 'switch'; ms: number }
  | { do: 'restore'; ms: number }
);

export interface PlannedFault extends FaultMatch {
  /** The requests that meet the fault. */
  of: 'rows' | 'library' | 'details' | 'create' | 'read' | 'any';
  action: FaultAction;
}

export interface Plan {
  seed: number;
  kind: Kind;
  lists: { name: string; rows: number[] }[];
  saved: number[];
  lags: Lags;
  /** The shortest and the longest time of one way to Spotify or back, in milliseconds. */
  latency: [number, number];
  /** Tracks that lists show under another ID. */
  relinked: number[];
  /** Tracks that lists show as empty rows. */
  vanished: number[];
  faults: PlannedFault[];
  clients: { name: string; acts: Act[] }[];
  person: PersonAct[];
  mishaps: Mishap[];
  /** Maximum number of rows of a playlist; null for Spotify's own limit. */
  maxRows: number | null;
  /** HTTP status that a full playlist answers instead of Spotify's refusal. */
  fullStatus?: number;
  /** True if clients undo all their changes at the end, in reverse order. */
  undoesAll: boolean;
}

/** Kinds in which a person always acts. */
const PERSONS: ReadonlySet<Kind> = new Set(['person', 'pages', 'again']);

/** How often each kind comes up. */
const SHARES: ReadonlyArray<readonly [Kind, number]> = [
  ['calm', 6],
  ['person', 24],
  ['lag', 14],
  ['lost', 18],
  ['crash', 12],
  ['create', 8],
  ['library', 6],
  ['details', 4],
  ['jobs', 7],
  ['full', 1],
  ['pages', 3],
  ['again', 4],
];

/** Spotify's own limit for the rows of a playlist. */
const MOST_ROWS = 10_000;

/**
 * Share of lists that are longer than a page or a request. Many histories with small lists find more than a few with large
 * ones.
 */
const LARGE = 0.12;

/** The plan of a seed without the draws of `more.ts`. */
export function basePlanOf(seed: number, only?: Kind): Plan {
  const chance = chanceFor(seed, 'plan');
  const kind = only ?? weighted(chance, SHARES);
  const draw = new Drawing(seed, kind, chance);
  return draw.plan();
}

/** Draws one of the choices. The higher a choice's weight, the more often it is drawn. */
export function weighted<T>(chance: Chance, choices: ReadonlyArray<readonly [T, number]>): T {
  let left = chance.fraction() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [choice, weight] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  return (choices[0] as readonly [T, number])[0];
}

class Drawing {
  readonly #seed: number;
  readonly #kind: Kind;
  readonly #chance: Chance;
  #lists: Plan['lists'] = [];
  #saved: number[] = [];
  #next = 1_000;
  /** True if a list has nearly as many rows as Spotify allows. */
  #isHuge = false;

  constructor(seed: number, kind: Kind, chance: Chance) {
    this.#seed = seed;
    this.#kind = kind;
    this.#chance = chance;
  }

  plan(): Plan {
    const kind = this.#kind;
    const chance = this.#chance;
    const has = (share: number) => chance.fraction() < share;
    this.#isHuge = kind === 'full' && has(0.1);
    const count = kind === 'create' ? 1 : chance.whole(1, 2);
    this.#lists = Array.from({ length: count }, (_, index) => ({
      name: `List ${index}`,
      rows: this.#rows(),
    }));
    const saved = chance.pick(kind === 'library' ? [2, 12, 90, 90] : [0, 2, 5, 12, 55]);
    this.#saved = Array.from({ length: saved }, (_, index) => 900 + index);
    const clients = Array.from({ length: this.#width() }, (_, index) => ({
      name: `client ${index}`,
      acts: this.#acts(index),
    }));
    const hasPerson = PERSONS.has(kind) || (kind !== 'calm' && has(0.35));
    const person = hasPerson
      ? Array.from({ length: chance.whole(1, 3) }, () => this.#personAct(clients))
      : [];
    const faults = this.#faults();
    const plan: Plan = {
      seed: this.#seed,
      kind,
      lists: this.#lists,
      saved: this.#saved,
      lags: this.#lags(),
      latency: chance.pick([
        [5, 20],
        [20, 200],
        [20, 200],
        [100, 1_500],
      ]),
      relinked: has(0.08) ? this.#some() : [],
      vanished: has(0.05) ? this.#some() : [],
      faults,
      clients: clients.map((client, index) => ({
        ...client,
        acts: withUnknown(chanceFor(this.#seed, `unknown ${index}`), client.acts),
      })),
      person,
      mishaps: this.#mishaps(),
      maxRows: kind !== 'full' ? null : this.#isHuge ? MOST_ROWS : 60 + chance.whole(0, 40),
      ...(this.#isHuge ? { fullStatus: chance.pick([500, 502, 503]) } : {}),
      undoesAll: has(0.4),
    };
    return { ...plan, lags: visibleInTime(plan) };
  }

  #width(): number {
    if (this.#kind === 'create') return this.#chance.whole(1, 2);
    const isNarrow = ['jobs', 'crash', 'pages', 'again'].includes(this.#kind);
    return isNarrow ? 1 : this.#chance.pick([1, 1, 2]);
  }

  #rows(): number[] {
    const chance = this.#chance;
    if (this.#isHuge && this.#lists.length === 0)
      return Array.from({ length: MOST_ROWS - chance.whole(0, 60) }, (_, row) => row % 800);
    if (this.#kind === 'full') return range(0, 20 + chance.whole(0, 30));
    if (this.#kind === 'pages')
      return this.#lists.length > 0 ? [] : range(0, chance.pick([60, 101, 120, 160, 160]));
    if (this.#kind === 'again') return range(this.#lists.length * 400, chance.whole(0, 6));
    const size =
      chance.fraction() < LARGE
        ? chance.pick([49, 51, 60, 60, 101, 120, 160])
        : chance.pick([0, 2, 3, 4, 5, 8, 12, 20]);
    const base = this.#lists.length * 400;
    const rows: number[] = [];
    for (let index = 0; rows.length < size; index++) {
      rows.push(base + index);
      if (chance.fraction() < 0.05) rows.push(base + chance.whole(0, index));
    }
    return rows;
  }

  /** Draws some tracks that nobody has used yet. */
  #fresh(most: number): number[] {
    const chance = this.#chance;
    const isLarge = this.#kind === 'full' || chance.fraction() < (this.#kind === 'jobs' ? 0.6 : LARGE);
    const sizes = isLarge ? [50, 99, 100, 101, 120, 210] : [1, 1, 2, 3, 5, 8];
    return this.#freshSome(Math.min(chance.pick(sizes), most));
  }

  #freshSome(count: number): number[] {
    this.#next += count;
    return range(this.#next - count, count);
  }

  #some(): number[] {
    const rows = this.#lists.flatMap((list) => list.rows);
    const chance = this.#chance;
    const old = rows.filter(() => chance.fraction() < 0.05).slice(0, 3);
    const fresh = range(1_000, this.#next - 1_000).filter(() => chance.fraction() < 0.03);
    return [...old, ...fresh.slice(0, 3)];
  }

  #tracksFor(list: number, most = 210): number[] {
    const fresh = this.#fresh(most);
    const old = this.#lists[list]?.rows ?? [];
    if (this.#kind === 'again') return this.#repeated(fresh, old);
    // At times, one track is a song that the list has already, or is there twice.
    if (old.length > 0 && this.#chance.fraction() < 0.15) fresh.push(this.#chance.pick(old));
    if (this.#chance.fraction() < 0.05) fresh.push(this.#chance.pick(fresh));
    return fresh;
  }

  /**
   * Draws the list's last song, a song that a person adds too, or so many songs that taking them out needs several requests.
   */
  #repeated(fresh: number[], old: readonly number[]): number[] {
    const chance = this.#chance;
    const last = old.at(-1) ?? 820;
    const many = chance.pick([120, 201, 250]);
    return chance.pick([
      () => [last],
      () => [800 + chance.whole(0, 3)],
      () => [...fresh, last],
      () => this.#freshSome(many),
    ])();
  }

  #acts(client: number): Act[] {
    const count = this.#kind === 'full' ? this.#chance.whole(1, 2) : this.#chance.pick([1, 2, 2, 3]);
    return Array.from({ length: count }, (_, index) => ({
      pause: this.#chance.pick([0, 0, 200, 1_000, 4_000, 8_000, 20_000]),
      leaves: this.#chance.fraction() < 0.04 ? this.#chance.whole(0, 6_000) : null,
      wish: this.#wish(client, index),
    }));
  }

  #wish(client: number, index: number): Wish {
    const chance = this.#chance;
    const kind = this.#kind;
    // Each client has lists of its own, since nothing would tell apart what two clients do to one list.
    const list = client % this.#lists.length === client ? client : -1;
    const name = `Made ${chance.whole(0, 1)}`;
    if (kind === 'create') {
      if (client === 1 && chance.fraction() < 0.5)
        return { do: 'find', name: 'Made 0', tracks: chance.pick([[], this.#fresh(5)]) };
      if (index === 0) return { do: 'create', name, tracks: chance.fraction() < 0.3 ? [] : this.#fresh(210) };
    }
    if (list === -1 && index === 0)
      return chance.pick<Wish>([
        { do: 'create', name: `Own ${client}`, tracks: this.#fresh(130) },
        { do: 'save', tracks: this.#fresh(99) },
        { do: 'unsave', tracks: this.#savedSome() },
      ]);
    if (kind === 'full')
      return chance.pick<Wish>([
        {
          do: 'job',
          type: 'add_to_playlist',
          list,
          name: '',
          tracks: this.#fresh(50),
          skipExisting: false,
          cancelAfter: null,
        },
        { do: 'add', list, tracks: this.#fresh(50) },
      ]);
    const weights: Record<Kind, ReadonlyArray<readonly [Wish['do'], number]>> = {
      calm: EVERYTHING,
      person: EVERYTHING,
      lag: EVERYTHING,
      lost: EVERYTHING,
      crash: EVERYTHING,
      create: [
        ['undo', 3],
        ['add', 1],
        ['create', 1],
      ],
      library: [
        ['save', 4],
        ['unsave', 4],
        ['undo', 5],
      ],
      details: [
        ['rename', 5],
        ['unfollow', 3],
        ['undo', 6],
      ],
      jobs: [
        ['job', 6],
        ['undo', 3],
        ['replace', 2],
      ],
      full: [['job', 1]],
      pages: [
        ['replace', 4],
        ['deduplicate', 4],
        ['reorder', 1],
        ['remove', 1],
        ['undo', 4],
      ],
      again: [
        ['add', 6],
        ['bulk', 2],
        ['job', 1],
        ['undo', 4],
      ],
    };
    const undoes = ['pages', 'again'].includes(kind) ? 0.6 : kind === 'jobs' ? 0.4 : 0.25;
    const drawn = index > 0 && chance.fraction() < undoes ? 'undo' : weighted(chance, weights[kind]);
    switch (drawn) {
      case 'add':
        return { do: 'add', list, tracks: this.#tracksFor(list) };
      case 'remove':
        return { do: 'remove', list, tracks: this.#removed(list) };
      case 'reorder':
        return {
          do: 'reorder',
          list,
          start: chance.fraction(),
          length: chance.fraction(),
          before: chance.fraction(),
        };
      case 'replace':
        return { do: 'replace', list, tracks: chance.fraction() < 0.15 ? [] : this.#tracksFor(list) };
      case 'deduplicate':
        return { do: 'deduplicate', list };
      case 'bulk':
        return { do: 'bulk', list, tracks: this.#tracksFor(list), skipExisting: chance.fraction() < 0.5 };
      case 'create':
        return { do: 'create', name, tracks: this.#fresh(210) };
      case 'rename':
        return { do: 'rename', list, name: `Renamed ${chance.whole(0, 99)}` };
      case 'unfollow':
        return { do: 'unfollow', list };
      case 'save':
        return { do: 'save', tracks: this.#fresh(99) };
      case 'unsave':
        return { do: 'unsave', tracks: this.#savedSome() };
      case 'job':
        return {
          do: 'job',
          type: chance.pick(['add_to_playlist', 'add_to_playlist', 'replace_playlist', 'save_tracks']),
          list,
          name,
          tracks: this.#tracksFor(list),
          skipExisting: chance.fraction() < 0.3,
          cancelAfter: chance.fraction() < 0.2 ? chance.whole(0, 20_000) : null,
        };
      default:
        return { do: 'undo', back: chance.pick([0, 0, 0, 1, 2]), force: chance.fraction() < 0.15 };
    }
  }

  #savedSome(): number[] {
    const some = this.#saved.filter(() => this.#chance.fraction() < 0.8);
    return some.length > 0 ? some : this.#fresh(5);
  }

  #removed(list: number): number[] {
    const rows = this.#lists[list]?.rows ?? [];
    const share = this.#chance.pick([0.05, 0.3, 0.9]);
    const gone = [...new Set(rows)].filter(() => this.#chance.fraction() < share);
    return gone.length > 0 ? gone : [rows[0] ?? 5];
  }

  #personAct(clients: Plan['clients']): PersonAct {
    const chance = this.#chance;
    const list = chance.whole(0, this.#lists.length - 1);
    const used = clients.flatMap(({ acts }) =>
      acts.flatMap(({ wish }) => ('tracks' in wish ? wish.tracks : [])),
    );
    const when: Moment =
      chance.fraction() < 0.3
        ? { at: chance.whole(0, 60_000) }
        : { list, reads: chance.fraction() < 0.6, nth: chance.whole(0, 8), before: chance.fraction() < 0.5 };
    if (this.#kind === 'pages') return this.#betweenPages();
    // Removes the last row right after a write, when the list may have its song twice. relay has to find out which of the two
    // rows is gone.
    if (this.#kind === 'again' && chance.fraction() < 0.35)
      return {
        when: { list, reads: false, nth: chance.whole(0, 1), before: false },
        deed: { do: 'remove', list, place: 0.999 },
      };
    const place = chance.fraction();
    const choices: ReadonlyArray<readonly [() => Deed, number]> = [
      [() => ({ do: 'add', list, track: this.#personsTrack(used), place: chance.pick([1, 1, place]) }), 6],
      [() => ({ do: 'double', list, place }), 2],
      [
        () => ({ do: 'remove', list, place: this.#kind === 'again' ? chance.pick([0.999, place]) : place }),
        3,
      ],
      [() => ({ do: 'move', list, place, to: chance.fraction() }), 4],
      [
        () => ({ do: 'rename', list, name: `Person's ${chance.whole(0, 99)}` }),
        this.#kind === 'details' ? 8 : 0.5,
      ],
      [() => ({ do: 'unfollow', list }), this.#kind === 'details' ? 2 : 0.1],
      [() => ({ do: 'make', name: `Made ${chance.whole(0, 1)}` }), this.#kind === 'create' ? 14 : 0],
      [() => ({ do: 'save', track: chance.pick([...used, 850, 851]) }), this.#kind === 'library' ? 12 : 0.3],
      [
        () => ({ do: 'unsave', track: chance.pick([...used, 900, 901]) }),
        this.#kind === 'library' ? 12 : 0.3,
      ],
    ];
    const deed = weighted(chance, choices)();
    const ofAnyList = deed.do === 'make' || deed.do === 'save' || deed.do === 'unsave';
    return { when: 'at' in when || !ofAnyList ? when : { ...when, list: null }, deed };
  }

  /** Moves a row from one page to another, or changes a row far behind the first page. */
  #betweenPages(): PersonAct {
    const chance = this.#chance;
    const [front, behind] = [chance.fraction() * 0.3, 0.7 + chance.fraction() * 0.3];
    const deed = chance.pick<Deed>([
      { do: 'move', list: 0, place: behind, to: front },
      { do: 'move', list: 0, place: front, to: behind },
      { do: 'swap', list: 0, place: behind, track: 800 + chance.whole(0, 40) },
    ]);
    const isTimed = chance.fraction() < 0.3;
    const when: Moment = isTimed
      ? { at: chance.whole(0, 40_000) }
      : { list: 0, reads: true, nth: chance.whole(0, 7), before: chance.fraction() < 0.5 };
    return { when, deed };
  }

  #personsTrack(used: readonly number[]): number {
    if (this.#kind === 'again')
      return this.#chance.pick([...used.slice(0, 3), 800 + this.#chance.whole(0, 3)]);
    if (used.length > 0 && this.#chance.fraction() < 0.3) return this.#chance.pick(used);
    return 800 + this.#chance.whole(0, 40);
  }

  #lags(): Lags {
    const chance = this.#chance;
    if (this.#kind === 'lag') {
      const lag = () => chance.pick([0, 600, 3_000, 8_000, 15_000, 30_000, 45_000]);
      return {
        lists: chance.pick([0, 600, 3_000, 8_000, 15_000, 30_000]),
        totals: lag(),
        versions: lag(),
        details: lag(),
        mine: lag(),
        created: chance.pick([0, 500, 2_000]),
        uneven: chance.fraction() < 0.3,
      };
    }
    if (this.#kind === 'pages') return { ...NO_LAG, versions: chance.pick([0, 3_000, 30_000, 45_000]) };
    if (chance.fraction() < 0.3) return NO_LAG;
    const lag = () => chance.pick([0, 300, 600, 600, 1_500, 3_000]);
    return {
      lists: lag(),
      totals: lag(),
      versions: chance.pick([0, 600, 3_000, 20_000]),
      details: lag(),
      mine: lag(),
      created: chance.pick([0, 0, 500]),
      uneven: chance.fraction() < 0.2,
    };
  }

  #faults(): PlannedFault[] {
    const chance = this.#chance;
    const most: Record<Kind, number> = {
      calm: 0,
      person: 1,
      lag: 1,
      lost: 3,
      crash: 1,
      create: 2,
      library: 2,
      details: 2,
      jobs: 2,
      full: 0,
      pages: 0,
      again: 0,
    };
    const count = chance.whole(this.#kind === 'lost' ? 1 : 0, most[this.#kind]);
    return Array.from({ length: count }, () => this.#fault()).flat();
  }

  #fault(): PlannedFault[] {
    const chance = this.#chance;
    const of = weighted<PlannedFault['of']>(chance, [
      ['rows', this.#kind === 'library' || this.#kind === 'details' ? 1 : 8],
      ['library', this.#kind === 'library' || this.#kind === 'details' ? 8 : 1],
      ['details', this.#kind === 'details' ? 6 : 1],
      ['create', this.#kind === 'create' ? 10 : 0.5],
      ['read', 2],
      ['any', 2],
    ]);
    const skip = of === 'create' ? 0 : chance.whole(0, of === 'read' || of === 'any' ? 15 : 4);
    const times = chance.pick([1, 1, 1, 2, 3, 6]);
    if (this.#kind === 'jobs' && of === 'rows' && chance.fraction() < 0.5) return this.#refusal();
    if (of === 'library' && this.#kind === 'library' && chance.fraction() < 0.5)
      return [
        {
          of,
          skip: chance.whole(0, 5),
          times: 6,
          action: { kind: 'status', status: chance.pick([400, 403, 503]) },
        },
      ];
    const isWrite = of !== 'read' && of !== 'any';
    const action = isWrite && chance.fraction() < 0.75 ? this.#lostAnswer() : this.#disturbance();
    return [{ of, skip, times, action }];
  }

  /**
   * Refuses the second request of a rewrite until relay gives up. Or refuses that request once, and then answers the rollback
   * with a rate limit.
   */
  #refusal(): PlannedFault[] {
    const chance = this.#chance;
    const second = { of: 'rows', skip: 1 } as const;
    const action = { kind: 'status', status: chance.pick([400, 403, 404]) } as const;
    if (chance.fraction() < 0.5) return [{ ...second, times: chance.whole(3, 6), action }];
    const limit = { kind: 'rate_limit', retryAfterSeconds: chance.pick([4, 40, 900]) } as const;
    return [
      { ...second, times: 1, action },
      { ...second, times: 1, action: limit },
    ];
  }

  /** A fault that a write may meet. In most cases, the answer does not show whether the write took effect. */
  #lostAnswer(): FaultAction {
    const chance = this.#chance;
    const ms = chance.whole(100, 17_000);
    return chance.pick<FaultAction>([
      { kind: 'drop', when: 'after' },
      { kind: 'drop', when: 'before' },
      { kind: 'hang', when: 'after' },
      { kind: 'hang', when: 'before' },
      { kind: 'status_after', status: 502 },
      { kind: 'status_after', status: 500 },
      { kind: 'status', status: 503 },
      { kind: 'late', ms, answer: 504 },
      { kind: 'late', ms, answer: 'drop' },
      { kind: 'late', ms: chance.whole(100, 8_000), answer: 'drop' },
      { kind: 'slow_answer', ms },
      { kind: 'html', effect: true },
      { kind: 'html', effect: false },
      { kind: 'no_snapshot', effect: true },
      { kind: 'no_snapshot', effect: false },
      { kind: 'malformed' },
      { kind: 'empty' },
      { kind: 'slow_body' },
    ]);
  }

  /** A fault that any request may meet. */
  #disturbance(): FaultAction {
    const chance = this.#chance;
    return chance.pick<FaultAction>([
      { kind: 'latency', ms: 3_000 },
      { kind: 'status', status: 500 },
      { kind: 'status', status: 503 },
      { kind: 'status', status: 401 },
      { kind: 'status', status: 400 },
      { kind: 'status', status: 403 },
      { kind: 'status', status: 404 },
      { kind: 'drop', when: 'before' },
      { kind: 'hang', when: 'before' },
      { kind: 'rate_limit', retryAfterSeconds: chance.pick([1, 4, 30, 900]) },
      { kind: 'rate_limit', retryAfterSeconds: null },
      { kind: 'rate_limit', retryAfterSeconds: 'soon' },
      { kind: 'quota', retryAfterSeconds: 3_600 },
      { kind: 'html', effect: false },
      { kind: 'slow_answer', ms: 5_000 },
      { kind: 'malformed' },
    ]);
  }

  #mishaps(): Mishap[] {
    const chance = this.#chance;
    const count = this.#kind === 'crash' ? chance.whole(1, 2) : chance.fraction() < 0.1 ? 1 : 0;
    if (['calm', 'full', 'pages', 'again'].includes(this.#kind)) return [];
    return Array.from({ length: count }, () => {
      const at = chance.whole(300, chance.pick([2_000, 8_000, 60_000]));
      const down = chance.whole(0, 5_000);
      const ms = chance.whole(1_000, 90_000);
      return weighted<Mishap>(chance, [
        [{ at, do: 'kill', down }, 8],
        [{ at, do: 'power', down }, 4],
        [{ at, do: 'stop', down }, 3],
        [{ at, do: 'sleep', ms: chance.pick([ms, 3_600_000]) }, 1],
        [{ at, do: 'clock', ms: chance.pick([-3_600_000, 86_400_000, 400 * 86_400_000, -5_000]) }, 1],
        [{ at, do: 'disk', code: chance.pick(['ENOSPC', 'EROFS', 'EIO']), ms }, 2],
        [{ at, do: 'offline', ms }, 1],
        [{ at, do: 'expire' }, 0.5],
        [{ at, do: 'logout', ms }, 0.5],
        [{ at, do: 'switch', ms }, 2],
        [{ at, do: 'restore', ms }, 0.5],
      ]);
    });
  }
}

/** Mishaps that cut off an answer on its way. */
const CUTS: ReadonlySet<Mishap['do']> = new Set(['kill', 'power', 'stop', 'restore', 'sleep', 'offline']);

/**
 * Limits how far reads are behind if answers may be lost. relay waits 20 s for the effect of a write whose answer was lost. If
 * the effect showed later, relay could not know that it will come.
 */
export function visibleInTime({ lags, faults, mishaps }: Pick<Plan, 'lags' | 'faults' | 'mishaps'>): Lags {
  if (faults.every(({ of }) => of === 'read') && !mishaps.some((mishap) => CUTS.has(mishap.do))) return lags;
  const late = Math.max(0, ...faults.map(({ action }) => ('ms' in action ? action.ms : 0)));
  const shown = (ms: number) => Math.min(ms, 15_000, Math.max(0, 19_000 - late));
  return {
    lists: shown(lags.lists),
    totals: shown(lags.totals),
    versions: shown(lags.versions),
    details: shown(lags.details),
    mine: shown(lags.mine),
    created: lags.created,
    uneven: lags.uneven,
  };
}

/** Adds a few tracks that Spotify does not know to some wishes, but only to those for which relay leaves out such tracks. */
function withUnknown(chance: Chance, acts: readonly Act[]): Act[] {
  return acts.map((act) => {
    const { wish } = act;
    const isLenient = wish.do === 'bulk' || (wish.do === 'job' && wish.type === 'add_to_playlist');
    if (!isLenient || chance.fraction() > 0.3) return act;
    const tracks = [...wish.tracks];
    for (let count = chance.pick([1, 1, 2, 5]); count > 0; count--)
      tracks.splice(chance.whole(0, tracks.length), 0, TRACKS + count);
    return { ...act, wish: { ...wish, tracks } };
  });
}

const EVERYTHING: ReadonlyArray<readonly [Wish['do'], number]> = [
  ['add', 8],
  ['remove', 4],
  ['reorder', 4],
  ['replace', 6],
  ['deduplicate', 4],
  ['bulk', 3],
  ['create', 1],
  ['rename', 1],
  ['unfollow', 0.5],
  ['save', 1],
  ['unsave', 1],
  ['job', 2],
  ['undo', 5],
];

function range(from: number, length: number): number[] {
  return Array.from({ length }, (_, index) => from + index);
}
