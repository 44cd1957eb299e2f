/**
 * Cover images on the owner's page, the only thing that a page loads from elsewhere. They come only from the provider's image
 * hosts, and only while the setting `covers` is on.
 */
import { type Settings, storeSetting } from '../../config/settings.ts';
import { SPOTIFY_API } from '../../config/table.ts';
import { RelayError } from '../../domain/errors.ts';

/** Spotify's image hosts: for uploaded images and albums, mosaics, and its own playlists. */
const SPOTIFY = ['https://*.scdn.co', 'https://*.spotifycdn.com'];

/** What the owner has chosen on the page since the server started, which does not read `config.json` again. */
const chosen = new WeakMap<Settings, boolean>();

/** The image sources for the page's content policy; none while covers are off. */
export function coverSources(settings: Settings): string[] {
  if (!showsCovers(settings)) return [];
  const { providerApiUrl } = settings;
  return providerApiUrl === SPOTIFY_API ? SPOTIFY : [new URL(providerApiUrl).origin];
}

/** True if covers are shown now: as the owner chose on the page, or as the settings had it at the start. */
export function showsCovers(settings: Settings): boolean {
  return chosen.get(settings) ?? settings.covers;
}

/** Shows covers from now on, or hides them. @throws RelayError `SETTINGS_INVALID`, `HOME_UNUSABLE` */
export function chooseCovers(settings: Settings, show: boolean): void {
  if (settings.origins.covers !== 'default' && settings.origins.covers !== 'file') {
    throw new RelayError('SETTINGS_INVALID', 'The environment variable RELAY_COVERS decides this.', {
      remedy: 'To choose on this page, unset the variable and restart relay.',
    });
  }
  storeSetting({ env: {}, flags: { home: settings.home } }, 'covers', String(show));
  chosen.set(settings, show);
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
