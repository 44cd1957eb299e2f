/**
 * Says whether what Spotify holds is right. Nobody else edits: the rows are exactly what was asked for, or exactly what was
 * there. A person edited meanwhile: the same for all other rows, and what the person did is still so.
 */
import { sameRows, without } from '../../src/domain/rows.ts';
import type { Doing } from './asks.ts';

/** What a person did since a moment, by URI. */
export interface Edits {
  added: ReadonlySet<string>;
  gone: ReadonlySet<string>;
  moved: ReadonlySet<string>;
}

export interface Finding {
  /** `rows`: they are wrong. `review`, `refusal`: one that nobody caused. `end`: a history or a work does not end. */
  kind: 'rows' | 'review' | 'refusal' | 'end';
  /** The same words for every history that shows the same. */
  rule: string;
  text: string;
}

/** A work that has ended. */
export interface Ended {
  what: string;
  doing: Pick<Doing, 'uris' | 'isPart' | 'kind'>;
  before: readonly string[];
  goal: readonly string[];
  now: readonly string[];
  /** How relay says that its change has ended; null if there is no change. */
  outcome: string | null;
  /** True if the answer says that it is done. */
  isToldDone: boolean;
  edits: Edits;
  /** True if somebody has decided that the list becomes what was asked for, whatever others did. */
  mayLose: boolean;
}

/** @returns null if everything is right */
export function judge(ended: Ended): Finding | null {
  const { what, doing, before, goal, now, outcome, isToldDone, edits, mayLose } = ended;
  const clean = (rows: readonly string[]) =>
    rows.filter((uri) => !edits.added.has(uri) && !edits.gone.has(uri) && !edits.moved.has(uri));
  const wrong = (how: string, expected: readonly string[]): Finding => ({
    ...{ kind: 'rows', rule: `${what}: ${how}` },
    text: `${shown(now)} in place of ${shown(expected)}`,
  });
  const isSame = (rows: readonly string[]) => sameRows(clean(now), clean(rows));
  const isPart = () => isSame(before) || isSame(goal) || doing.isPart(clean(before), clean(now));
  const isNothing = outcome === null || outcome === 'unchanged' || outcome === 'rolled_back';
  if (isToldDone && outcome !== 'done' && !sameRows(clean(goal), clean(before)))
    return wrong(`told as done, and it is ${outcome ?? 'not recorded'}`, goal);
  const expected = outcome === 'done' ? goal : before;
  if (outcome === 'done' || isNothing) {
    if (!isSame(expected)) return wrong(difference(clean(expected), clean(now)), expected);
  } else if (outcome !== 'partial')
    return { kind: 'end', rule: `${what}: it stays ${outcome}`, text: shown(now) };
  else if (!isPart()) return wrong('partial: not a whole number of requests', goal);
  if (mayLose) return null;
  const asked = new Set(doing.uris);
  const isLost = (uri: string) => !edits.gone.has(uri) && !asked.has(uri) && !now.includes(uri);
  const lost = [...edits.added].some(isLost);
  const kept = [...edits.moved].some((uri) => isLost(uri) && expected.includes(uri));
  const back = [...edits.gone].some((uri) => !asked.has(uri) && now.includes(uri));
  if (lost || kept) return wrong("a person's row is lost", expected);
  return back ? wrong('a row that a person took out is back', expected) : null;
}

/** How rows differ, in the same words for each history. */
function difference(expected: readonly string[], now: readonly string[]): string {
  const isLess = without(expected, now).length > 0;
  const isMore = without(now, expected).length > 0;
  if (isLess && isMore) return 'rows lost and doubled';
  return isLess ? 'rows lost' : isMore ? 'rows doubled' : 'rows out of order';
}

/** The numbers of the rows, as a story tells them. */
export function shown(rows: readonly string[]): string {
  const all = rows.map((uri) => (uri.startsWith('spotify:') ? Number(uri.slice(-21)) : uri));
  return `[${all.length > 40 ? `${all.slice(0, 20).join(' ')} … ${all.slice(-12).join(' ')}` : all.join(' ')}]`;
}
