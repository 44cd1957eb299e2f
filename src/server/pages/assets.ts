/**
 * The files of the pages. Each address has the hash of the file's content, so browsers may keep the file for good. Pages add a
 * random query, which is new at each start of the server. A browser may have kept what another program served on this port, but
 * that program could not know the query. Pages also name the file's hash in `integrity`, so that the browser accepts no other
 * content.
 */
import { hashOf } from '../../base/digest.ts';
import { PAGE_ICON, PAGE_SCRIPT, PAGE_STYLE } from '../../generated/pageAssets.ts';

export interface Asset {
  path: string;
  type: string;
  text: string;
  /** Hash of the file, for the `integrity` attribute. */
  integrity: string;
}

function asset(name: string, extension: string, type: string, text: string): Asset {
  const path = `/assets/${name}-${hashOf(text, 'hex').slice(0, 12)}.${extension}`;
  return { path, type: `${type}; charset=utf-8`, text, integrity: `sha256-${hashOf(text, 'base64')}` };
}

export const STYLE = asset('relay', 'css', 'text/css', PAGE_STYLE);
export const SCRIPT = asset('relay', 'js', 'text/javascript', PAGE_SCRIPT);
export const ICON = asset('icon', 'svg', 'image/svg+xml', PAGE_ICON);

export const ASSETS: readonly Asset[] = [STYLE, SCRIPT, ICON];

/** Name of the build, which is in the state that a page polls: a page of another build reloads itself. */
export const BUILD = hashOf(ASSETS.map(({ path }) => path).join(), 'hex').slice(0, 12);
