/** Arguments that several tools take, each described once. */
import * as z from 'zod';
import { RelayError } from '../domain/errors.ts';
import { ADDRESS, type EntityKind, type EntityRef, parseRef } from '../domain/ids.ts';

/** Makes the error for an argument that cannot be used. @param remedy what to pass instead */
export function badArgument(message: string, remedy: string): RelayError {
  return new RelayError('INVALID_ARGUMENT', message, { remedy });
}

/** An identifier as given, and what it names. */
export interface GivenRef extends EntityRef {
  input: string;
}

export interface GivenPlaylist extends GivenRef {
  /** True if `input` is a name. `withIds` then puts the ID of the playlist in place of it before the handler sees it. */
  isName?: true;
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
export const ItemRef = ref(['track', 'episode']);
export const ArtistRefArgument = ref(['artist']);
export const AlbumRefArgument = ref(['album']);
/** An ID, URI or link of a playlist; any other text is the name of one. */
export const PlaylistRef = parsedText((text): GivenPlaylist => {
  const input = text.trim();
  try {
    return { ...parseRef(input, ['playlist']), input };
  } catch (error) {
    if (ADDRESS.test(input) || /^https?:|\.\w+\//i.test(input)) throw error;
    return { kind: 'playlist', id: '', uri: '', input, isName: true };
  }
});

export const Query = z
  .string()
  .trim()
  .min(1)
  .max(250)
  .describe('Words, and filters such as artist:"…" album:"…" track:"…" year:1990-1999 isrc:… genre:…');

export function limit(standard: number, max = 50) {
  return z.int().min(1).max(max).default(standard).describe(`1 to ${max}`);
}

export const Offset = z.int().min(0).max(100_000).default(0).describe('next_offset of the previous page');

/** `next_offset` in the result of a list that has no pages, but may be too long for one answer. `fit` sets it. */
export const NextOffset = z.number().optional().describe('Only if the list is too long for one answer');

/** Maximum entries of one call, as many as a playlist can hold. */
export const MAX_ENTRIES = 10_000;

export const playlistId = PlaylistRef.describe('Name, ID or link of a playlist');

export const DeviceId = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .optional()
  .describe('ID or name; else the active device');

/** True for what can only be the ID of a device: Spotify does not say how IDs look, but names this long have spaces. */
export function isDeviceId(text: string): boolean {
  return /^[0-9a-zA-Z_-]{20,}$/.test(text);
}

/** One line, since Spotify refuses line breaks here. */
export const Description = z
  .string()
  .max(300)
  .regex(/^[^\r\n]*$/, 'must be one line')
  .describe('One line, at most 300 characters');

export const PlaylistName = z.string().trim().min(1).max(100).describe('1 to 100 characters');
