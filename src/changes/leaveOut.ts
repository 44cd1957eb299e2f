/** Entries that Spotify refuses: finding the one in a request, and leaving it out. */
import type { ChangeOp, Progress } from '../domain/change.ts';
import { asRelayError, type RelayError } from '../domain/errors.ts';
import { getTrack } from '../provider/resources/catalog.ts';
import { putChangeBody, setChange } from '../store/tables/changes.ts';
import { markItems } from './ownJob.ts';
import { progressAt, type Step } from './rowOps.ts';
import type { Run } from './run.ts';

/** Maximum number of refused entries to leave out; with more, the change fails as a whole. */
const MAX_REFUSED = 20;

/**
 * One entry that Spotify does not know must not block the other ninety-nine of its request. So the request is halved until the
 * entry is found, and that entry is left out.
 * @returns false if the refusal stands
 */
export async function leaveOut(run: Run, step: Step, error: RelayError): Promise<boolean> {
  const { context, change, body } = run;
  if (step.count > 1) {
    run.size = Math.ceil(step.count / 2);
    return true;
  }
  const refused = body.refused ?? [];
  const uri = 'uris' in step.op ? (step.op.uris[0] ?? '') : '';
  // Spotify itself shows this entry, so the refusal has another reason and will pass.
  if ((await exists(run, uri)) || refused.length >= MAX_REFUSED) return false;
  const ops = withoutEntry(run.plan.ops, step.from);
  run.plan = { ...run.plan, ops };
  run.body = { ...body, refused: [...refused, uri], ...(body.plan ? { plan: run.plan } : { ops }) };
  run.size = Number.POSITIVE_INFINITY;
  run.failures = { ...run.failures, count: 0 };
  context.store.transaction(() => {
    putChangeBody(context.store, change.seq, run.body);
    const to = progressAt(ops, step.from.op, step.from.at);
    run.change = setChange(context.store, change.seq, to, context.clock.now());
    markItems(context, run.change, error);
  });
  context.store.saveSoon();
  return true;
}

async function exists({ context, call }: Run, uri: string): Promise<boolean> {
  if (!uri.startsWith('spotify:track:')) return false;
  try {
    await getTrack(context.provider, uri.slice('spotify:track:'.length), call);
    return true;
  } catch (thrown) {
    const error = asRelayError(thrown);
    if (error.code === 'NOT_FOUND' || error.code === 'INVALID_ARGUMENT') return false;
    throw error;
  }
}

function withoutEntry(ops: readonly ChangeOp[], { op, at }: Progress): readonly ChangeOp[] {
  return ops.map((entry, index) =>
    index === op && 'uris' in entry
      ? ({ ...entry, uris: entry.uris.filter((_, place) => place !== at) } as ChangeOp)
      : entry,
  );
}
