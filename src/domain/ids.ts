/**
 * Reads Spotify's identifiers in all their forms: bare ID, URI and web links. Pure: short links are refused with a remedy, since
 * only a request could resolve them.
 */
import { percentDecoded } from '../base/parsing.ts';
import { RelayError } from './errors.ts';

/** All kinds. Where a caller accepts all of them, a bare ID counts as the first of this list. */
export const ENTITY_KINDS = [
  'track',
  'episode',
  'artist',
  'album',
  'playlist',
  'show',
  'audiobook',
  'user',
] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

export interface EntityRef {
  kind: EntityKind;
  id: string;
  uri: string;
}

/** Matches an ID alone, which may also be the name of a playlist. */
export const BARE_ID = /^[0-9A-Za-z]{22}$/;
/** Matches the start of a link or a URI. */
export const ADDRESS = /^(?:spotify:|https?:|(?:open|play)\.spotify\.com\/)/i;
const WEB_HOSTS = /^(?:https?:\/\/)?(?:open|play)\.spotify\.com\//i;
const LIKED_SONGS =
  /^(?:spotify:(?:user:[^:]+:)?|(?:https?:\/\/)?(?:open|play)\.spotify\.com\/(?:intl-[a-z-]+\/)?)collection(?:[:/]tracks)?\/?(?:[?#].*)?$/i;
const SHORT_LINK = /^(?:https?:\/\/)?(?:(?:www\.)?spotify\.(?:link|app\.link)\/|open\.spotify\.com\/s\/)/i;

/** True if the text has the form of every client ID that Spotify gives out today. */
export function looksLikeClientId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** True for a link or URI of Spotify, or a short link, with nothing else around it. */
export function isSpotifyAddress(text: string): boolean {
  const starts = text.startsWith('spotify:') || WEB_HOSTS.test(text) || SHORT_LINK.test(text);
  return starts && !/\s/.test(text);
}

/** True for Liked Songs as Spotify's apps give them: a URI, or the link that people copy. */
export function isLikedSongs(text: string): boolean {
  return LIKED_SONGS.test(text.trim());
}

/**
 * Reads an identifier that has to name one of `wanted`. A bare 22-character ID does not say what it names, so it counts as
 * `wanted[0]`.
 * @param options `bareId`: false to refuse a bare ID
 * @throws RelayError `INVALID_ARGUMENT` for another kind, a short link, a local file or anything unreadable.
 */
export function parseRef(
  text: string,
  wanted: readonly [EntityKind, ...EntityKind[]],
  { bareId = true }: { bareId?: boolean } = {},
): EntityRef {
  const value = text.trim();
  if (BARE_ID.test(value)) {
    if (!bareId) throw bare(wanted);
    return refOf(wanted[0], value);
  }
  if (SHORT_LINK.test(value)) throw shortLink(value);
  const ref = value.startsWith('spotify:') ? fromUri(value) : fromUrl(value);
  if (!ref && wanted.length === 1 && wanted[0] === 'playlist' && isLikedSongs(value)) throw likedSongs();
  if (!ref) throw unreadable(value, wanted, bareId);
  if (!wanted.includes(ref.kind)) {
    throw new RelayError(
      'INVALID_ARGUMENT',
      `"${shown(value)}" is ${named(ref.kind)}, not ${listed(wanted)}.`,
      {
        remedy: `Give the ${bareId ? 'ID, URI' : 'URI'} or link of ${listed(wanted)}.`,
      },
    );
  }
  return ref;
}

/** Makes the reference to an ID of a known kind. */
function refOf(kind: EntityKind, id: string): EntityRef {
  return { kind, id, uri: `spotify:${kind}:${id}` };
}

function fromUri(value: string): EntityRef | null {
  const parts = value.split(':').slice(1);
  if (parts[0] === 'local') {
    throw new RelayError('INVALID_ARGUMENT', `"${shown(value)}" is a local file.`, {
      remedy: 'Local files exist on one device only and cannot be used here; give a track from the catalog.',
    });
  }
  // spotify:user:NAME:playlist:ID is the form of old clients.
  if (parts[0] === 'user' && parts.length === 4) return fromPath(parts.slice(2));
  return parts.length === 2 ? fromPath(parts) : null;
}

function fromUrl(value: string): EntityRef | null {
  if (!WEB_HOSTS.test(value)) return null;
  const path = value.replace(WEB_HOSTS, '').replace(/[?#].*$/s, '');
  const parts = path.split('/').filter((part) => part !== '');
  if (/^intl-[a-z]{2,5}(?:-[a-z]{2,4})?$/i.test(parts[0] ?? '')) parts.shift();
  if (parts[0] === 'embed' || parts[0] === 'embed-podcast') parts.shift();
  if (parts[0] === 'user' && parts.length >= 4) parts.splice(0, 2);
  // A part of a page has its own address, such as /artist/ID/discography/all.
  return fromPath(parts.slice(0, 2));
}

function fromPath(parts: string[]): EntityRef | null {
  const [kind, id] = parts;
  if (parts.length !== 2 || !id || !ENTITY_KINDS.includes(kind as EntityKind)) return null;
  if (kind === 'user') return refOf('user', percentDecoded(id));
  return BARE_ID.test(id) ? refOf(kind as EntityKind, id) : null;
}

function shortLink(value: string): RelayError {
  return new RelayError(
    'INVALID_ARGUMENT',
    `"${shown(value)}" is a short link, which hides what it points to.`,
    {
      remedy: 'Open it in a browser and give the open.spotify.com address that it ends on.',
    },
  );
}

function likedSongs(): RelayError {
  return new RelayError('INVALID_ARGUMENT', 'This names Liked Songs, which are not a playlist.', {
    remedy:
      'Read them with {get_saved_tracks|relay export --saved}; add to them with {save_tracks|relay import FILE --saved}.',
  });
}

function bare(wanted: readonly EntityKind[]): RelayError {
  return new RelayError('INVALID_ARGUMENT', 'A bare ID does not say what kind of item it is.', {
    remedy: `Pass the URI, such as spotify:${wanted[0]}:…, or the link.`,
  });
}

function unreadable(value: string, wanted: readonly EntityKind[], bareId: boolean): RelayError {
  return new RelayError('INVALID_ARGUMENT', `"${shown(value)}" is not ${listed(wanted)}.`, {
    remedy: `Give ${bareId ? 'a 22-character ID, ' : ''}a URI such as spotify:${wanted[0]}:… or an open.spotify.com link.`,
  });
}

function shown(value: string): string {
  return value.length > 80 ? `${value.slice(0, 79)}…` : value;
}

function named(kind: EntityKind): string {
  return /^[aeiou]/.test(kind) && kind !== 'user' ? `an ${kind}` : `a ${kind}`;
}

function listed(kinds: readonly EntityKind[]): string {
  const [last = '', ...others] = kinds.map(named).reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`;
}

/** True for the URI of a podcast episode. */
export function isEpisodeUri(uri: string): boolean {
  return uri.startsWith('spotify:episode:');
}
