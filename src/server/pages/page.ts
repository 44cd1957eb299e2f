/**
 * The frame of every page: one stylesheet, one script and one icon, all our own, and the notice that relay is unofficial.
 * Nothing else is loaded, except covers on the owner's page.
 */

import { hashOf } from '../../base/digest.ts';
import { visibleText } from '../../base/visibleText.ts';
import { programFor } from '../../domain/remedy.ts';
import { PAGE_ICON, PAGE_SCRIPT, PAGE_STYLE } from '../../generated/pageAssets.ts';
import { end, type HttpContext } from '../http/context.ts';
import { type Html, html } from './html.ts';

/**
 * The files of the pages. Each address has the hash of the file's content, so browsers may keep the file for good. Pages add a
 * random query, which is new at each start of the server. A browser may have kept what another program served on this port, but
 * that program could not know the query. Pages also name the file's hash in `integrity`, so that the browser accepts no other
 * content.
 */
function asset(name: string, extension: string, type: string, text: string) {
  const path = `/assets/${name}-${hashOf(text, 'hex').slice(0, 12)}.${extension}`;
  return { path, type: `${type}; charset=utf-8`, text, integrity: `sha256-${hashOf(text, 'base64')}` };
}

export type Asset = ReturnType<typeof asset>;

const STYLE = asset('relay', 'css', 'text/css', PAGE_STYLE);
/** @internal */
export const SCRIPT = asset('relay', 'js', 'text/javascript', PAGE_SCRIPT);
export const ICON = asset('icon', 'svg', 'image/svg+xml', PAGE_ICON);

export const ASSETS: readonly Asset[] = [STYLE, SCRIPT, ICON];

/**
 * Names the files of the owner's page and the sources of its covers. The name is in each answer: an open page with another name
 * loads itself again, since its script and its content policy are old.
 */
export function buildOf(images: readonly string[]): string {
  return hashOf([...ASSETS.map(({ path }) => path), ...images].join(), 'hex').slice(0, 12);
}

const openPolicy = (images: readonly string[]) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    `img-src ${["'self'", ...images].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
const FORM_POLICY = "; form-action 'self'";
const SCRIPT_POLICY =
  "; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types ";
const POLICIES = {
  plain: FORM_POLICY,
  // The browser refuses HTML from strings, except in the one place that shows the cards.
  owner: `${SCRIPT_POLICY}relay${FORM_POLICY}`,
  // The answer to its form leads the browser elsewhere, and Chromium applies `form-action` to that redirect and those after it too.
  approval: `${SCRIPT_POLICY}'none'`,
};

const MARK = html`<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="5.5" cy="12" r="3.4"/><circle cx="18.5" cy="12" r="3.4"/><path d="M9.4 12h5.2M12 4.5v2M12 17.5v2"/></svg>`;

export interface Page {
  title: string;
  body: Html;
  /** The owner's page is wide, with its own heading, and like the approval page it has our script. */
  kind?: keyof typeof POLICIES;
  images?: readonly string[];
}

export function sendPage(
  context: HttpContext,
  status: number,
  page: Page,
  headers: Record<string, string> = {},
): void {
  const { kind = 'plain', images = [] } = page;
  const all = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': openPolicy(images) + POLICIES[kind],
    // With `#approve` in the address, a client could otherwise lead the browser past what must be read first.
    ...(kind === 'approval' ? { 'document-policy': 'force-load-at-top' } : {}),
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
  const isWide = page.kind === 'owner';
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
<link rel="stylesheet" href="${addressOf(STYLE)}" integrity="${STYLE.integrity}">${page.kind !== undefined && script}
</head>
<body${isWide && html` class="wide"`}>
<header class="brand">${MARK}relay${demo && html`<span class="pill">Demo: nothing here is real</span>`}</header>
<main>${!isWide && html`<h1>${title}</h1>`}${demo ? forDemo(page.body) : page.body}</main>
<footer>relay is an unofficial community project and is not affiliated with Spotify.</footer>
</body>
</html>
`;
}
