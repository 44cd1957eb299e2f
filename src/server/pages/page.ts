/** The frame of every page: no script, no outside resource, light and dark, and the notice that this is unofficial. */
import { createHash } from 'node:crypto';
import { type Exchange, end } from '../exchange.ts';

const STYLE = `
:root{color-scheme:light dark;--bg:#f6f6f4;--card:#fff;--ink:#1b1c1a;--soft:#5a5d57;--line:#dcddd8;--good:#12703c;--bad:#a3271f;--accent:#12703c}
@media (prefers-color-scheme:dark){:root{--bg:#131412;--card:#1d1f1c;--ink:#eceee9;--soft:#a5a9a0;--line:#343732;--good:#63d393;--bad:#ff8a80;--accent:#63d393}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;justify-content:center;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;padding:24px}
main{width:100%;max-width:34rem;background:var(--card);border:1px solid var(--line);border-radius:14px;padding:28px 28px 24px}
h1{font-size:1.35rem;line-height:1.3;margin:0 0 12px}
p{margin:0 0 12px}
.good{color:var(--good)}.bad{color:var(--bad)}
.demo{display:inline-block;border:1px solid var(--line);border-radius:99px;padding:1px 10px;font-size:.8rem;color:var(--soft);margin-bottom:12px}
code{font:0.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--bg);border:1px solid var(--line);border-radius:6px;padding:1px 6px;overflow-wrap:anywhere}
a{color:var(--accent)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:6px 16px;margin:16px 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
footer{max-width:34rem;margin-top:16px;font-size:.8rem;color:var(--soft);text-align:center}
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export interface Page {
  title: string;
  /** HTML of the body; values in it are escaped by `html`. */
  body: Html;
  demo: boolean;
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

export function escapeHtml(text: string): string {
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
  exchange: Exchange,
  status: number,
  page: Page,
  headers: Record<string, string> = {},
): void {
  const mark = page.demo ? '<div class="demo">Demo: nothing here is real</div>' : '';
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · relay</title>
<style>${STYLE}</style>
</head>
<body>
<main>${mark}<h1>${escapeHtml(page.title)}</h1>${page.body.safe}</main>
<footer>relay is an unofficial community project and is not affiliated with Spotify.</footer>
</body>
</html>
`;
  const all = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY, ...headers };
  end(exchange, status, all, text);
}
