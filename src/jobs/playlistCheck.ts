/** What a playlist holds, and how that compares with what a job expects. */
import { counted } from '../base/counted.ts';
import { RelayError } from '../domain/errors.ts';
import type { Call } from '../provider/api.ts';
import type { JobContext } from './context.ts';

/** URIs of all current rows; a row that Spotify no longer offers is the empty string. */
export async function readUris({ rows }: JobContext, playlistId: string, call: Call): Promise<string[]> {
  const items = await rows.readFresh(playlistId, { signal: call.signal, progress() {} });
  return items.map((item) => item.item?.uri ?? '');
}

export function sameUris(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((uri, index) => uri === b[index]);
}

/** Maximum rows of each list that a conflict shows. */
const MAX_SHOWN = 1_000;

/** The error for a playlist that matches neither the state before a write nor the state after. */
export function changedMeanwhile(
  playlistId: string,
  lists: { expected: readonly string[]; present: readonly string[]; written: number },
): RelayError {
  const { expected, present, written } = lists;
  const from = firstShown(expected, present);
  return new RelayError(
    'CONFLICT',
    `Someone else changed the playlist ${playlistId} while this job was writing to it: it should have ${counted(expected.length, 'row')} but has ${present.length}; the first difference is at position ${firstDifference(expected, present)}.`,
    {
      remedy:
        'Compare result.expected_uris with result.present_uris, fix the playlist in Spotify and call resume_job, which checks again; or call cancel_job and keep the playlist as it is.',
      details: {
        playlist_id: playlistId,
        written,
        expected_count: expected.length,
        present_count: present.length,
        shown_from: from,
        expected_uris: expected.slice(from, from + MAX_SHOWN),
        present_uris: present.slice(from, from + MAX_SHOWN),
      },
    },
  );
}

function firstDifference(expected: readonly string[], present: readonly string[]): number {
  const at = expected.findIndex((uri, index) => uri !== present[index]);
  return at < 0 ? expected.length : at;
}

/** Short lists are shown whole, longer ones from shortly before the first difference. */
function firstShown(expected: readonly string[], present: readonly string[]): number {
  if (Math.max(expected.length, present.length) <= MAX_SHOWN) return 0;
  return Math.max(0, firstDifference(expected, present) - 10);
}
