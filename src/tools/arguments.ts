/** Arguments that several tools take, each described once. */
import * as z from 'zod';
import { RelayError } from '../domain/errors.ts';
import { type EntityKind, type EntityRef, parseRef } from '../domain/ids.ts';

/** An identifier as given, and what it names. */
export interface GivenRef extends EntityRef {
  input: string;
}

/** Text that `parse` reads. A `RelayError` that it throws is reported as a problem of the argument. */
export function parsedText<T>(parse: (text: string) => T) {
  return z
    .string()
    .min(1)
    .max(500)
    .transform((text, context): T => {
      try {
        return parse(text);
      } catch (error) {
        if (!(error instanceof RelayError)) throw error;
        context.addIssue({ code: 'custom', message: `${error.message} ${error.remedy ?? ''}`.trim() });
        return z.NEVER;
      }
    });
}

/** An ID, URI or link that names one of `kinds`; parsed to the reference. */
function ref(kinds: readonly [EntityKind, ...EntityKind[]]) {
  return parsedText((text): GivenRef => ({ ...parseRef(text, kinds), input: text }));
}

export const TrackRef = ref(['track']);
/** An item that a playlist can hold. */
export const ItemRef = ref(['track', 'episode']);
export const ArtistRefArgument = ref(['artist']);
export const AlbumRefArgument = ref(['album']);
export const PlaylistRef = ref(['playlist']);

export const Query = z
  .string()
  .trim()
  .min(1)
  .max(250)
  .describe('Words, and filters such as artist:"…" album:"…" track:"…" year:1990-1999 isrc:… genre:…');

/** A page size from 1 to `max`. */
export function limit(standard: number, max = 50) {
  return z.int().min(1).max(max).default(standard).describe(`1 to ${max}`);
}

export const Offset = z.int().min(0).max(100_000).default(0).describe('next_offset of the previous page');

/** `next_offset` in the result of a list that has no pages, but may be too long for one answer. `fit` sets it. */
export const NextOffset = z.number().optional().describe('Only if the list is too long for one answer');

/** Maximum entries of one call, as many as a playlist can hold. */
export const MAX_ENTRIES = 10_000;

export const playlistId = PlaylistRef.describe('ID, URI or link of a playlist');

export const DeviceId = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('From get_devices; else the active one');

/** One line, since Spotify refuses line breaks here. */
export const Description = z
  .string()
  .max(300)
  .regex(/^[^\r\n]*$/, 'must be one line')
  .describe('One line, at most 300 characters');

export const PlaylistName = z.string().trim().min(1).max(100).describe('1 to 100 characters');
