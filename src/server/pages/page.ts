/**
 * The frame of every page: no script but the one file of our own, no outside resource, light and dark, and the notice that
 * this is unofficial.
 */
import { hashOf } from '../../base/digest.ts';
import { visibleText } from '../../base/visibleText.ts';
import { PAGE_SCRIPT } from '../../generated/pageScript.ts';
import { end, type HttpContext } from '../http/context.ts';

/**
 * Each page asks for it under a query of its own: what another program served while it held this port, browsers may keep
 * for a year, but under no address that it could not know.
 */
export const SCRIPT_PATH = '/assets/owner.js';
const SCRIPT_INTEGRITY = `sha256-${hashOf(PAGE_SCRIPT, 'base64')}`;

const STYLE = `
:root{color-scheme:light dark;--bg:#f6f6f4;--card:#fff;--ink:#1b1c1a;--soft:#5a5d57;--line:#dcddd8;--good:#12703c;--bad:#a3271f;--warn:#7a4b00;--warn-bg:#fdf3dc;--warn-line:#e9cf93;--accent:#12703c;--on-accent:#fff;--accent-hover:#0d5a30}
@media (prefers-color-scheme:dark){:root{--bg:#131412;--card:#1d1f1c;--ink:#eceee9;--soft:#a5a9a0;--line:#343732;--good:#63d393;--bad:#ff8a80;--warn:#f4c976;--warn-bg:#2b2415;--warn-line:#5a4a22;--accent:#63d393;--on-accent:#0c1f14;--accent-hover:#86e0ac}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;justify-content:center;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;padding:24px}
main{width:100%;max-width:34rem;background:var(--card);border:1px solid var(--line);border-radius:14px;padding:28px 28px 24px}
.brand{display:flex;align-items:center;gap:9px;width:100%;max-width:34rem;margin-bottom:14px;padding:0 4px;font-weight:650;letter-spacing:.01em}
.brand svg{width:26px;height:26px;fill:none;stroke:var(--accent);stroke-width:2.2;stroke-linecap:round}
h1{font-size:1.4rem;line-height:1.3;margin:0 0 12px;text-wrap:balance;overflow-wrap:anywhere}
h2{font-size:1rem;margin:16px 0 6px}
p{margin:0 0 12px}
.soft{color:var(--soft);font-size:.9rem}
.good{color:var(--good)}.bad{color:var(--bad)}
.demo{display:inline-block;border:1px solid var(--line);border-radius:99px;padding:1px 10px;font-size:.8rem;color:var(--soft);margin-bottom:12px}
code{font:0.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--bg);border:1px solid var(--line);border-radius:6px;padding:1px 6px;overflow-wrap:anywhere}
a{color:var(--accent)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:6px 16px;margin:16px 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.facts{display:block;margin:14px 0;border:1px solid var(--line);border-radius:10px;line-height:1.4}
.facts div{display:grid;grid-template-columns:6.4rem 1fr;gap:2px 12px;padding:8px 14px}
.facts dd{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 8px}
.facts strong{min-width:0}
.facts div+div{border-top:1px solid var(--line)}
.facts small{color:var(--soft);font-size:.86rem;line-height:1.4}
.notice{background:var(--warn-bg);border:1px solid var(--warn-line);color:var(--warn);border-radius:10px;padding:11px 14px;overflow-wrap:anywhere}
.abilities{list-style:none;margin:0 0 12px;padding:0}
.abilities li{position:relative;padding:1px 0 1px 27px}
.abilities li::before{content:"";position:absolute;left:4px;top:.55em;width:11px;height:6px;border:solid var(--accent);border-width:0 0 2px 2px;transform:rotate(-45deg)}
.field{margin:14px 0 0}
.after{margin-top:18px;padding-top:2px;border-top:1px solid var(--line)}
label{display:block;font-weight:600;margin-bottom:6px}
input[name=owner_code]{width:100%;min-height:48px;padding:8px 14px;font:600 1.15rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.08em;color:var(--ink);background:var(--bg);border:1px solid var(--soft);border-radius:10px}
input[aria-invalid=true]{border-color:var(--bad)}
.field p{margin:8px 0 0}
.buttons{display:flex;gap:12px;margin-top:20px}
button{flex:1;min-height:48px;padding:10px 18px;font:inherit;font-weight:600;color:var(--ink);background:transparent;border:1px solid var(--soft);border-radius:10px;cursor:pointer}
button:hover{background:var(--bg)}
button:disabled{opacity:.55;cursor:default}
button.primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
button.primary:hover{background:var(--accent-hover);border-color:var(--accent-hover)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
@media (max-width:30rem){body{padding:16px;justify-content:flex-start}main{padding:22px 18px 18px}.buttons{flex-direction:column}}
/* Small screens and large zoom: the facts have to be in view when the page opens. */
@media (max-width:30rem),(max-height:40rem){body{padding:10px;justify-content:flex-start}main{padding:14px 16px}.brand{margin-bottom:6px}.brand svg{width:20px;height:20px}.demo{margin-bottom:6px}h1{font-size:1.1rem;line-height:1.25;margin-bottom:8px}.facts{margin:8px 0;font-size:.92rem}.facts div{grid-template-columns:4.6rem 1fr;padding:4px 10px}.facts small{font-size:.8rem}}
@media (forced-colors:active){button.primary{border-width:3px}}
footer{max-width:34rem;margin-top:16px;font-size:.8rem;color:var(--soft);text-align:center}
`;

