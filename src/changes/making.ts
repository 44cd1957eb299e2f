/** Playlists that changes are creating and whose IDs are not known yet. */
import type { ChangeOp } from '../domain/change.ts';
import { RelayError } from '../domain/errors.ts';
import type { Call } from '../provider/api.ts';
import { getPlaylist } from '../provider/resources/playlists.ts';
import { changesSince, getChangeBody, openChanges, putChangeBody } from '../store/tables/changes.ts';
import { playlistsNamed } from './look.ts';
import type { ChangeContext, Reading } from './record.ts';
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

/** True while another change than `own` is making a playlist of that name, and does not know its ID yet. */
export function hasRival(store: ChangeContext['store'], own: number, name: string): boolean {
  return beingMade(store).some(({ seq, create }) => seq !== own && create.details.name === name);
}

/** The error if it is not known whether a new playlist is the one that was asked for. */
export function unclearWhich(): RelayError {
  return new RelayError(
    'CONFLICT',
    'A playlist of this name appeared while relay was creating one. It is not known whether relay created it.',
    {
      remedy: {
        text: 'Rename or delete it in Spotify and call resume_job, or call cancel_job and use it as it is.',
        terminal: {
          text: 'Rename or delete it in Spotify and run {1}, or stop with {2} and use it as it is.',
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
 * Reads again which playlists have the name of the one to be made. While the change waited, a person may have made one. Without
 * this reading, relay would take it for its own if the answer to its request is lost. If an earlier request may have taken
 * effect, the playlist that it made must not count as a person's, so nothing is read.
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

/** How often to ask whether another change has ended. */
export const ASK_AGAIN_MS = 400;

/**
 * Waits while a running change may have created this playlist but does not know its ID yet. This lets that change write its
 * rows first.
 * @param isAtWork true while a run of the change is under way
 */
export async function waitUntilMade(
  { provider, store, clock }: Pick<ChangeContext, 'provider' | 'store' | 'clock'>,
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
 * True if a change of the playlist pauses before it has found out how its last request ended. If anything else wrote to the
 * playlist first, its rows might no longer show whether that request took effect.
 * @param isAtWork true while a run of the change is under way
 */
export function isInDoubt(
  context: Pick<Reading, 'provider' | 'store'>,
  playlistId: string,
  isAtWork: (seq: number) => boolean,
): boolean {
  const recent = changesSince(context.store, playlistId, withinLast(context, LATEST_EFFECT_MS));
  return recent.some(({ seq, inTransit }) => inTransit && !isAtWork(seq));
}
