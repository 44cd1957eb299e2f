/** The changes that relay has made, and undoing them. */
import * as z from 'zod';
import { counted } from '../../base/lists.ts';
import { ChangeSummary, UndoResult } from '../../domain/change.ts';
import { without } from '../../domain/rows.ts';
import type { Call } from '../../provider/api.ts';
import { knownSong } from '../../provider/knownNames.ts';
import { getWorkBySeq, type Work } from '../../store/tables/works.ts';
import { changeHistory, previewUndo, undoneTogether, undoRequest } from '../../work/write/history.ts';
import { rowsAfter } from '../../work/write/states.ts';
import { carriedOut, type UndoPlan } from '../../work/write/undo.ts';
import { Offset } from '../arguments.ts';
import { knownPlaylistName, knownPlaylistNames } from '../playlists/playlistNames.ts';
import { carryOut } from '../playlists/playlistWriting.ts';
import { defineTool, type Services } from '../tool.ts';
import { undoEffect } from './undoEffect.ts';

/** The name of who asked, or how it begins. */
const By = z.string().trim().min(1).max(100);

export const listChangesTool = defineTool({
  name: 'list_changes',
  title: 'List changes',
  description:
    'Lists what relay has changed in playlists and the library, newest first: who asked, when, and whether undo_change can take it back. Kept for 30 days, 200 at most.',
  kind: 'read',
  openWorld: false,
  input: z.object({
    limit: z.int().min(1).max(100).default(20).describe('1 to 100'),
    offset: Offset,
    by: By.optional().describe('Only what this client asked for, such as "Claude"'),
  }),
  output: z.object({ items: z.array(ChangeSummary), total: z.number(), next_offset: z.number().nullable() }),
  async handle(services, { limit, offset, by }) {
    const page = changeHistory(services, offset, limit, by);
    const names = knownPlaylistNames(
      services,
      page.items.flatMap(({ playlist_id }) => playlist_id ?? []),
    );
    const items = page.items.map((item) => {
      const name = names.get(item.playlist_id ?? '');
      return name === undefined ? item : { ...item, playlist_name: name };
    });
    return { ...page, items };
  },
});

export const undoChangeTool = defineTool({
  name: 'undo_change',
  title: 'Undo a change',
  description:
    'Undoes a change that relay made, by default the last one, or the last import as a whole: brings back the rows of a playlist in their order, its details, or what was saved. Refused (CONFLICT) if someone changed the playlist since; dry_run=true shows what it would do. An undo can be undone.',
  kind: 'destructive',
  input: z.object({
    change_id: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('From the result of a write or from list_changes; its first characters suffice'),
    by: By.optional().describe('Instead of change_id: the last change of this client'),
    force: z
      .boolean()
      .default(false)
      .describe('true: undo even if the playlist changed since; later changes are lost. Ask the user first'),
    dry_run: z.boolean().default(false).describe('true: report what it would do, write nothing'),
  }),
  output: UndoResult,
  handle: (services, { change_id, ...how }, call) =>
    undo(services, { change_id, together: change_id === undefined, ...how }, call),
});

/** Carries out an undo, or says what it would do. @param asked.together true to take back the other playlists of an import, too */
export async function undo(
  services: Services,
  asked: {
    change_id: string | undefined;
    by?: string | undefined;
    together: boolean;
    force: boolean;
    dry_run: boolean;
  },
  call: Call,
): Promise<UndoResult> {
  const { force, dry_run } = asked;
  const works = undoneTogether(services, asked.change_id, asked.together, asked.by);
  const [work, ...others] = works;
  const facts = {
    undone: work.id,
    playlist_id: work.playlistId,
    ...(others.length > 0 ? { together: works.length } : {}),
    dry_run,
  };
  if (dry_run) {
    const { plan, requests } = await previewUndo(services, works, force, call);
    const effect = effectOf(services, work, plan, true);
    return { ok: true, ...facts, requests, ...countsOf(plan), notes: notesOf(plan), ...effect };
  }
  let planned: UndoPlan | null = null;
  const request = undoRequest(services, works, force, (made) => {
    planned = made;
  });
  const { report, state } = await carryOut(services, request, call);
  // Without a change, Spotify has refused all that was to be written.
  const isRefused = state === null || state.body.notes?.passedOver === true;
  const plan = planned && carriedOut(planned, isRefused);
  return {
    ok: true,
    ...facts,
    change_id: report.change_id,
    ...(report.job_id === undefined ? {} : { job_id: report.job_id, reason: report.note }),
    requests: report.chunks.total,
    ...countsOf(plan),
    notes: plan ? notesOf(plan) : [],
    ...effectOf(services, work, plan, false),
  };
}

function effectOf(services: Services, work: Work, plan: UndoPlan | null, isAhead: boolean) {
  const name = work.playlistId === null ? null : knownPlaylistName(services, work.playlistId);
  const { summary, added, removed } = undoEffect({
    plan: plan ?? { former: {}, ops: [], lost: [] },
    name,
    song: (uri) => knownSong(services.provider, uri),
    songs: songsOf(services, work),
    isAhead,
  });
  return { summary, added, taken: removed };
}

/**
 * If the change undid the creation of a playlist: the number of songs that the playlist was created with. These songs now come
 * back. Otherwise null.
 */
function songsOf({ store }: Services, { undoes }: Work): number | null {
  const undone = undoes === null ? null : getWorkBySeq(store, undoes);
  return undone?.kind === 'create' ? undone.written : null;
}

/** Number of rows after the undo, and number of present rows that it removes; null if there are no rows, or no plan yet. */
function countsOf(plan: UndoPlan | null): { rows: number | null; removed: number | null } {
  if (!plan?.former.rows) return { rows: null, removed: null };
  const rows = rowsAfter({ rows: plan.former.rows, ops: plan.ops });
  return { rows: rows.length, removed: without(plan.former.rows, rows).length };
}

function notesOf({ rewritten, lost, former }: UndoPlan): string[] {
  const isPlaylist = former.rows !== undefined;
  const dates =
    rewritten === 0
      ? []
      : [
          `Spotify shows today as the date of what the undo writes again${isPlaylist ? ', and you as who added it' : ''}: ${counted(rewritten, 'row')}.`,
        ];
  return [...dates, ...lost];
}
