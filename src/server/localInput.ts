/**
 * Checks the input of the owner's calls. A person typed its texts, so an error about the length of a text is a plain sentence.
 */
import type * as z from 'zod';
import { RelayError } from '../domain/errors.ts';
import { parsed } from './routes/bodies.ts';

/** Plain names for fields whose own names say too little. */
const WORDS: Readonly<Record<string, string>> = {
  change: 'ID of the change',
  client: 'name of the client',
  fileName: 'name of the file',
  id: 'ID',
  path: 'path of the file',
  playlist: 'name or ID of the playlist',
  playlistId: 'ID of the playlist',
  sql: 'query',
};

/** @throws RelayError `USAGE` for a text that is empty or too long, HttpError `BAD_REQUEST` for any other mistake */
export function localInput<T extends z.ZodType>(shape: T, given: unknown): z.output<T> {
  const result = shape.safeParse(given);
  if (result.success) return result.data;
  throwForLength(result.error.issues);
  return parsed(shape, given);
}

function throwForLength(issues: readonly z.core.$ZodIssue[]): void {
  for (const issue of issues) {
    const field = String(issue.path.at(-1));
    const what = WORDS[field] ?? field;
    if (issue.code === 'too_small' && issue.origin === 'string')
      throw new RelayError('USAGE', `The ${what} is empty.`);
    if (issue.code === 'too_big' && issue.origin === 'string') {
      throw new RelayError('USAGE', `The ${what} has more than ${issue.maximum} characters.`);
    }
  }
}
