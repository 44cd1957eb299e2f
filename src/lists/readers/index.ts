/** The table of formats, in the order in which they are tried. */
import type { Reader } from './reader.ts';
import { txt } from './txt.ts';

export const READERS: readonly Reader[] = [txt];
