/** The changes that relay has made, and undoing them. */
import * as z from 'zod';
import { capital, counted } from '../../base/lists.ts';
import { type ChangeOp, ChangeSummary, type DetailValues, UndoResult } from '../../domain/change.ts';
import { without } from '../../domain/rows.ts';
import type { Call } from '../../provider/api.ts';
import { knownSong } from '../../provider/knownNames.ts';
import type { Work } from '../../store/tables/works.ts';
import { changeHistory, previewUndo, undoneTogether, undoRequest } from '../../work/write/history.ts';
import { rowsAfter } from '../../work/write/states.ts';
import { carriedOut, type UndoPlan } from '../../work/write/undo.ts';
import { Offset } from '../arguments.ts';
import { knownPlaylistName, knownPlaylistNames } from '../playlists/playlistNames.ts';
import { carryOut } from '../playlists/playlistWriting.ts';
import { defineTool, type Services } from '../tool.ts';

/** The name of who asked, or how it begins. */
const By = z.string().trim().min(1).max(100);

export const listChangesTool = defineTool({
  name: 'list_changes',
  title: 'List changes',
  description:
    'Lists what relay has changed in playlists and the library, newest first: who asked, when, and whether undo_change can take it back.',
  kind: 'read',
  openWorld: false,
  input: z.object({
    limit: z.int().min(1).max(100).default(20).describe('1 to 100'),
    offset: Offset,
    by: By.optional().describe('Only what this client asked for'),
  }),
  output: z.object({ items: z.array(ChangeSummary), total: z.number(), next_offset: z.number().nullable() }),
  async handle(services, { limit, offset, by }) {
    const page = changeHistory(services, offset, limit, by);
    const names = knownPlaylistNames(
      services,
      page.items.flatMap(({ playlist_id }) => playlist_id ?? []),
    );
    const items = page.items.map((item) => ({ ...item, playlist_name: names.get(item.playlist_id ?? '') }));
    return { ...page, items };
  },
});

export const undoChangeTool = defineTool({
  name: 'undo_change',
  title: 'Undo a change',
  description:
    'Undoes a change that relay made, by default the last one, or the last import as a whole: brings back rows in their order, details, or what was saved. Refused (CONFLICT) if someone changed the playlist since; dry_run=true shows what it would do. An undo can be undone.',
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
    ...{ ok: true, undone: work.id, playlist_id: work.playlistId, dry_run },
    ...(others.length > 0 && { together: works.length }),
  };
  if (dry_run) {
    const { plan, requests } = await previewUndo(services, works, force, call);
    return { ...facts, requests, ...effectOf(services, work, plan) };
  }
  let planned: UndoPlan = { former: {}, ops: [], lost: [], rewritten: 0 };
  const request = undoRequest(services, works, force, (made) => {
    planned = made;
  });
  const { report, state } = await carryOut(services, request, call);
  // Without a change, Spotify has refused all that was to be written.
  const isRefused = state === null || state.body.notes?.passedOver === true;
  return {
    ...facts,
    change_id: report.change_id,
    ...(report.job_id !== undefined && { job_id: report.job_id, reason: report.note }),
    requests: report.chunks.total,
    ...effectOf(services, work, carriedOut(planned, isRefused)),
  };
}

/** Number of songs of each list to name. */
const NAMED = 5;

/** What an undo does, in words that fit before and after it, and as lists of songs for the person who has to agree. */
function effectOf(services: Services, { playlistId }: Work, plan: UndoPlan) {
  const { former, ops } = plan;
  const { added, removed } = differenceOf(plan);
  const name = playlistId === null ? null : knownPlaylistName(services, playlistId);
  const songs = (uris: readonly string[]) => ({
    count: uris.length,
    first: uris.slice(0, NAMED).map((uri) => knownSong(services.provider, uri) ?? uri),
  });
  return {
    summary: summaryOf(plan, name === null ? 'the playlist' : `"${name}"`, added, removed),
    rows: former.rows ? rowsAfter({ rows: former.rows, ops }).length : null,
    removed: former.rows ? removed.length : null,
    notes: notesOf(plan),
    added: songs(added),
    taken: songs(removed),
  };
}

function summaryOf(
  { ops, lost }: UndoPlan,
  playlist: string,
  added: readonly string[],
  removed: readonly string[],
): string {
  const [first] = ops;
  if (!first) return lost.length > 0 ? 'Nothing to write.' : 'Nothing to write: all is as it was before.';
  const playlists = ops.length > 1 ? `${ops.length} playlists` : playlist;
  if (first.op === 'follow') return capital(`${playlists} back in your list of playlists.`);
  if (first.op === 'unfollow') return capital(`${playlists} off your list of playlists.`);
  if (first.op === 'details') return capital(`${playlist}: ${detailsText(ops)}.`);
  const areAlbums = [...added, ...removed][0]?.startsWith('spotify:album:') === true;
  const isLibrary = first.op === 'save' || first.op === 'unsave';
  const place = areAlbums ? 'the library' : isLibrary ? 'Liked Songs' : playlist;
  const entries = (uris: readonly string[]) => counted(uris.length, areAlbums ? 'album' : 'song');
  const effects = [
    ...(added.length > 0 ? [`${entries(added)} back`] : []),
    ...(removed.length > 0 ? [`${entries(removed)} out`] : []),
  ];
  return capital(`${place}: ${effects.join(', ') || 'the songs back in their order'}.`);
}

/** The songs or albums that are added and removed, repeats included. */
function differenceOf({ former, ops }: UndoPlan): { added: string[]; removed: string[] } {
  const [first] = ops;
  if (first?.op === 'save') return { added: [...first.uris], removed: [] };
  if (first?.op === 'unsave') return { added: [], removed: [...first.uris] };
  if (!former.rows) return { added: [], removed: [] };
  const rows = rowsAfter({ rows: former.rows, ops });
  return { added: without(rows, former.rows), removed: without(former.rows, rows) };
}

function detailsText(ops: readonly ChangeOp[]): string {
  const set: DetailValues = Object.assign({}, ...ops.map((op) => (op.op === 'details' ? op.set : {})));
  const texts = Object.entries(set).map(([name, value]) => {
    if (typeof value === 'string') return value === '' ? `no ${name}` : `${name} "${value}"`;
    return value ? name : `not ${name}`;
  });
  return texts.join(', ');
}

function notesOf({ rewritten, lost, former }: UndoPlan): string[] {
  if (rewritten === 0) return lost;
  const who = former.rows ? ', and you as who added it' : '';
  const dates = `Spotify shows today as the date of what the undo writes again${who}: ${counted(rewritten, 'row')}.`;
  return [dates, ...lost];
}
