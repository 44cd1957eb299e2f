/** What a playlist holds, and how that compares with what a job expects. */
import { RelayError } from '../domain/errors.ts';
import type { Call } from '../provider/api.ts';
import type { JobContext } from './context.ts';

/** URIs of all rows as they are now; a row that is no longer offered is the empty text. */
export async function readUris({ rows }: JobContext, playlistId: string, call: Call): Promise<string[]> {
  const items = await rows.readFresh(playlistId, { signal: call.signal, progress() {} });
  return items.map((item) => item.item?.uri ?? '');
}

export function sameUris(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((uri, index) => uri === b[index]);
}

/** Most rows of each list that a conflict shows. */
const SHOWN = 1_000;

/** The error of a playlist that holds neither what it should before a write nor what it should after. */
export function changedMeanwhile(
  playlistId: string,
  lists: { expected: readonly string[]; present: readonly string[]; written: number },
): RelayError {
  const { expected, present, written } = lists;
  const from = firstShown(expected, present);
  return new RelayError(
    'CONFLICT',
    `Someone else changed the playlist ${playlistId} while this job was writing to it: it should hold ${expected.length} rows and holds ${present.length}; the first difference is at position ${firstDifference(expected, present)}.`,
    {
      remedy:
        'Compare result.expected_uris with result.present_uris, mend the playlist in Spotify and call resume_job, which looks again; or call cancel_job and keep it as it is.',
      details: {
        playlist_id: playlistId,
        written,
        expected_count: expected.length,
        present_count: present.length,
        shown_from: from,
        expected_uris: expected.slice(from, from + SHOWN),
        present_uris: present.slice(from, from + SHOWN),
      },
    },
  );
}

function firstDifference(expected: readonly string[], present: readonly string[]): number {
  const at = expected.findIndex((uri, index) => uri !== present[index]);
  return at < 0 ? expected.length : at;
}

/** Lists that fit are shown whole, longer ones from shortly before they differ. */
function firstShown(expected: readonly string[], present: readonly string[]): number {
  if (Math.max(expected.length, present.length) <= SHOWN) return 0;
  return Math.max(0, firstDifference(expected, present) - 10);
}
