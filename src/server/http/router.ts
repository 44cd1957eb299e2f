/** The route table, without duplicates. */
import type { HttpContext } from './context.ts';
import { HttpError } from './toHttp.ts';

export interface Route {
  method: 'GET' | 'POST' | 'DELETE' | 'OPTIONS';
  path: string;
  /** True for documents that browser-based clients read from another origin; all other routes refuse a foreign `Origin`. */
  anyOrigin?: boolean;
  handle(context: HttpContext): void | Promise<void>;
}

export function createRouter(routes: readonly Route[]) {
  const byPath = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const methods = byPath.get(route.path) ?? new Map<string, Route>();
    if (methods.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    byPath.set(route.path, methods.set(route.method, route));
  }
  return {
    allowsAnyOrigin: (path: string): boolean =>
      [...(byPath.get(path)?.values() ?? [])].some((route) => route.anyOrigin),
    /** @throws HttpError `ROUTE_NOT_FOUND`, or `METHOD_NOT_ALLOWED` with `Allow` */
    find(method: string, path: string): Route {
      const methods = byPath.get(path);
      if (!methods) throw new HttpError('ROUTE_NOT_FOUND');
      const route = methods.get(method === 'HEAD' ? 'GET' : method);
      if (route) return route;
      const allow = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : [])].sort().join(', ');
      throw new HttpError('METHOD_NOT_ALLOWED', { headers: { allow } });
    },
  };
}
