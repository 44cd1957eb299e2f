/**
 * Options of V8 with which a code cache is recorded. V8 orders what it writes by hashes whose seed is otherwise random, and
 * two builds would differ; so would the marks of what the baseline compiler was at when it was written, which depend on how
 * busy the machine is. A cache fits the flags of the moment when it is made, so the recorder takes them back first.
 */
export const RECORDER_FLAGS = ['--hash-seed=1', '--no-flush-bytecode', '--no-sparkplug'];

/** The values that V8 starts with. */
export const DEFAULT_FLAGS = ['--hash-seed=0', '--flush-bytecode', '--sparkplug'];
