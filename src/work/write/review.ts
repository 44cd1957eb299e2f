/** What a person is told about a playlist that someone else changed during a write, in order to decide. */
import { counted } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import { shortId } from '../../domain/job.ts';
import { differenceOf, without } from '../../domain/rows.ts';
import type { ProviderApi } from '../../provider/api.ts';
import { knownSong } from '../../provider/knownNames.ts';
import type { Work } from '../../store/tables/works.ts';

/** What a person can decide about such a playlist, and what follows from it. */
export const REVIEWS = ['continue', 'keep', 'undo'] as const;
export type Review = (typeof REVIEWS)[number];

/** How a person decides about the job with this ID. */
export function waysToDecide(jobId: string): string {
  const answer = (review: Review, words: string) =>
    `{${words}|relay jobs resume ${shortId(jobId)} --review ${review}}`;
  return [
    `{Ask the user which answer to give: |}${answer('continue', 'resume_job with review: "continue"')} makes the playlist`,
    `what was asked for, ${answer('keep', '"keep"')} leaves it as it is, ${answer('undo', '"undo"')} makes it what it was.`,
    'An undo takes the answer back.',
  ].join(' ');
}

const MAX_NAMED = 10;

/**
 * The error for a playlist that shows none of the states of a work: what differs, as at most ten names for each side.
 * @param expected the rows as relay left them; an empty string for a row that it has not read
 */
export function rowsConflict(
  provider: ProviderApi,
  work: Pick<Work, 'id' | 'playlistId' | 'written'>,
  expected: readonly string[],
  present: readonly string[],
): RelayError {
  const named = expected.filter((uri) => uri !== '');
  const unread = expected.length - named.length;
  const missing = without(named, present);
  const extra = without(present, named).slice(unread);
  const { moved } = differenceOf(expected, present);
  const songs = (uris: readonly string[]) =>
    uris
      .slice(0, MAX_NAMED)
      .map((uri) => (knownSong(provider, uri) ?? uri) || 'a song that Spotify does not name');
  const parts = [
    ...(missing.length > 0 ? [`${counted(missing.length, 'song')} missing`] : []),
    ...(extra.length > 0 ? [`${counted(extra.length, 'song')} more than relay left there`] : []),
  ];
  const what = parts.join(' and ') || (moved > 0 ? 'songs in other places' : 'other songs');
  return new RelayError(
    'CONFLICT',
    `Someone else changed the playlist while relay was writing to it: it now has ${counted(present.length, 'song')}, with ${what}.`,
    {
      remedy: waysToDecide(work.id),
      details: {
        playlist_id: work.playlistId,
        written: work.written,
        expected_count: expected.length,
        present_count: present.length,
        missing_count: missing.length,
        missing: songs(missing),
        extra_count: extra.length,
        extra: songs(extra),
        moved_count: moved,
      },
    },
  );
}
