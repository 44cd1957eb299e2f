/** The table of formats, in the order in which they are tried. */
import { csv, tsv } from './csv.ts';
import { itunes } from './itunes.ts';
import { json } from './json.ts';
import { m3u8 } from './m3u8.ts';
import { pls } from './pls.ts';
import type { Reader } from './reader.ts';
import { spotify } from './spotify.ts';
import { txt } from './txt.ts';
import { xspf } from './xspf.ts';

export const READERS: readonly Reader[] = [spotify, json, xspf, itunes, m3u8, pls, tsv, csv, txt];
