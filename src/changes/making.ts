/** Playlists that changes are creating and whose IDs are not known yet. */
import type { ChangeOp } from '../domain/change.ts';
import { RelayError } from '../domain/errors.ts';
import type { Call } from '../provider/api.ts';
import { getPlaylist } from '../provider/resources/playlists.ts';
import { changesSince, getChangeBody, openChanges, putChangeBody } from '../store/tables/changes.ts';
import { playlistsNamed } from './look.ts';
import type { ChangeContext, Clocks, Waiting } from './record.ts';
import { nextStep } from './rowOps.ts';
import { progressOf, type Run } from './run.ts';
import { LATEST_EFFECT_MS, withinLast } from './times.ts';

type Create = Extract<ChangeOp, { op: 'create' }>;

interface Making {
  seq: number;
  create: Create;
}

/** The changes that are making a playlist and do not know its ID yet, oldest first. */
function beingMade(store: ChangeContext['store']): Making[] {
  return openChanges(store).flatMap(({ seq, kind, playlistId }) => {
    if (kind !== 'create' || playlistId !== null) return [];
    const create = getChangeBody(store, seq).ops.find((op) => op.op === 'create');
    return create ? [{ seq, create }] : [];
  });
}

/** True if a change other than `own` is creating a playlist called `name`, and the ID is not known yet. */
export function hasRival(store: ChangeContext['store'], own: number, name: string): boolean {
  return beingMade(store).some(
    ({ seq, create }) => seq !== own && create.details.name.trim() === name.trim(),
  );
}

/** The error for a new playlist that relay may or may not have created. */
export function unclearWhich(): RelayError {
  return new RelayError(
    'CONFLICT',
    'A playlist with this name appeared while relay was creating one. relay cannot tell whether it created that playlist itself.',
    {
      remedy: {
        text: 'Rename or delete the playlist in Spotify, then call resume_job. To use the playlist as it is, call cancel_job instead.',
        terminal: {
          text: 'Rename or delete the playlist in Spotify, then run {1}. To use the playlist as it is, stop with {2} instead.',
          commands: [
            ['jobs', 'resume', 'ID'],
            ['jobs', 'cancel', 'ID'],
          ],
        },
      },
      details: { expected_uris: [], present_uris: [], written: 0 },
    },
  );
}

/**
 * Records which playlists already have the name of the playlist to be created. A person may have made one while the change
 * waited. If Spotify's answer is then lost, relay must not mistake that playlist for its own. Does nothing if an earlier request
 * may have taken effect, since the playlist from that request must not be recorded as a person's.
 */
export async function noteNamesakes(run: Run): Promise<void> {
  const { context, change, body, call } = run;
  const step = nextStep(run.plan.ops, progressOf(change));
  if (step?.op.op !== 'create' || change.uncertain) return;
  const create = step.op;
  const namesakes = await playlistsNamed(context, create.details.name, change.account, call);
  const known = [...new Set([...(create.known ?? []), ...namesakes.map(({ id }) => id)])];
  const ops = run.plan.ops.map((op) => (op === create ? { ...create, known } : op));
  run.plan = { ...run.plan, ops };
  run.body = { ...body, ops };
  putChangeBody(context.store, change.seq, run.body);
}

/** How long to wait before checking again whether another change still stands in the way. */
export const ASK_AGAIN_MS = 400;

/**
 * Waits while a running change may have created the playlist `playlistId` without having learned the ID yet. This lets that
 * change write its rows first.
 * @param isAtWork true while a run of the change is under way
 */
export async function waitUntilMade(
  { provider, store, clock }: Waiting,
  playlistId: string,
  isAtWork: (seq: number) => boolean,
  call: Call,
): Promise<void> {
  const open = () =>
    beingMade(store).filter(({ seq, create }) => isAtWork(seq) && !create.known?.includes(playlistId));
  if (open().length === 0) return;
  const { name } = await getPlaylist(provider, playlistId, call);
  while (open().some(({ create }) => create.details.name.trim() === name.trim())) {
    await clock.sleep(ASK_AGAIN_MS, call.signal);
  }
}

/**
 * True if a change to the playlist stopped within the last `LATEST_EFFECT_MS` without finding out how its last request ended.
 * Another write now could hide whether that request took effect.
 * @param isAtWork true while a run of the change is under way
 */
export function isInDoubt(context: Clocks, playlistId: string, isAtWork: (seq: number) => boolean): boolean {
  const recent = changesSince(context.store, playlistId, withinLast(context, LATEST_EFFECT_MS));
  return recent.some(({ seq, inTransit }) => inTransit && !isAtWork(seq));
}
