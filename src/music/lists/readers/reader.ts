import type { ListFormat } from '../../../domain/listImport.ts';
import type { RawList } from '../list.ts';
import type { Source } from '../source.ts';

/** One format. To add a format, add a file and its line in `index.ts`. */
export interface Reader {
  format: ListFormat;
  /** What people call the format. */
  name: string;
  /** Decides by content, quickly. The first reader of the table that returns true is used. */
  looksLike(source: Source): boolean;
  /**
   * Returns a `Row` for each line, table row or object, in order.
   * @throws RelayError `INVALID_ARGUMENT`, with the line if one is the cause
   */
  read(source: Source, options: { allPlays: boolean }): RawList;
}
