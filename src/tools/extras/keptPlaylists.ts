/** Kept playlists: playlists that follow the result of a query. */
import * as z from 'zod';
import { KEEP_ACTIONS, KEEP_INTERVALS, KEEP_STATUSES } from '../../domain/keep.ts';
import { keepPreview } from '../../domain/shapes.ts';
import { badArgument, NextOffset, Offset, PlaylistName, PlaylistRef } from '../arguments.ts';
import { defineTool } from '../tool.ts';

const Preview = keepPreview();

const Keep = z.object({
  id: z.string().nullable().describe('null in a dry run'),
  playlist_id: z.string().nullable(),
  name: z.string(),
  sql: z.string(),
  rule: z.string().optional(),
  every: z.enum(KEEP_INTERVALS),
  status: z.enum([...KEEP_STATUSES, 'stopped']),
  last_run_at: z.string().nullable(),
  next_run_at: z.string().nullable(),
  reason: z.string().optional(),
  last_result: z.string().optional(),
  last_change_id: z.string().optional(),
  preview: Preview.optional(),
});

const RunResult = z.object({
  keep: Keep,
  preview: Preview,
  change_id: z.string().optional(),
  note: z.string().optional(),
  warning: z.string().optional(),
});

export const keepPlaylistTool = defineTool({
  name: 'keep_playlist',
  title: 'Keep a playlist by a rule',
  description:
    'Makes a playlist follow an SQL query of the library, hourly, daily or weekly, beginning now. A run that would empty it, shrink it a lot, undo an edit by hand or, the first time, take rows out waits for review. Pass dry_run=true first. undo_change takes back a run.',
  kind: 'destructive',
  input: z.object({
    playlist_id: PlaylistRef.optional().describe('A playlist of yours; its rows become those of the query'),
    name: PlaylistName.optional().describe('Name of a new playlist, instead of playlist_id'),
    sql: z
      .string()
      .min(1)
      .max(10_000)
      .describe(
        'SELECT with a URI as its first column, in the order of the playlist. playlist_rows also has the rows of this playlist: leave them out by its name',
      ),
    every: z.enum(KEEP_INTERVALS).default('day').describe('How often it runs'),
    dry_run: z.boolean().default(false).describe('true: only say what it would do'),
  }),
  output: RunResult,
  async handle({ keeps }, { playlist_id, name, sql, every, dry_run }, call) {
    if ((playlist_id === undefined) === (name === undefined)) {
      const remedy = 'Pass name to make a new playlist, or playlist_id for one that the account owns.';
      throw badArgument('Give exactly one of playlist_id and name.', remedy);
    }
    const target = { playlistId: playlist_id?.id ?? null, name: name ?? null };
    return keeps.add({ ...target, sql, every, dryRun: dry_run }, call);
  },
});

export const listKeptPlaylistsTool = defineTool({
  name: 'list_kept_playlists',
  title: 'List kept playlists',
  description:
    'Lists the playlists that follow a query, with their next run, what the last one did, and what waits for a review.',
  kind: 'read',
  openWorld: false,
  input: z.object({ offset: Offset }),
  output: z.object({ items: z.array(Keep), next_offset: NextOffset }),
  handle: async ({ keeps }, { offset }) => ({ items: (await keeps.list()).slice(offset) }),
});

export const updateKeptPlaylistTool = defineTool({
  name: 'update_kept_playlist',
  title: 'Run, pause or stop a kept playlist',
  description:
    'Runs a kept playlist now, pauses or resumes it, stops keeping it (its songs stay), or accepts, for one run, what waits for review: ask the user first, and show the preview.',
  kind: 'destructive',
  input: z.object({
    keep_id: z.string().min(1).max(100).describe('From list_kept_playlists; its first characters suffice'),
    action: z.enum(KEEP_ACTIONS).describe('accept: approves the run that waits for review'),
  }),
  output: RunResult.partial({ preview: true }),
  handle: ({ keeps }, { keep_id, action }, call) => keeps.act(keep_id, action, call),
});
