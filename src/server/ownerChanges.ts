/**
 * The owner's own way to what relay has changed: the same functions as the tools `list_changes` and `undo_change`, whatever
 * toolsets the settings choose.
 */
import { withDeadline } from '../base/abort.ts';
import { changeHistory, changeSummary, undoableChange } from '../changes/history.ts';
import { RelayError, tookTooLong } from '../domain/errors.ts';
import type { ChangeEntry, UndoAnswer, UndoRequest } from '../domain/localApi.ts';
import { getMyPlaylists, PLAYLIST_PAGE } from '../provider/resources/playlists.ts';
import { undoChangeTool } from '../tools/extras/changeTools.ts';
import type { Services } from '../tools/tool.ts';

/** As for a tool, below the 60 s of the command line. */
const UNDO_MS = 45_000;
/** Names are an extra: nobody waits long for them. */
const NAMES_MS = 5_000;

export async function ownerHistory(
  services: Services,
  limit: number,
): Promise<{ items: ChangeEntry[]; total: number }> {
  const { items, total } = changeHistory(services, 0, limit);
  return { items: await withNames(services, items), total };
}

/**
 * Names of playlists as far as one request tells them: the first page holds those that were used last. All pages would be
 * up to 20 requests of a daily quota, for a list that is only looked at.
 */
async function withNames(services: Services, items: readonly ChangeEntry[]): Promise<ChangeEntry[]> {
  if (items.every(({ playlist_id }) => playlist_id === null)) return [...items];
  const names = await firstNames(services);
  return items.map((item) => {
    const name = item.playlist_id === null ? undefined : names.get(item.playlist_id);
    return name === undefined ? item : { ...item, playlist_name: name };
  });
}

async function firstNames({ provider, clock }: Services): Promise<Map<string, string>> {
  const window = { limit: PLAYLIST_PAGE, offset: 0 };
  const late = new Error('no names in time');
  try {
    const page = await withDeadline({ clock, ms: NAMES_MS, late }, (signal) =>
      getMyPlaylists(provider, window, { signal, progress() {} }),
    );
    return new Map(page.items.map(({ id, name }) => [id, name]));
  } catch {
    // Without a login, under a limit or without a network the IDs have to do.
    return new Map();
  }
}

/** @throws RelayError as the tool does, `CONFLICT` with both lists among them */
export async function ownerUndo(services: Services, request: UndoRequest): Promise<UndoAnswer> {
  const change = undoableChange(services, request.change ?? undefined);
  const args = { change_id: change.id, force: request.force, dry_run: request.dryRun };
  const late = tookTooLong('Undoing', UNDO_MS, {
    text: 'See in {command} whether it was begun, then try again.',
    command: ['history'],
  });
  try {
    const answer = await withDeadline({ clock: services.clock, ms: UNDO_MS, late }, (signal) =>
      undoChangeTool.handle(askedByOwner(services), args, { signal, progress() {} }),
    );
    const done = answer as unknown as UndoAnswer;
    if (!request.dryRun) return done;
    const [entry] = await withNames(services, [changeSummary(services.store, change)]);
    return { ...done, ...(entry ? { change: entry } : {}) };
  } catch (error) {
    const goesOn = handedOver(error, change.id);
    if (goesOn) return goesOn;
    throw error;
  }
}

function askedByOwner(services: Services): Services {
  const { changes } = services;
  return {
    ...services,
    changes: {
      ...changes,
      run: (request, call, patience) => changes.run({ ...request, askedBy: 'relay undo' }, call, patience),
    },
  };
}

/** An undo that a job continues with has not failed. */
function handedOver(error: unknown, undone: string): UndoAnswer | null {
  if (!(error instanceof RelayError) || error.code === 'CONFLICT') return null;
  const { job_id, change_id, playlist_id, chunks } = (error.details ?? {}) as {
    job_id?: string;
    change_id?: string;
    playlist_id?: string;
    chunks?: { total: number };
  };
  if (job_id === undefined) return null;
  return {
    ok: true,
    undone,
    ...(change_id === undefined ? {} : { change_id }),
    playlist_id: playlist_id || null,
    dry_run: false,
    requests: chunks?.total ?? 0,
    rows: null,
    removed: null,
    notes: [],
    job_id,
    reason: error.message,
  };
}
