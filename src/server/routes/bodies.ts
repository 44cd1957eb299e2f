/** Helpers for request bodies that several routes use. */
import * as z from 'zod';
import { HttpError } from '../http/toHttp.ts';

/** Parses a body. @throws HttpError `BAD_REQUEST` */
export function parsed<T extends z.ZodType>(shape: T, value: unknown): z.output<T> {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  throw new HttpError('BAD_REQUEST', {
    message: 'The request does not have the fields that this path expects.',
  });
}

/** The target of an import. Command line and page both send the playlist's bare ID. */
export function importTarget() {
  return z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('playlist'), playlistId: z.string().min(1).max(100), replace: z.boolean() }),
    z.object({ kind: z.literal('new'), name: z.string().trim().min(1).max(100) }),
    z.object({ kind: z.literal('saved') }),
  ]);
}
