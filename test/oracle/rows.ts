/**
 * Says which rows a playlist may have once relay has answered, from the rows before, what a person did meanwhile, and what
 * relay was asked to do. Pure. The simulator, the crash harness and the load tests use this file.
 *
 * A person may act at any moment, so a change may count as carried out before, between or after the person's acts. Each of these
 * orders is right. Anything else is wrong, apart from the songs that `windowOf`, `takenByBoth`, `notYetBack`, `notYetOut` and
 * `Unclear` excuse.
 */
import { type Counts, countsOf, difference } from './counts.ts';

/** What somebody else did. */
interface Effect {
  before: readonly string[];
  after: readonly string[];
}

/** What a change by relay does to rows, entry by entry. */
export type Doing =
  /** With `anySize`, a request may have any number of entries, since relay halves requests until it finds a refused entry. */
  | { do: 'add'; uris: readonly string[]; anySize?: boolean }
  /** Adds only songs that are not there yet. */
  | { do: 'add missing'; uris: readonly string[]; anySize?: boolean }
  | { do: 'remove'; uris: readonly string[] }
  | { do: 'move'; start: number; length: number; before: number }
  | { do: 'replace'; uris: readonly string[] }
  | { do: 'deduplicate' }
  | { do: 'bring back'; rows: readonly string[]; added: Counts; removed: Counts };

/** How a change ended, according to its answer and its job. */
export type Outcome =
  | { is: 'done' }
  /** The answer says that nothing was written. */
  | { is: 'refused'; code: string }
  /** What was there before is there again. */
  | { is: 'rolled back' }
  /**
   * The first `written` entries took effect; with `anyOrder`, as many entries took effect, but not necessarily the first. With
   * `unknown`, the entries of one more request may have taken effect too.
   */
  | { is: 'part'; written: number; unknown: boolean; anyOrder?: boolean }
  /** The answer names the rows that are missing. */
  | { is: 'missing'; uris: readonly string[] }
  /**
   * Nobody heard the answer. Any whole number of the requests of an addition or a removal may have taken effect; of any other
   * change, all or none.
   */
  | { is: 'unheard' }
  /** In a review, a person let the change continue, and kept the edits of others. */
  | { is: 'carried on' }
  /** In a review, a person kept the list as it was. */
  | { is: 'accepted' };

/** Songs whose number of rows is wrong: `Own` are those that the act deals with, `Others` all others. */
export interface Wrong {
  lostOwn: string[];
  lostOthers: string[];
  doubledOwn: string[];
  doubledOthers: string[];
  /** True if nothing is lost or doubled, but the order differs. */
  isOrder: boolean;
}

/** Songs that cannot be judged completely. */
export interface Unclear {
  /** Songs that Spotify shows under another ID, or not at all, so that a client cannot name their rows. */
  hidden: ReadonlySet<string>;
  /** Songs that a person changed too late for relay to notice. */
  unseen: ReadonlySet<string>;
  /** Songs of a request whose answer was lost: nothing shows whether a person or relay has put them in or taken them out. */
  mimicked: ReadonlySet<string>;
}

const ROWS_PER_REQUEST = 100;

function plus(counts: Counts, change: Counts): Map<string, number> {
  const sum = new Map(counts);
  for (const [uri, count] of change) {
    const now = (sum.get(uri) ?? 0) + count;
    if (now > 0) sum.set(uri, now);
    else sum.delete(uri);
  }
  return sum;
}

/** The first `written` songs that a removal names in its requests. Songs that are no longer there are not among them. */
function removedBy(
  uris: readonly string[],
  there: { has(uri: string): boolean },
  written: number,
): readonly string[] {
  return [...new Set(uris)].filter((uri) => there.has(uri)).slice(0, written);
}

/** The rows after `written` entries of an act; all entries by default. */
export function listAfter(rows: readonly string[], doing: Doing, written = Infinity): readonly string[] {
  switch (doing.do) {
    case 'add':
      return [...rows, ...doing.uris.slice(0, written)];
    case 'add missing': {
      const held = new Set(rows);
      return [...rows, ...doing.uris.filter((uri) => !held.has(uri)).slice(0, written)];
    }
    case 'remove': {
      const gone = new Set(removedBy(doing.uris, new Set(rows), written));
      return rows.filter((uri) => !gone.has(uri));
    }
    case 'replace':
      return written === 0 ? rows : doing.uris.slice(0, written);
    case 'deduplicate':
      return written === 0 ? rows : [...new Set(rows)];
    case 'move': {
      if (written === 0) return rows;
      const { start, length, before } = doing;
      const moved = rows.slice(start, start + length);
      const isMoved = (index: number) => index >= start && index < start + length;
      return [
        ...rows.filter((_, index) => index < before && !isMoved(index)),
        ...moved,
        ...rows.filter((_, index) => index >= before && !isMoved(index)),
      ];
    }
    case 'bring back':
      return written === 0 ? rows : doing.rows;
  }
}

