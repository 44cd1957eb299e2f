/** The table of formats, in the order in which they are tried. */
import { csv } from './csv.ts';
import type { Reader } from './reader.ts';
import { tsv } from './tsv.ts';
import { txt } from './txt.ts';

export const READERS: readonly Reader[] = [tsv, csv, txt];
