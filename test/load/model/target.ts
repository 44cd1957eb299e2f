/** The model of one thing at the provider that only one client changes, such as the rows of a playlist. */
import assert from 'node:assert/strict';
import { without } from '../../../src/domain/rows.ts';
import { differenceOf } from '../../support/playlists.ts';

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
  /** What is there if the tool says that it stopped after `written` entries; by default `at`. */
  part?(written: number): State;
  /** True if the tool may say that it cannot find out whether a request with a lost answer took effect. */
  mayStayUnknown?: boolean;
  /** True if the answer says how many entries were written, but not which. */
  isAnyOrder?: boolean;
}

/** A change of the target whose ID the client knows. */
export interface Done {
  changeId: string;
  before: State;
  after: State;
  /** True if this change is an undo. A client may skip it, and undo the change before the undone change. */
  isBack: boolean;
}

export interface Target {
  readonly name: string;
  /** Null if the target is no playlist, or a playlist that does not exist yet. */
  readonly playlistId: string | null;
  /** What the provider holds now. */
  actual(): State;
  /** What the provider may hold: one state, or several if the last answer does not say which. */
  possible: readonly State[];
  /** Changes that can be undone, the latest last. */
  readonly done: Done[];
}

export function targetOf(name: string, actual: () => State, playlistId: string | null = null): Target {
  return { name, playlistId, actual, possible: [actual()], done: [] };
}

/** For changes in any order: `present` is possible if it has as many changed entries as one of the states in `possible`. */
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

/** Fails unless the provider holds a state that is possible. That state is then the only possible one. */
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
