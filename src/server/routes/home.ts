/** `/`, the owner's page, and `/assets/…`: the stylesheet, the script and the icon of the pages. */

import type { Core } from '../core.ts';
import { end, type HttpContext } from '../http/context.ts';
import type { Route } from '../http/router.ts';
import { coverSources } from '../owner/pageState.ts';
import { ASSETS, type Asset, ICON, sendPage } from '../pages/page.ts';
import { ownerPage } from '../pages/wholePages.ts';

/** A year: the address changes with the content. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

export function assetRoutes(): Route[] {
  const send = (context: HttpContext, { type, text }: Asset, headers: Record<string, string>) =>
    end(context, 200, { 'content-type': type, ...headers }, text);
  return [
    ...ASSETS.map(
      (asset): Route => ({
        method: 'GET',
        path: asset.path,
        handle(context) {
          // Only addresses that this server gave out since its start may be cached.
          const isOurs = context.query.has(context.site.startId);
          send(context, asset, isOurs ? { 'cache-control': FOR_GOOD } : {});
        },
      }),
    ),
    // Browsers request this path also for answers that are not pages.
    { method: 'GET', path: '/favicon.ico', handle: (context) => send(context, ICON, {}) },
  ];
}

export function homeRoutes(core: Core): Route[] {
  const handle = (context: HttpContext) =>
    sendPage(context, 200, ownerPage(coverSources(core.settings), core.settings.demo));
  return [{ method: 'GET', path: '/', handle }];
}
