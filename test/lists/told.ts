/** Lists as lines of text: what was read, and what was not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelayError } from '../../src/domain/errors.ts';
import type { ListReading } from '../../src/domain/listImport.ts';
import type { ListEntry } from '../../src/music/lists/list.ts';
import { readList } from '../../src/music/lists/readList.ts';

export const TRACK = `spotify:track:${'a'.repeat(22)}`;

export const OTHER_TRACK = `spotify:track:${'b'.repeat(22)}`;

export const EPISODE = `spotify:episode:${'e'.repeat(22)}`;

export const ISRC = 'ZZABC1200001';

/**
 * `3 Artist / Title` for an entry, followed by what else it has: `(Album) 1999 ISRC URI`, `in Playlist`. `4: why` for a line
 * that is not a song. Lines come in their order in the file.
 */
export function told(bytes: Uint8Array | string, options: ListReading = {}): string[] {
  const { entries, notSongs } = readList(bytesOf(bytes), options);
  const lines = [
    ...entries.map((entry) => ({ line: entry.line, text: entryText(entry) })),
    ...notSongs.map(({ line, why }) => ({ line, text: `${line}: ${why}` })),
  ];
  return lines.sort((a, b) => a.line - b.line).map(({ text }) => text);
}

function entryText({ line, artist, title, album, year, isrc, uri, list }: ListEntry): string {
  const parts = [
    `${line} ${artist} / ${title}`,
    album && `(${album})`,
    year,
    isrc,
    uri,
    list !== undefined && `in ${list}`,
  ];
  return parts.filter(Boolean).join(' ');
}

/** One test for each case: a file, and what `told` returns for it, as lines of one string or as a list. */
export function testLists(
  cases: Readonly<Record<string, readonly [file: string, told: string | string[], options?: ListReading]>>,
): void {
  for (const [name, [file, expected, options]] of Object.entries(cases)) {
    test(name, () =>
      assert.deepEqual(told(file, options), typeof expected === 'string' ? expected.split('\n') : expected),
    );
  }
}

/** One test for each file that is refused, and the message. */
export function testRefusals(
  title: (what: string) => string,
  cases: Readonly<Record<string, readonly [file: Uint8Array | string, message: string]>>,
): void {
  for (const [what, [file, message]] of Object.entries(cases)) {
    test(title(what), () => assert.equal(refusal(file), message));
  }
}

/** The message of the refusal, followed by `line 3` if the error names a line. */
export function refusal(bytes: Uint8Array | string, options: ListReading = {}): string {
  try {
    readList(bytesOf(bytes), options);
  } catch (error) {
    assert(error instanceof RelayError, String(error));
    assert.equal(error.code, 'INVALID_ARGUMENT');
    const line = error.details?.line;
    return [error.message, ...(line === undefined ? [] : [`line ${line}`])].join(' | ');
  }
  throw new Error('It was read.');
}

export function bytesOf(text: Uint8Array | string): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text) : text;
}
