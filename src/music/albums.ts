/** How an album fits the requested one, and what its name says about the recordings on it. */
import { compact, normaliseName, sameName, withoutThe, withPlainNumbers } from './normalise.ts';
import { parseTitle } from './title.ts';
import type { Version } from './vocabulary.ts';

/** `edition`: the same album as a deluxe, remastered or other edition. */
export type AlbumFit = 'same' | 'edition' | 'other';

/** How the album `name` fits the requested one. A live or other version of an album is another album. */
export function albumFit(asked: string, name: string | null): AlbumFit {
  if (name === null) return 'other';
  if (sameName(asked, name)) return 'same';
  const [a, b] = [parseTitle(asked), parseTitle(name)];
  const sameVersions = versionsKey(a.versions) === versionsKey(b.versions);
  return sameVersions && albumKey(a.base) !== '' && albumKey(a.base) === albumKey(b.base)
    ? 'edition'
    : 'other';
}

const LIVE_ALBUM = /^live (?:at|in|from|on)\b|\b(?:in concert|unplugged|live)$/u;

/** The versions that an album's name states for all of its songs, whose titles often do not repeat them. */
export function albumVersions(name: string | null): ReadonlySet<Version> {
  if (name === null) return new Set();
  const { base, versions } = parseTitle(name);
  return LIVE_ALBUM.test(base) ? new Set([...versions, 'live']) : versions;
}

/** A key for a set of versions, independent of their order. */
export function versionsKey(versions: ReadonlySet<Version>): string {
  return [...versions].sort().join(',');
}

function albumKey(base: string): string {
  return compact(withoutThe(withPlainNumbers(normaliseName(base))));
}
