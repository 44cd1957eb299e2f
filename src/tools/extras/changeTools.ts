/** The changes that relay has made, and taking them back. */
import * as z from 'zod';
import { counted } from '../../base/lists.ts';
import { changeHistory, previewUndo, undoableChange, undoRequest } from '../../changes/history.ts';
import { rowsAfter } from '../../changes/rowOps.ts';
import type { UndoPlan } from '../../changes/undo.ts';
import { CHANGE_KINDS, CHANGE_STATES } from '../../domain/change.ts';
import { Offset } from '../arguments.ts';
import { reportOrThrow, writeFor } from '../playlists/playlistWriting.ts';
import { defineTool } from '../tool.ts';

const Summary = z.object({
  change_id: z.string(),
  kind: z.enum(CHANGE_KINDS),
  state: z.enum(CHANGE_STATES),
  playlist_id: z.string().nullable(),
  asked_by: z.string(),
  requested: z.number(),
  written: z.number(),
  at: z.string(),
  undoes: z.string().optional(),
  undone_by: z.string().optional(),
  can_undo: z.boolean(),
});

export const listChangesTool = defineTool({
  name: 'list_changes',
  title: 'List changes',
  description:
    'Lists what relay has changed in playlists and the library, newest first: who asked, when, and whether undo_change can take it back. Kept for 30 days.',
  kind: 'read',
  openWorld: false,
  input: z.object({
    limit: z.int().min(1).max(100).default(20).describe('1 to 100'),
    offset: Offset,
  }),
  output: z.object({ items: z.array(Summary), total: z.number(), next_offset: z.number().nullable() }),
  rows: { key: 'items' },
  handle: async (services, { limit, offset }) => changeHistory(services, offset, limit),
});

export const undoChangeTool = defineTool({
  name: 'undo_change',
  title: 'Undo a change',
  description:
    'Takes back a change that relay made: brings back the rows of a playlist in their order, its details, or what was saved. Without change_id, the last change. Refused (CONFLICT, with both lists) if someone changed the playlist since; pass dry_run=true to see what it would do. An undo can be undone.',
  kind: 'destructive',
  input: z.object({
    change_id: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('From the result of a write or from list_changes; its first characters suffice'),
    force: z
      .boolean()
      .default(false)
      .describe('true: even if the playlist changed since; later changes are lost. Ask the user first'),
    dry_run: z.boolean().default(false).describe('true: only say what it would do'),
  }),
  output: z.object({
    ok: z.boolean(),
    undone: z.string().describe('The change that was taken back'),
    change_id: z.string().optional().describe('The undo itself'),
    playlist_id: z.string().nullable(),
    dry_run: z.boolean(),
    requests: z.number().describe('Requests that change something'),
    rows: z.number().nullable().describe('Rows of the playlist afterwards'),
    removed: z.number().nullable().describe('Rows of the playlist that go'),
    notes: z.array(z.string()).describe('What does not come back'),
  }),
  async handle(services, { change_id, force, dry_run }, call) {
    const change = undoableChange(services, change_id);
    const facts = { undone: change.id, playlist_id: change.playlistId, dry_run };
    if (dry_run) {
      const { plan, requests } = await previewUndo(services, change, force, call);
      return { ok: true, ...facts, requests, ...countsOf(plan), notes: notesOf(plan) };
    }
    let plan: UndoPlan | null = null;
    const request = undoRequest(services, change, force, (made) => {
      plan = made;
    });
    const result = await writeFor(services, 'undo_change', request, call);
    const report = await reportOrThrow(services, change.playlistId ?? '', change.written, result);
    return {
      ok: true,
      ...facts,
      change_id: report.change_id,
      requests: report.chunks.total,
      ...countsOf(plan),
      notes: plan ? notesOf(plan) : [],
    };
  },
});

/** Rows afterwards, and how many of those that are there go. */
function countsOf(plan: UndoPlan | null): { rows: number | null; removed: number | null } {
  if (!plan?.former.rows) return { rows: null, removed: null };
  const rows = rowsAfter(plan.former.rows, plan.ops);
  const left = new Map<string, number>();
  for (const uri of rows) left.set(uri, (left.get(uri) ?? 0) + 1);
  const gone = plan.former.rows.filter((uri) => {
    const count = left.get(uri) ?? 0;
    left.set(uri, count - 1);
    return count <= 0;
  });
  return { rows: rows.length, removed: gone.length };
}

function notesOf({ rewritten, lost }: UndoPlan): string[] {
  const dates =
    rewritten === 0
      ? []
      : [`Written again, so Spotify shows today as their date: ${counted(rewritten, 'row')}.`];
  return [...dates, ...lost];
}
