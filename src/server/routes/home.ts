/** `GET /`: the owner's page. What is sent holds nothing private; its script proves the owner and asks for the rest. */
import type { Core } from '../core.ts';
import type { Route } from '../http/router.ts';
import { ownerPage } from '../pages/homePages.ts';
import { sendPage } from '../pages/page.ts';

export function homeRoutes(core: Core): Route[] {
  const page = ownerPage(core.settings.demo);
  return [{ method: 'GET', path: '/', handle: (context) => sendPage(context, 200, page) }];
}