function countsAfter(counts: Counts, doing: Doing, written: number): Counts {
  switch (doing.do) {
    case 'add':
      return plus(counts, countsOf(doing.uris.slice(0, written)));
    case 'add missing': {
      const missing = doing.uris.filter((uri) => !counts.has(uri));
      return plus(counts, countsOf(missing.slice(0, written)));
    }
    case 'remove': {
      const left = new Map(counts);
      for (const uri of removedBy(doing.uris, counts, written)) left.delete(uri);
      return left;
    }
    case 'replace':
      return written === 0 ? counts : countsOf(doing.uris.slice(0, written));
    case 'deduplicate':
      return written === 0 ? counts : new Map([...counts.keys()].map((uri) => [uri, 1]));
    case 'move':
      return counts;
    case 'bring back': {
      if (written === 0) return counts;
      const less = new Map([...doing.added].map(([uri, count]) => [uri, -count]));
      return plus(plus(counts, less), doing.removed);
    }
  }
}

/** The numbers of entries that may have been written. */
function extents(doing: Doing, outcome: Outcome): number[] {
  const all = 'uris' in doing ? doing.uris.length : 1;
  const isAnySize = 'anySize' in doing && doing.anySize === true;
  const upTo = (most: number) => Array.from({ length: most + 1 }, (_, index) => index);
  switch (outcome.is) {
    case 'done':
    case 'carried on':
      return [Infinity];
    case 'refused':
    case 'rolled back':
    case 'missing':
      return [0];
    case 'part':
      if (outcome.unknown && isAnySize) return upTo(ROWS_PER_REQUEST).map((more) => outcome.written + more);
      return outcome.unknown ? [outcome.written, outcome.written + ROWS_PER_REQUEST] : [outcome.written];
    case 'accepted':
      return [];
    case 'unheard': {
      const isWhole = doing.do !== 'add' && doing.do !== 'add missing' && doing.do !== 'remove';
      if (isWhole) return [0, Infinity];
      if (isAnySize) return upTo(all);
      const requests = Math.ceil(all / ROWS_PER_REQUEST);
      return [...Array.from({ length: requests }, (_, sent) => sent * ROWS_PER_REQUEST), Infinity];
    }
  }
}

/**
 * What is wrong with `present`, given what was there before and, in order, what others did since. Null if nothing is wrong.
 * @param own URIs that the act deals with
 */
export function wrongRows(
  before: readonly string[],
  doing: Doing,
  outcome: Outcome,
  others: readonly Effect[],
  present: readonly string[],
  own: ReadonlySet<string>,
  unclear: Unclear,
): Wrong | null {
  // A person who accepts the present list has seen it, so nothing in it is wrong.
  if (outcome.is === 'accepted') return null;
  const deltas = others.map((effect) => difference(countsOf(effect.before), countsOf(effect.after)));
  const actual =
    outcome.is === 'missing' ? plus(countsOf(present), countsOf(outcome.uris)) : countsOf(present);
  let nearest: Map<string, number> | null = null;
  for (const written of extents(doing, outcome)) {
    let always: string[] | null = null;
    for (let place = deltas.length; place >= 0; place--) {
      let counts: Counts = countsOf(before);
      for (const delta of deltas.slice(0, place)) counts = plus(counts, delta);
      counts = countsAfter(counts, doing, written);
      for (const delta of deltas.slice(place)) counts = plus(counts, delta);
      const differs = difference(counts, actual);
      for (const uri of windowOf(doing, deltas)) if ((differs.get(uri) ?? 0) < 0) differs.delete(uri);
      // A replacement in place first takes rows out, and its answer counts only what it puts in.
      if (doing.do === 'replace' && outcome.is === 'part' && written === 0)
        for (const [uri, count] of differs) if (count < 0 && before.includes(uri)) differs.delete(uri);
      for (const [uri, most] of notYetOut(before, doing, outcome, deltas)) {
        const more = differs.get(uri) ?? 0;
        if (more > 0 && more <= most) differs.delete(uri);
      }
      for (const [uri, most] of takenByBoth(doing, deltas)) {
        const more = differs.get(uri) ?? 0;
        if (more > 0 && more <= most) differs.delete(uri);
      }
      // The answer names only the missing rows. So any other row of this change may have been written.
      if (outcome.is === 'missing')
        for (const [uri, count] of differs) if (count > 0 && own.has(uri)) differs.delete(uri);
      for (const uri of notYetBack(doing, outcome, differs)) differs.delete(uri);
      for (const uri of unclear.hidden) if ((differs.get(uri) ?? 0) > 0) differs.delete(uri);
      let isForgiven = unclear.unseen.size > 0;
      for (const uri of [...unclear.unseen, ...unclear.mimicked])
        isForgiven = differs.delete(uri) || isForgiven;
      if (differs.size === 0) {
        const isClear = !isForgiven && [...before, ...present].every((uri) => !unclear.hidden.has(uri));
        return isClear ? orderOf(before, doing, outcome, others, present) : null;
      }
      if (nearest === null || differs.size < nearest.size) nearest = differs;
      always = (always ?? [...differs.keys()]).filter((uri) => differs.has(uri));
    }
    // Each song has its own requests, so a person's acts may come before those of one song and after those of another.
    if (doing.do === 'deduplicate' && always?.length === 0) return null;
  }
  const pick = (isOwn: boolean, sign: number) =>
    [...(nearest ?? [])]
      .filter(([uri, count]) => own.has(uri) === isOwn && count * sign > 0)
      .map(([uri]) => uri);
  return {
    lostOwn: pick(true, -1),
    lostOthers: pick(false, -1),
    doubledOwn: pick(true, 1),
    doubledOthers: pick(false, 1),
    isOrder: false,
  };
}