const OPEN_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hashOf(STYLE, 'base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
const SCRIPT_POLICY = "; script-src 'self'; connect-src 'self'";
const FORM_POLICY = "; form-action 'self'";

const MARK =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="5.5" cy="12" r="3.4"/><circle cx="18.5" cy="12" r="3.4"/><path d="M9.4 12h5.2M12 4.5v2M12 17.5v2"/></svg>';

export interface Page {
  title: string;
  /** HTML of the body; values in it are escaped by `html`. */
  body: Html;
  demo: boolean;
  /**
   * The answer to the page's form leads the browser elsewhere. Chromium holds that redirect, and those after it, against
   * `form-action` too, so there it must not be limited.
   */
  formLeaves?: boolean;
  /** Whether the page uses our script. */
  hasScript?: boolean;
  /**
   * The page opens at its top, whatever the address says: with `#approve` a client would lead the browser past what is to be
   * read first.
   */
  opensAtTop?: boolean;
}

/** Text that is safe to put into HTML as it is. */
export interface Html {
  readonly safe: string;
}

/** A template whose values are escaped, unless they are `Html` themselves. */
export function html(parts: TemplateStringsArray, ...values: Array<string | Html | number>): Html {
  const filled = values.map((value) => (typeof value === 'object' ? value.safe : escapeHtml(String(value))));
  return { safe: parts.map((part, index) => part + (filled[index] ?? '')).join('') };
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

export function sendPage(
  context: HttpContext,
  status: number,
  page: Page,
  headers: Record<string, string> = {},
): void {
  const title = escapeHtml(visibleText(page.title));
  const mark = page.demo ? '<div class="demo">Demo: nothing here is real</div>' : '';
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · relay</title>
<style>${STYLE}</style>${page.hasScript ? `\n<script src="${SCRIPT_PATH}?${context.requestId}" integrity="${SCRIPT_INTEGRITY}" defer></script>` : ''}
</head>
<body>
<header class="brand">${MARK}relay</header>
<main>${mark}<h1>${title}</h1>${page.body.safe}</main>
<footer>relay is an unofficial community project and is not affiliated with Spotify.</footer>
</body>
</html>
`;
  const policy = `${OPEN_POLICY}${page.hasScript ? SCRIPT_POLICY : ''}${page.formLeaves ? '' : FORM_POLICY}`;
  const all = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    ...(page.opensAtTop ? { 'document-policy': 'force-load-at-top' } : {}),
    ...headers,
  };
  end(context, status, all, text);
}
