/** Who led a browser to a page, by what the browser itself says (Fetch Metadata). Pure. */
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a person went here in the top window: an address typed or opened by a program, or a link on one of our own
 * pages. Another page cannot lie in these headers. A program sends none of them and is let through: it is no browser
 * that somebody could lead about.
 */
export function isPersonsNavigation(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined) return true;
  if (site !== 'none' && site !== 'same-origin') return false;
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = headers;
  return mode === 'navigate' && (dest === undefined || dest === 'document');
}