/**
 * Songs that may lose a row through no fault of relay. Spotify takes out every row of a song at once, so a row that a
 * person adds meanwhile may go with the others.
 */
function windowOf(doing: Doing, deltas: ReadonlyArray<ReadonlyMap<string, number>>): string[] {
  if (doing.do !== 'bring back' && doing.do !== 'remove') return [];
  const taken = doing.do === 'remove' ? new Set(doing.uris) : new Set(doing.added.keys());
  return deltas.flatMap((delta) =>
    [...delta].flatMap(([uri, count]) => (count > 0 && taken.has(uri) ? [uri] : [])),
  );
}

/**
 * Rows that a partly finished replacement has not taken out. Around a person's edits it is planned again, and then puts in its own
 * songs first. The value is the number of rows that may stay.
 */
function notYetOut(
  before: readonly string[],
  doing: Doing,
  outcome: Outcome,
  deltas: ReadonlyArray<ReadonlyMap<string, number>>,
): Counts {
  const isPart = doing.do === 'replace' && outcome.is === 'part';
  return isPart && deltas.length > 0 ? countsOf(before) : new Map();
}

/**
 * Songs of an addition that is undone, of which a person has taken out rows: nothing shows whether these were relay's. If they
 * were, no other row of the song goes. The value is the number of rows that may stay.
 */
function takenByBoth(doing: Doing, deltas: ReadonlyArray<ReadonlyMap<string, number>>): Map<string, number> {
  if (doing.do !== 'bring back') return new Map();
  return new Map(
    [...doing.added].map(([uri, count]) => {
      const taken = deltas.reduce((sum, delta) => sum + Math.max(0, -(delta.get(uri) ?? 0)), 0);
      return [uri, Math.min(count, taken)];
    }),
  );
}

/**
 * The songs that a partly finished undo still has to put back. Empty if the undo did not put back as many rows as its answer
 * says.
 */
function notYetBack(doing: Doing, outcome: Outcome, differs: ReadonlyMap<string, number>): string[] {
  if (doing.do !== 'bring back' || outcome.is !== 'part') return [];
  const missing = [...doing.removed].flatMap(([uri, count]): Array<[string, number]> => {
    const open = -(differs.get(uri) ?? 0);
    return open > 0 && open <= count ? [[uri, open]] : [];
  });
  const total = (counts: Iterable<number>) => [...counts].reduce((sum, count) => sum + count, 0);
  const back = total(doing.removed.values()) - total(missing.map(([, open]) => open));
  const most = outcome.written + (outcome.unknown ? ROWS_PER_REQUEST : 0);
  return back >= outcome.written && back <= most ? missing.map(([uri]) => uri) : [];
}

/** Checks the order. It must be exact if nobody else acted, except after missing rows or an undo that ended part-way. */
function orderOf(
  before: readonly string[],
  doing: Doing,
  outcome: Outcome,
  others: readonly Effect[],
  present: readonly string[],
): Wrong | null {
  const isPartlyBack = doing.do === 'bring back' && outcome.is === 'part';
  if (others.length > 0 || outcome.is === 'missing' || isPartlyBack) return null;
  const isRight = extents(doing, outcome).some((written) => {
    const wanted = listAfter(before, doing, written);
    return wanted.length === present.length && wanted.every((uri, index) => uri === present[index]);
  });
  return isRight ? null : { lostOwn: [], lostOthers: [], doubledOwn: [], doubledOthers: [], isOrder: true };
}
