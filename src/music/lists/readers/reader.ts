import type { ListFormat, RawList } from '../list.ts';
import type { Source } from '../source.ts';

/** One format. Adding one takes a file and its line in `index.ts`. */
export interface Reader {
  format: ListFormat;
  /** What people call the format. */
  name: string;
  /** Decides by content, quickly; the first reader of the table that says yes is used. */
  looksLike(source: Source): boolean;
  /** Every line or row becomes a row, in order. @throws RelayError `INVALID_ARGUMENT` with a line where there is one. */
  read(source: Source, options: { allPlays: boolean }): RawList;
}
