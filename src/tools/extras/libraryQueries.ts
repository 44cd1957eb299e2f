/** SQL queries of the library: their answers, and acting on the rows of one, all in one call. */
import * as z from 'zod';
import type { KeepPreview } from '../../domain/keep.ts';
import { libraryTablesText } from '../../domain/library.ts';
import { type EditTarget, planEdit } from '../../work/keeps/edit.ts';
import { compact } from '../answer/lean.ts';
import { badArgument, PlaylistName, PlaylistRef } from '../arguments.ts';
import { knownPlaylistName } from '../playlists/playlistNames.ts';
import { carryOut } from '../playlists/playlistWriting.ts';
import { defineTool, type Services } from '../tool.ts';

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

const Names = z.array(z.string()).describe('The first 10');

const Result = z.object({
  status: z
    .enum(['done', 'dry_run', 'confirm', 'deferred'])
    .describe('confirm: nothing was written; ask the user, then call again with confirm=true'),
  playlist: z.object({ id: z.string(), name: z.string().optional() }).optional(),
  preview: z.object({
    total: z.number().describe('Rows afterwards'),
    added_count: z.number(),
    removed_count: z.number(),
    moved_count: z.number(),
    added: Names,
    removed: Names,
    left_out: z.number().describe('Rows of the query that cannot be written'),
  }),
  change_id: z.string().optional(),
  job_id: z.string().optional(),
  note: z.string().optional(),
});

export const editByQueryTool = defineTool({
  name: 'edit_by_query',
  title: 'Edit a set by a query',
  description:
    'Adds, removes, sorts or saves a whole set of songs in one call: the rows of an SQL query of the library. For sorting or merging playlists, taking an artist out, a playlist from a question, saving or unsaving many songs. One change, which undo_change takes back.',
  kind: 'destructive',
  input: z.object({
    sql: z
      .string()
      .min(1)
      .max(10_000)
      .describe('SELECT with the URI as first column, in the order wanted; tables as in query_library'),
    playlist_id: PlaylistRef.optional().describe('Name, ID or link of the playlist to edit'),
    new_playlist: PlaylistName.optional().describe('Or the name of a new playlist to make'),
    saved: z.literal(true).optional().describe('Or true for Liked Songs'),
    mode: z
      .enum(['append', 'replace', 'remove'])
      .default('append')
      .describe(
        'append: add the rows; replace: exactly these rows in this order, as for sorting; remove: take them out',
      ),
    confirm: z.boolean().default(false).describe('true: the user agreed to a large removal'),
    dry_run: z.boolean().default(false).describe('true: only say what would change'),
  }),
  output: Result,
  async handle(services, { sql, mode, confirm, dry_run, ...given }, call) {
    const target = targetOf(given, mode);
    const { request, toConfirm, note, ...plan } = await planEdit(services, { sql, target, mode }, call);
    const preview = told(plan.preview);
    const place = target.kind === 'playlist' ? { playlist: playlistOf(services, target.id) } : {};
    const answer = (status: 'done' | 'dry_run' | 'confirm', ...notes: Array<string | null>) => {
      return { status, ...place, preview, ...compact({ note: notes.filter(Boolean).join(' ') }) };
    };
    if (dry_run) return answer('dry_run', note, toConfirm && `${toConfirm} Writing it needs confirm=true.`);
    if (toConfirm !== null && !confirm) {
      const ask = `${toConfirm} Nothing was written. Ask the user, then call again with confirm=true.`;
      return answer('confirm', ask);
    }
    if (request === null) return answer('done', 'Nothing changed.', note);
    const { report, continues } = await carryOut(services, request, call);
    const { playlist_id, change_id, job_id } = report;
    const name = target.kind === 'new' ? { name: target.name } : {};
    return {
      ...answer('done', note, report.note ?? null),
      ...(continues && { status: 'deferred' as const }),
      ...(playlist_id && { playlist: { ...playlistOf(services, playlist_id), ...name } }),
      ...compact({ change_id, job_id }),
    };
  },
});

interface Given {
  playlist_id?: { id: string } | undefined;
  new_playlist?: string | undefined;
  saved?: true | undefined;
}

/** @throws RelayError `INVALID_ARGUMENT` unless exactly one target is given, and the mode fits it */
function targetOf({ playlist_id, new_playlist, saved }: Given, mode: string): EditTarget {
  const targets: EditTarget[] = [
    ...(playlist_id ? [{ kind: 'playlist' as const, id: playlist_id.id }] : []),
    ...(new_playlist === undefined ? [] : [{ kind: 'new' as const, name: new_playlist }]),
    ...(saved ? [{ kind: 'saved' as const }] : []),
  ];
  const [target] = targets;
  if (!target || targets.length > 1) {
    const remedy = 'Say where to write: a playlist, the name of a new one, or saved=true for Liked Songs.';
    throw badArgument('Exactly one of playlist_id, new_playlist and saved is needed.', remedy);
  }
  if ((target.kind === 'saved' && mode === 'replace') || (target.kind === 'new' && mode === 'remove')) {
    const remedy = 'For Liked Songs use append or remove; a new playlist gets its rows by append.';
    throw badArgument(`mode "${mode}" does not fit this target.`, remedy);
  }
  return target;
}

function playlistOf(services: Services, id: string): { id: string; name?: string } {
  return { id, ...compact({ name: knownPlaylistName(services, id) }) };
}

/** The preview as a model reads it: names instead of rows. */
function told({ added, removed, moved_count = 0, ...counts }: KeepPreview) {
  const names = (rows: KeepPreview['added']) =>
    rows.map(({ uri, name, artist }) => (name === undefined ? uri : `${artist} – ${name}`));
  return { ...counts, moved_count, added: names(added), removed: names(removed) };
}
