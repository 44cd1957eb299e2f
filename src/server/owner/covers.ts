/**
 * Cover images on the owner's page: the one thing that a page loads from elsewhere, from the provider's image hosts alone, and
 * only while the setting `covers` is on.
 */
import { inspectSettings, type Settings } from '../../config/settings.ts';
import { SPOTIFY_API } from '../../config/table.ts';

/** Where Spotify has its images: uploaded ones and albums, mosaics, its own playlists. */
const SPOTIFY = ['https://*.scdn.co', 'https://*.spotifycdn.com'];

/** The sources for the page's content policy; none while covers are off. */
export function coverSources(settings: Settings): string[] {
  if (!showsCovers(settings)) return [];
  const { providerApiUrl } = settings;
  return providerApiUrl === SPOTIFY_API ? SPOTIFY : [new URL(providerApiUrl).origin];
}

/** As it is now: the page can switch it while the server runs. */
export function showsCovers({ covers, origins, home }: Settings): boolean {
  if (origins.covers !== 'default' && origins.covers !== 'file') return covers;
  return inspectSettings({ env: {}, flags: { home } }).settings.covers;
}

/** The address, where the policy lets the page load it. */
export function allowedCover(sources: readonly string[], cover: string | null): string | null {
  if (cover === null || !URL.canParse(cover)) return null;
  const { origin, protocol, hostname } = new URL(cover);
  const isAllowed = sources.some((source) => {
    const suffix = source.startsWith('https://*.') ? source.slice('https://*'.length) : null;
    return suffix === null ? origin === source : protocol === 'https:' && hostname.endsWith(suffix);
  });
  return isAllowed ? cover : null;
}
