/**
 * Lists and undoes changes for the owner, with the functions of `list_changes` and `undo_change`. The owner can do so even if
 * those tools are switched off.
 */
import { visibleText } from '../base/visibleText.ts';
import type { ChangeSummary } from '../domain/change.ts';
import { askerWords, changeWords } from '../domain/changeWords.ts';
import { RelayError, withPlaylistName } from '../domain/errors.ts';
import type { ChangeEntry, UndoAnswer, UndoRequest } from '../domain/localApi.ts';
import { getWork } from '../store/tables/works.ts';
import { undo } from '../tools/extras/changeTools.ts';
import { knownPlaylistName, playlistNames } from '../tools/playlists/playlistNames.ts';
import type { Services } from '../tools/tool.ts';
import { changeHistory, changeSummary, undoneTogether } from '../work/write/history.ts';
import { inTime } from './inTime.ts';

/** Time limit of an undo: the same as for a tool, and below the 60 s that the command line waits. */
const UNDO_MS = 45_000;

export async function ownerHistory(
  services: Services,
  limit: number,
  by?: string,
): Promise<{ items: ChangeEntry[]; total: number }> {
  const { items, total } = changeHistory(services, 0, limit, by);
  return { items: await withNames(services, items), total };
}

async function withNames(services: Services, items: readonly ChangeSummary[]): Promise<ChangeEntry[]> {
  const ids = items.flatMap(({ playlist_id }) => playlist_id ?? []);
  const names = await playlistNames(services, ids);
  return items.map((item) => changeEntry(services, item, names));
}

/** Describes a change as a person sees it. Sends no requests. */
function changeEntry(
  { store }: Pick<Services, 'store'>,
  change: ChangeSummary,
  names: ReadonlyMap<string, string>,
): ChangeEntry {
  const name = change.playlist_id === null ? undefined : names.get(change.playlist_id);
  const shown = name === undefined ? null : visibleText(name, MAX_NAME);
  const wordsOf = (summary: ChangeSummary): string => {
    const undone = summary.undoes === undefined ? null : getWork(store, summary.undoes);
    return changeWords(summary, shown, undone && wordsOf(changeSummary(store, undone)));
  };
  const undo = change.undone_by === undefined ? null : getWork(store, change.undone_by);
  return {
    ...change,
    ...(undo?.outcome === null ? { being_undone: true } : {}),
    ...(name === undefined ? {} : { playlist_name: name }),
    what: wordsOf(change),
    who: askerWords(change.asked_by),
  };
}

const MAX_NAME = 60;

/**
 * Undoes a change, or with `dryRun` tells what the undo would do. Without a change ID, undoes the latest change that is neither
 * undone nor an undo itself.
 * @param by who asks; see `Call.by`
 * @throws RelayError as the tool does; the details of a `CONFLICT` list the songs that the undo expects and those that are
 * there
 */
export async function ownerUndo(services: Services, request: UndoRequest, by: string): Promise<UndoAnswer> {
  const { together = request.change === null, force, dryRun: dry_run } = request;
  const [change] = undoneTogether(services, request.change ?? undefined, together, request.by);
  // Makes the playlist's name known, since the summary of the undo shows it.
  if (change.playlistId !== null) await playlistNames(services, [change.playlistId]);
  const args = { change_id: change.id, together, force, dry_run };
  const remedy = { text: 'Check with {command} whether it was begun, then try again.', command: ['history'] };
  const work = (signal: AbortSignal) => undo(services, args, { signal, progress() {}, by });
  try {
    const answer = await inTime(services, 'Undoing', remedy, work, UNDO_MS);
    const done = answer as unknown as UndoAnswer;
    if (!request.dryRun) return done;
    const [entry] = await withNames(services, [changeSummary(services.store, change)]);
    return { ...done, ...(entry ? { change: entry } : {}) };
  } catch (error) {
    throw error instanceof RelayError ? withWords(services, change.playlistId, error) : error;
  }
}

/** The same error, with the known name of the playlist. */
function withWords(services: Services, playlistId: string | null, error: RelayError): RelayError {
  const name = playlistId === null ? null : knownPlaylistName(services, playlistId);
  return error.with({ message: withPlaylistName(error.message, playlistId, name ?? undefined) });
}
