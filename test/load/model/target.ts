/** What one client is sure of about one thing at the provider that it alone changes. */
import assert from 'node:assert/strict';
import { without } from '../../../src/domain/rows.ts';
import { differenceOf } from '../../changes/support.ts';

type State = readonly string[];

/** What a write does: entry by entry, in requests of at most `size` entries. */
export interface Effect {
  /** Entries that are asked for. */
  total: number;
  /** Entries in one request. */
  size: number;
  /** What is there once the first `written` entries took effect. */
  at(written: number): State;
  /** What may be there if nobody heard the answer; by default what each of the requests leaves. */
  between?: readonly State[];
  /** What is there if the tool says that it stopped after so many entries; by default `at`. */
  part?(written: number): State;
  /** True if nobody can find out whether it took effect when its answer is lost, and the tool says so. */
  mayStayUnknown?: boolean;
  /** True if the answer says how many entries were written, but not which. */
  isAnyOrder?: boolean;
}

/** A change of the target that was answered with its ID. */
export interface Done {
  changeId: string;
  before: State;
  after: State;
  /** True if it undid another change, so that the one before that can be undone as well. */
  isBack: boolean;
}

export interface Target {
  readonly name: string;
  /** Null if it is not a playlist, or one that does not exist yet. */
  readonly playlistId: string | null;
  /** What the provider holds. */
  actual(): State;
  /** What it may hold; one state except where the last answer leaves open which. */
  possible: readonly State[];
  /** Changes that can be undone, the latest last. */
  readonly done: Done[];
}

export function targetOf(name: string, actual: () => State, playlistId: string | null = null): Target {
  return { name, playlistId, actual, possible: [actual()], done: [] };
}

/** Where `present` has as many changed entries as one of `possible`, whichever they are, it is possible itself. */
export function inAnyOrder(
  { total, at }: Effect,
  possible: readonly State[],
  present: State,
): readonly State[] {
  const before = at(0);
  const changedIn = (state: State) => [...without(before, state), ...without(state, before)];
  const wanted = new Set(changedIn(at(total)));
  const changed = changedIn(present);
  const isPart = changed.every((entry) => wanted.has(entry));
  return isPart && possible.some((state) => changedIn(state).length === changed.length)
    ? [present]
    : possible;
}

/** Fails unless the provider holds what the model says; afterwards the model has that one state. */
export function assertHolds(target: Target, told: string): void {
  const present = target.actual();
  const found = target.possible.find((state) => differenceOf(present, state) === null);
  if (found) {
    target.possible = [found];
    return;
  }
  const differences = target.possible.map((state) => differenceOf(present, state));
  assert.fail(`${target.name} holds what no answer allows (${differences.join('; or ')}), after ${told}`);
}

/** The one state of a target that is certain. */
export function certain({ name, possible }: Target): State {
  const [state] = possible;
  assert.ok(state && possible.length === 1, `${name} is not certain`);
  return state;
}
