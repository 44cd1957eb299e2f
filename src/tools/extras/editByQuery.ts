/** Acting on a set: the rows of a query are added, removed or put in order, in one call. */
import * as z from 'zod';
import { RelayError } from '../../domain/errors.ts';
import type { KeepPreview } from '../../domain/keep.ts';
import { type EditTarget, planEdit } from '../../work/keeps/edit.ts';
import { PlaylistName, PlaylistRef } from '../arguments.ts';
import { knownPlaylistName } from '../playlists/playlistNames.ts';
import { carryOut } from '../playlists/playlistWriting.ts';
import { defineTool, type Services } from '../tool.ts';

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
    const {
      preview: found,
      request,
      toConfirm,
      note,
    } = await planEdit(services, { sql, target, mode }, call);
    const preview = told(found);
    const notes = (...texts: ReadonlyArray<string | null | undefined>) => {
      const all = texts.filter((text) => text).join(' ');
      return all === '' ? {} : { note: all };
    };
    const place = target.kind === 'playlist' ? playlistOf(services, target.id) : {};
    if (dry_run) {
      const needs = toConfirm && `${toConfirm} Writing it needs confirm=true.`;
      return { status: 'dry_run' as const, ...place, preview, ...notes(note, needs) };
    }
    if (toConfirm !== null && !confirm) {
      const asked = `${toConfirm} Nothing was written. Ask the user, then call again with confirm=true.`;
      return { status: 'confirm' as const, ...place, preview, ...notes(asked) };
    }
    if (request === null)
      return { status: 'done' as const, ...place, preview, ...notes('Nothing changed.', note) };
    const { report, continues } = await carryOut(services, request, call);
    const { playlist_id, change_id, job_id } = report;
    const name = target.kind === 'new' ? { name: target.name } : {};
    return {
      status: continues ? ('deferred' as const) : ('done' as const),
      ...(playlist_id ? { playlist: { ...playlistOf(services, playlist_id).playlist, ...name } } : {}),
      preview,
      ...(change_id === undefined ? {} : { change_id }),
      ...(job_id === undefined ? {} : { job_id }),
      ...notes(note, report.note),
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
    throw new RelayError(
      'INVALID_ARGUMENT',
      'Exactly one of playlist_id, new_playlist and saved is needed.',
      {
        remedy: 'Say where to write: a playlist, the name of a new one, or saved=true for Liked Songs.',
      },
    );
  }
  if ((target.kind === 'saved' && mode === 'replace') || (target.kind === 'new' && mode === 'remove')) {
    throw new RelayError('INVALID_ARGUMENT', `mode "${mode}" does not fit this target.`, {
      remedy: 'For Liked Songs use append or remove; a new playlist gets its rows by append.',
    });
  }
  return target;
}

function playlistOf(services: Services, id: string): { playlist: { id: string; name?: string } } {
  const name = knownPlaylistName(services, id);
  return { playlist: { id, ...(name === null ? {} : { name }) } };
}

/** The preview as a model reads it: names instead of rows. */
function told({ added, removed, moved_count = 0, ...counts }: KeepPreview) {
  const names = (rows: KeepPreview['added']) =>
    rows.map(({ uri, name, artist }) => (name === undefined ? uri : `${artist} – ${name}`));
  return { ...counts, moved_count, added: names(added), removed: names(removed) };
}
