/**
 * V8 options for recording a code cache, so that two builds are the same. By default the order of a cache depends on a random
 * hash seed. The marks in a cache depend on what the baseline compiler has done so far. A cache fits only the flags with which
 * it is written, so the recorder first restores the default flags.
 */
export const RECORDER_FLAGS = ['--hash-seed=1', '--no-flush-bytecode', '--no-sparkplug'];

/** The values that V8 starts with. */
export const DEFAULT_FLAGS = ['--hash-seed=0', '--flush-bytecode', '--sparkplug'];
