/**
 * The frame of every page: one stylesheet, one script and one icon, all our own, and the notice that relay is unofficial.
 * Nothing else is loaded, except covers on the owner's page.
 */

import { visibleText } from '../../base/visibleText.ts';
import { programFor } from '../../domain/remedy.ts';
import { end, type HttpContext } from '../http/context.ts';
import { type Asset, ICON, SCRIPT, STYLE } from './assets.ts';
import { type Html, html } from './html.ts';

/** @param images sources of images besides this server */
const openPolicy = (images: readonly string[]) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    `img-src ${["'self'", ...images].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
/**
 * Trusted types: the browser refuses HTML from strings, except in the one place that shows the cards of the owner's page.
 * @param types the names of the places; `'none'` for no place
 */
const scriptPolicy = (types: string) =>
  `; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types ${types}`;
const FORM_POLICY = "; form-action 'self'";

const MARK = html`<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="5.5" cy="12" r="3.4"/><circle cx="18.5" cy="12" r="3.4"/><path d="M9.4 12h5.2M12 4.5v2M12 17.5v2"/></svg>`;

export interface Page {
  title: string;
  body: Html;
  /** For the owner's page: wide, with its own heading. */
  isWide?: boolean;
  /**
   * True if the answer to the page's form leads the browser elsewhere. Chromium applies `form-action` to that redirect and
   * those after it too, so the policy of this page must not have that directive.
   */
  formLeaves?: boolean;
  /** Sources of images besides this server, for the content policy. */
  images?: readonly string[];
  /** True if the page uses our script. */
  hasScript?: boolean;
  /** True for the owner's page, whose script shows what the server has drawn. */
  hasCards?: boolean;
  /**
   * True if the page always opens at its top. With `#approve` in the address, a client could otherwise lead the browser past
   * what must be read first.
   */
  opensAtTop?: boolean;
}

export function sendPage(
  context: HttpContext,
  status: number,
  page: Page,
  headers: Record<string, string> = {},
): void {
  const policy = `${openPolicy(page.images ?? [])}${page.hasScript ? scriptPolicy(page.hasCards ? 'relay' : "'none'") : ''}${page.formLeaves ? '' : FORM_POLICY}`;
  const all = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    ...(page.opensAtTop ? { 'document-policy': 'force-load-at-top' } : {}),
    ...headers,
  };
  end(context, status, all, documentOf(page, context).safe);
}

/** Commands on the demo's pages are for the demo: without `--demo`, they would act on the person's own relay. */
function forDemo({ safe }: Html): Html {
  return { safe: safe.replaceAll('<code>relay ', `<code>${programFor({ demo: true })} `) };
}

function documentOf(page: Page, { site: { startId, demo } }: HttpContext): Html {
  const title = visibleText(page.title);
  const addressOf = ({ path }: Asset) => `${path}?${startId}`;
  const script = html`
<script src="${addressOf(SCRIPT)}" integrity="${SCRIPT.integrity}" defer></script>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · relay</title>
<link rel="icon" type="image/svg+xml" href="${addressOf(ICON)}">
<link rel="stylesheet" href="${addressOf(STYLE)}" integrity="${STYLE.integrity}">${page.hasScript ? script : []}
</head>
<body${page.isWide ? html` class="wide"` : []}>
<header class="brand">${MARK}relay${demo ? html`<span class="pill">Demo: nothing here is real</span>` : []}</header>
<main>${page.isWide ? [] : html`<h1>${title}</h1>`}${demo ? forDemo(page.body) : page.body}</main>
<footer>relay is an unofficial community project and is not affiliated with Spotify.</footer>
</body>
</html>
`;
}
