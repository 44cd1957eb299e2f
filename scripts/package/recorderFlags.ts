/**
 * Options of V8 with which a code cache is recorded. V8 orders what it writes by hashes whose seed is otherwise random, and
 * two builds would differ. A cache fits the flags of the moment when it is made, so the recorder takes them back first.
 */
export const RECORDER_FLAGS = ['--hash-seed=1', '--no-flush-bytecode'];

/** The values that V8 starts with. */
export const DEFAULT_FLAGS = ['--hash-seed=0', '--flush-bytecode'];
