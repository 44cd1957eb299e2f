/** SQL queries of the library. */
import * as z from 'zod';
import { libraryTablesText } from '../../domain/library.ts';
import { defineTool } from '../tool.ts';

const EXAMPLE =
  'Example: SELECT name FROM saved_tracks WHERE uri NOT IN (SELECT uri FROM playlist_rows WHERE uri IS NOT NULL)';

const Cell = z.union([z.string(), z.number(), z.null()]);

export const queryLibraryTool = defineTool({
  name: 'query_library',
  title: 'Query the library with SQL',
  description:
    'Answers one SQLite SELECT about all saved tracks, playlists and the imported listening history. Use it to count, join, group or find duplicates in one call, instead of paging through lists. The local copy is kept fresh.',
  kind: 'read',
  input: z.object({
    sql: z.string().min(1).max(10_000).describe(`${libraryTablesText()}\n${EXAMPLE}`),
    limit: z
      .int()
      .min(1)
      .max(500)
      .default(100)
      .describe(
        'Rows, 1 to 500. An answer also ends at 10,000 characters: for the rest, use LIMIT and OFFSET',
      ),
    max_age_minutes: z.int().min(0).max(10_080).default(10).describe('How old the copy may be'),
  }),
  output: z.object({
    columns: z.array(z.string()),
    rows: z.array(z.array(Cell)),
    row_count: z.number(),
    truncated: z.boolean(),
    as_of: z.string().nullable(),
    coverage: z.object({
      saved: z.enum(['complete', 'partial', 'none']),
      playlists: z.object({ read: z.number(), total: z.number(), unreadable: z.number() }),
    }),
    note: z.string().optional(),
  }),
  handle: ({ library }, { sql, limit, max_age_minutes }, call) =>
    library.ask({ sql, limit, maxAgeMinutes: max_age_minutes }, call),
});
