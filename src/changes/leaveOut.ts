/** Finds the entry of a request that Spotify refuses, and leaves it out. */
import type { ChangeOp, Progress } from '../domain/change.ts';
import type { RelayError } from '../domain/errors.ts';
import { findTrack } from '../provider/resources/catalog.ts';
import { putChangeBody, setChange } from '../store/tables/changes.ts';
import { markItems } from './ownJob.ts';
import { replaceOps } from './planRows.ts';
import { progressAt, ROWS_PER_REQUEST, type Step } from './rowOps.ts';
import { landingsOf, type Run } from './run.ts';

/** Maximum number of refused entries to leave out; after that, each refusal spends an attempt. */
const MAX_REFUSED = 20;

/**
 * One entry that Spotify does not know must not block the other ninety-nine of its request. So the request is halved until the
 * entry is found, and that entry is left out.
 * @returns `counts` if no entry could be left out, so that the refusal counts; `none_left` if the playlist would become empty,
 *   since Spotify knows none of the songs
 * @throws RelayError `STORE_ERROR`
 */
export async function leaveOut(
  run: Run,
  step: Step,
  error: RelayError,
): Promise<'left_out' | 'counts' | 'none_left'> {
  const { change, body } = run;
  const { op: index, at } = step.from;
  if (step.count > 1) {
    if (step.op.op === 'put') {
      await putOps(run, withFirst(run.plan.ops, index, { size: halfOf(step) }));
    } else {
      run.size = halfOf(step);
      noteHalved(run);
    }
    return 'left_out';
  }
  const refused = body.refused ?? [];
  const uri = 'uris' in step.op ? (step.op.uris[0] ?? '') : '';
  // If Spotify itself shows this entry, the refusal has another reason and may pass.
  if ((await exists(run, uri)) || refused.length >= MAX_REFUSED) return 'counts';
  const { ops } = run.plan;
  const left =
    step.op.op === 'put' ? withFirst(ops, index, { without: 1 }) : withoutEntry(ops, { op: index, at });
  if (left.some((op) => op.op === 'put' && op.uris.length === 0)) return 'none_left';
  run.body = { ...body, refused: [...refused, uri] };
  run.failures = { ...run.failures, count: 0 };
  await putOps(run, left, () => {
    const to = progressAt(left, index, at);
    // The history must not count this entry: a change that is done has written all that were requested. A track that was not
    // saved is not requested to be removed.
    const isCounted = step.op.op !== 'unsave' || body.former.saved?.includes(uri) === true;
    const requested = Math.max(0, change.requested - (isCounted ? 1 : 0));
    run.change = setChange(run.context.store, change.seq, { ...to, requested }, run.context.clock.now());
    markItems(run.context, run.change, error);
  });
  return 'left_out';
}

const halfOf = ({ count }: Step) => Math.ceil(count / 2);

/**
 * Continues with other operations. They are on disk before the next request, since after a crash the list is compared with
 * them.
 */
async function putOps(run: Run, ops: readonly ChangeOp[], also = () => {}): Promise<void> {
  const { store } = run.context;
  run.plan = { ...run.plan, ops };
  run.body = { ...run.body, ...(run.body.plan ? { plan: run.plan } : { ops }) };
  run.size = Number.POSITIVE_INFINITY;
  store.transaction(() => {
    putChangeBody(store, run.change.seq, run.body);
    also();
  });
  await store.saveNow();
}

/**
 * The same rows, but another number of them in the `put` at `index`; the others are appended.
 * @param options.without number of rows to leave out at the beginning
 */
function withFirst(
  ops: readonly ChangeOp[],
  index: number,
  { size = ROWS_PER_REQUEST, without = 0 }: { size?: number; without?: number },
): readonly ChangeOp[] {
  const [put, next] = ops.slice(index);
  const appended = next?.op === 'append' ? next.uris : [];
  const uris = [...(put && 'uris' in put ? put.uris : []), ...appended].slice(without);
  const after = ops.slice(index + (next?.op === 'append' ? 2 : 1));
  return [...ops.slice(0, index), ...replaceOps(uris, size), ...after];
}

/**
 * Records that requests may be smaller than usual, which a look after a crash has to know. This is saved before the next
 * request.
 */
function noteHalved(run: Run): void {
  const { context, change, body } = run;
  if (landingsOf(body)) return;
  run.body = { ...body, notes: { ...body.notes, landings: [] } };
  putChangeBody(context.store, change.seq, run.body);
  run.savedAt = Number.NEGATIVE_INFINITY;
}

async function exists({ context, call }: Run, uri: string): Promise<boolean> {
  if (!uri.startsWith('spotify:track:')) return false;
  return (await findTrack(context.provider, uri, call)) !== null;
}

function withoutEntry(ops: readonly ChangeOp[], { op, at }: Progress): readonly ChangeOp[] {
  return ops.map((entry, index) =>
    index === op && 'uris' in entry
      ? ({ ...entry, uris: entry.uris.filter((_, place) => place !== at) } as ChangeOp)
      : entry,
  );
}
