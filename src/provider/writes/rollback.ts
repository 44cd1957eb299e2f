/**
 * Playlist rewrites that are rolled back if they cannot be finished. The rows are read first; if one of them could not be
 * restored (local files, rows that Spotify no longer offers), nothing is written.
 */
import type { Clock } from '../../base/clock.ts';
import { asRelayError, RelayError } from '../../domain/errors.ts';
import type { Item } from '../../domain/shapes.ts';
import type { Call, ProviderApi } from '../api.ts';
import type { PlaylistRows } from '../resources/playlistRows.ts';
import {
  type Chunk,
  outcomeUnknown,
  reportOf,
  UNSTOPPABLE,
  type WriteReport,
  writeChunks,
} from './chunkedWrite.ts';
import { replaceChunks } from './playlistWrites.ts';

/** Attempts for each request of a restore: giving up leaves the playlist short. */
const MAX_RESTORE_ATTEMPTS = 4;

export interface RewriteOptions {
  api: ProviderApi;
  rows: PlaylistRows;
  clock: Clock;
  playlistId: string;
  /** What the playlist holds now; see `restorableUris`. */
  former: readonly string[];
  chunks: readonly Chunk[];
  call: Call;
}

/**
 * The URIs to restore a playlist with.
 * @throws RelayError `UNSUPPORTED_ITEMS` naming the rows that could not be written again
 */
export function restorableUris(items: readonly Item[]): string[] {
  const lost = items.filter((item) => item.item === null || item.is_local);
  if (lost.length > 0) {
    const positions = lost.map((item) => item.position);
    throw new RelayError(
      'UNSUPPORTED_ITEMS',
      `${lost.length} of ${items.length} rows are local files or no longer offered by Spotify, and could not be restored if this failed.`,
      {
        remedy:
          'Nothing was changed. Use a new playlist (create_playlist_from_tracks), or remove these rows in Spotify.',
        details: { positions: positions.slice(0, 100), count: lost.length },
      },
    );
  }
  return items.map((item) => item.item?.uri ?? '');
}

/**
 * Sends the chunks. If one fails after the playlist has changed, the previous rows are written back and verified; neither
 * the caller nor a deadline can stop that.
 * @throws RelayError the cause if the playlist is unchanged; `PARTIAL_WRITE` with the report otherwise
 */
export async function rewrite(options: RewriteOptions): Promise<WriteReport> {
  const { api, clock, chunks, call, playlistId } = options;
  const progress = await writeChunks(api, chunks, call, clock);
  const report = reportOf(playlistId, chunks, progress);
  if (!progress.error) return report;
  if (progress.completed === 0) {
    if (!outcomeUnknown(progress.error)) throw progress.error;
    if (!(await hasChanged(options))) throw unchanged(progress.error);
  }
  const restored = await restore(options);
  report.rollback = { attempted: true, succeeded: restored.error === null };
  if (restored.snapshotId) report.snapshot_id = restored.snapshotId;
  throw rewriteFailed(report, progress.error, restored);
}

/** The answer was lost, but reading showed that the request had no effect. */
function unchanged(cause: RelayError): RelayError {
  return cause.with({
    message: `${cause.message} The playlist is unchanged.`,
    remedy: 'Try again in a minute.',
  });
}

interface Restored {
  error: RelayError | null;
  snapshotId: string | null;
  /** What could not be restored, in order. */
  missing: readonly string[];
}

function rewriteFailed(report: WriteReport, cause: RelayError, restored: Restored): RelayError {
  const ended = restored.error === null;
  return new RelayError(
    'PARTIAL_WRITE',
    `The write stopped after ${report.chunks.completed} of ${report.chunks.total} requests: ${cause.message} ${
      ended ? 'The previous content is restored.' : 'The previous content could not be restored completely.'
    }`,
    {
      remedy: ended
        ? 'Try again when the cause is fixed.'
        : 'details.missing_uris lists in order what is missing: add it with add_tracks_to_playlist.',
      ...(cause.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: cause.retryAfterSeconds }),
      details: { ...report, ...(ended ? {} : { missing_uris: restored.missing }) },
      cause,
    },
  );
}

async function restore(options: RewriteOptions): Promise<Restored> {
  const { api, clock, playlistId, former } = options;
  let snapshotId: string | null = null;
  let written = 0;
  for (const chunk of replaceChunks(playlistId, former)) {
    try {
      const before = written;
      const response = await persistently(
        () => api.send(chunk.request, UNSTOPPABLE),
        // A request whose answer was lost may have taken effect: a second append would double the chunk.
        async () => sameList(await currentUris(options), former.slice(0, before + chunk.count)),
        clock,
      );
      const answered = (response?.body as { snapshot_id?: unknown } | null)?.snapshot_id;
      if (typeof answered === 'string') snapshotId = answered;
      written += chunk.count;
    } catch (error) {
      return { error: asRelayError(error), snapshotId, missing: former.slice(written) };
    }
  }
  return verify(options, snapshotId);
}

async function verify(options: RewriteOptions, snapshotId: string | null): Promise<Restored> {
  try {
    const present = await currentUris(options);
    if (sameList(present, options.former)) return { error: null, snapshotId, missing: [] };
    const error = new RelayError('CONFLICT', 'The restored playlist differs from its previous content.');
    return { error, snapshotId, missing: missingFrom(present, options.former) };
  } catch (error) {
    return { error: asRelayError(error), snapshotId, missing: [] };
  }
}

/**
 * Tries a restoring request several times. After a lost answer, `landed` is checked before the next attempt.
 * @returns null if it turned out to have landed
 */
async function persistently<T>(
  attempt: () => Promise<T>,
  landed: () => Promise<boolean>,
  clock: Clock,
): Promise<T | null> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (thrown) {
      const error = asRelayError(thrown);
      if (outcomeUnknown(error) && (await landed().catch(() => false))) return null;
      const transient = outcomeUnknown(error) || error.code === 'RATE_LIMITED';
      const waitSeconds = error.retryAfterSeconds ?? tries;
      if (!transient || tries >= MAX_RESTORE_ATTEMPTS || waitSeconds > 30) throw error;
      await clock.sleep(waitSeconds * 1000);
    }
  }
}

async function hasChanged(options: RewriteOptions): Promise<boolean> {
  try {
    return !sameList(await currentUris(options), options.former);
  } catch {
    // Unknown counts as changed: writing the previous content back does no harm.
    return true;
  }
}

async function currentUris({ rows, playlistId }: RewriteOptions): Promise<string[]> {
  const items = await rows.readFresh(playlistId, { ...UNSTOPPABLE, progress() {} });
  return items.map((item) => item.item?.uri ?? '');
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((entry, index) => entry === b[index]);
}

function missingFrom(present: readonly string[], wanted: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const uri of present) left.set(uri, (left.get(uri) ?? 0) + 1);
  return wanted.filter((uri) => {
    const count = left.get(uri) ?? 0;
    left.set(uri, count - 1);
    return count <= 0;
  });
}
