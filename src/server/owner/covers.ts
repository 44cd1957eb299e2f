/**
 * Cover images on the owner's page, the only thing that a page loads from elsewhere. They come only from the provider's image
 * hosts, and only while the setting `covers` is on.
 */
import type { Settings } from '../../config/settings.ts';
import { SPOTIFY_API } from '../../config/table.ts';
import { chosen } from './choices.ts';

/** Spotify's image hosts: for uploaded images and albums, mosaics, and its own playlists. */
const SPOTIFY = ['https://*.scdn.co', 'https://*.spotifycdn.com'];

/** The image sources for the page's content policy; none while covers are off. */
export function coverSources(settings: Settings): string[] {
  if (!showsCovers(settings)) return [];
  const { providerApiUrl } = settings;
  return providerApiUrl === SPOTIFY_API ? SPOTIFY : [new URL(providerApiUrl).origin];
}

/** True if covers are shown now: as the owner chose on the page, or as the settings had it at the start. */
export function showsCovers(settings: Settings): boolean {
  const choice = chosen(settings, 'covers');
  return choice === undefined ? settings.covers : choice === 'true';
}

/** True if the choice on the page decides about covers; false if the environment sets `covers`, which overrides that choice. */
export function followsPage({ origins }: Settings): boolean {
  return origins.covers === 'default' || origins.covers === 'file';
}

/** The address of a cover if the policy lets the page load it; otherwise null. */
export function allowedCover(sources: readonly string[], cover: string | null): string | null {
  if (cover === null || !URL.canParse(cover)) return null;
  const { origin, protocol, hostname } = new URL(cover);
  const isAllowed = sources.some((source) => {
    const suffix = source.startsWith('https://*.') ? source.slice('https://*'.length) : null;
    return suffix === null ? origin === source : protocol === 'https:' && hostname.endsWith(suffix);
  });
  return isAllowed ? cover : null;
}
