/**
 * Limits how many entries a directory has, so that it is easy to scan. Also limits how many files may have the same name.
 */
import { basename, dirname, join } from 'node:path';
import { pathsInSrc } from './files.ts';

const MAX_ENTRIES = 26;
const MAX_SAME_NAME = 3;

/** Returns one message per directory with too many entries, and per file name that is used too often. */
export function crowdedPlaces(): string[] {
  const paths = pathsInSrc();
  const crowded = Object.entries(groupBy(withDirectories(paths), dirname))
    .filter(([, entries]) => entries.length > MAX_ENTRIES)
    .map(
      ([directory, { length }]) =>
        `${join('src', directory)} has ${length} entries. A directory may have at most ${MAX_ENTRIES}.`,
    );
  const repeated = Object.entries(groupBy(paths.filter(isCounted), (path) => basename(path)))
    .filter(([, files]) => files.length > MAX_SAME_NAME)
    .map(([, files]) => `${files.join(', ')}: at most ${MAX_SAME_NAME} files may have the same name`);
  return [...crowded, ...repeated];
}

/** Returns the files and every directory above them. */
function withDirectories(paths: readonly string[]): string[] {
  const above = (path: string): string[] => (path === '.' ? [] : [path, ...above(dirname(path))]);
  return [...new Set(paths.flatMap(above))];
}

/**
 * True if the file counts for the limit on equal names. Only TypeScript files count, and not those of the simulated Spotify,
 * which repeat the names of the resources.
 */
function isCounted(path: string): boolean {
  return path.endsWith('.ts') && !path.startsWith('demo/');
}

function groupBy(paths: readonly string[], keyOf: (path: string) => string): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const path of paths) {
    const key = keyOf(path);
    groups[key] = [...(groups[key] ?? []), path];
  }
  return groups;
}
