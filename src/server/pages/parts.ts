/**
 * What the cards of the owner's page are made of. Text from outside is cleaned here and escaped by the template. What a person
 * presses says in `data-` attributes which call it makes; `browser/owner.ts` makes it.
 */
import { capital } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import type { PagePlace } from '../owner/pageState.ts';
import { type Html, html, type Value } from './html.ts';

export function card(id: string, title: string, ...parts: Value[]): Html {
  return html`<section class="card" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title" tabindex="-1">${title}</h2>
${parts}</section>`;
}

/** A name from outside: cleaned, cut, and isolated so that its direction does not affect the text around it. */
export function name(text: string, max = 120): Html {
  return html`<bdi>${visibleText(text, max)}</bdi>`;
}

/** A time. The script writes it in the words and the time zone of the browser: `ago` also says how long until then. */
export function when(iso: string, as: 'ago' | 'date' | 'time' = 'ago'): Html {
  return html`<time datetime="${iso}" data-as="${as}">${iso}</time>`;
}

export function number(value: number): string {
  return value.toLocaleString('en');
}

/** An amount with its noun, in the one form of the page: `1,204 songs`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

export function songs(value: number): string {
  return count(value, 'song');
}

/** A duration as minutes and seconds: `3:07`. */
export function minutes(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

interface ButtonOptions {
  /** What the button is about, for screen readers. */
  about?: string;
  /** Label of the second button, which confirms. Without it, there is no second button. */
  sure?: string | undefined;
  kind?: 'primary' | 'danger' | 'quiet' | 'candidate';
  /** The key that does the same while the choice is on display. */
  key?: string;
}

/** A button that makes a call, and never twice at the same time. @param given what the call gets */
export function button(text: Value, call: string, given: object = {}, options: ButtonOptions = {}): Html {
  const { about, sure, kind = 'quiet', key } = options;
  const label = (of: Value) =>
    about !== undefined && typeof of === 'string' && html` aria-label="${of}: ${visibleText(about, 120)}"`;
  if (sure !== undefined) {
    const confirm = button(sure, call, given, { ...options, sure: undefined, kind: 'danger' });
    return html`<details class="sure"><summary class="${kind}"${label(text)}>${text}</summary>${confirm}</details>`;
  }
  const keys = key !== undefined && html` data-key="${key}" aria-keyshortcuts="${key}"`;
  const hint = key !== undefined && kind !== 'candidate' && html` <kbd>${capital(key)}</kbd>`;
  return html`<button type="button" class="${kind}" data-call="${call}" data-given="${JSON.stringify(given)}"${label(text)}${keys}>${text}${hint}</button>`;
}

/** A call that the page makes by itself, once. */
export function auto(call: string, given: object): Html {
  return html`<i hidden data-auto="${call}" data-given="${JSON.stringify(given)}"></i>`;
}

export function options(choices: ReadonlyArray<readonly string[]>, chosen?: string): Html[] {
  return choices.map(
    ([value = '', text = '']) =>
      html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  );
}

/** Buttons and the like, side by side; nothing without any. */
export function row(...parts: Value[]): Html {
  const { safe } = html`${parts}`;
  return safe === '' ? html`` : html`<div class="row">${{ safe }}</div>`;
}

/** Actions that are rarely wanted. */
export function menu(about: string, ...parts: Value[]): Html {
  return html`<details class="menu" name="menu"><summary aria-label="More: ${visibleText(about, 120)}">More</summary><div>${parts}</div></details>`;
}

export function soft(...parts: Value[]): Html {
  return html`<p class="soft">${parts}</p>`;
}

/** A list with a line between its rows. @param none text for an empty list */
export function list(rows: readonly Value[], none?: string): Html {
  if (rows.length === 0) return none === undefined ? html`` : soft(none);
  return html`<ul class="list">${rows}</ul>`;
}

/** A row of a list: what it is about on the left, and what can be done on the right. */
export function entry(id: string, about: Value, action: Value, below: Value = null): Html {
  return html`<li id="${id}"><div class="line"><div class="grow">${about}</div>${action}</div>${below}</li>`;
}

/** The first rows of a long list, and a button that shows more of them. @param list what `view/more` calls the list */
export function shortened(rows: readonly Html[], left: number, list: string, about: string): Html[] {
  return left > 0 ? [...rows, html`<li>${more(list, about, left)}</li>`] : [...rows];
}

/** A button that shows more rows of a list. @param left number of rows that are not shown; null if that is not known */
export function more(list: string, about: string, left: number | null): Html {
  const text = left === null ? 'Show older' : `Show more (${number(left)})`;
  return button(text, 'view/more', { list }, { about });
}

/** Link to a page at Spotify, or anywhere else. */
export function link(url: string, text: Value, about?: string): Html {
  const label =
    about !== undefined &&
    html` aria-label="${typeof text === 'string' ? text : 'Open'}: ${visibleText(about, 120)}"`;
  return html`<a href="${url}" target="_blank" rel="noreferrer"${label}>${text}</a>`;
}

/** The name of a playlist, as a link to Spotify if there is one. */
export function placeName(text: string, { url }: PagePlace): Html {
  return url === null ? name(text) : link(url, name(text));
}

/** The cover of the playlist, or a musical note in its place. Decorative: the text beside it says the same. */
export function coverPart({ cover }: PagePlace): Html {
  const note = html`<svg viewBox="0 0 24 24"><path d="M9 18V6l10-2v12M9 18a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0ZM19 16a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Z"/></svg>`;
  const image = html`<img src="${cover ?? ''}" alt="" width="40" height="40" loading="lazy" referrerpolicy="no-referrer">`;
  return html`<span class="cover" aria-hidden="true">${cover === null ? note : image}</span>`;
}

/** A text of relay's with commands between backquotes, which become code, with times, and with the quotes of the page. */
export function told(text: string, max = 600): Value[] {
  return visibleText(text, max)
    .replace(/"([^"]*)"/g, '“$1”')
    .split(/(`relay .+?`|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/)
    .map((part, index) => {
      if (index % 2 === 0) return part;
      return part.startsWith('`') ? html`<code>${part.slice(1, -1)}</code>` : when(part, 'time');
    });
}

function copyButton(text: string, what: string): Html {
  return html`<button type="button" class="quiet copy" data-copy="${text}" aria-label="Copy the ${what}">Copy</button>`;
}

/** A line of code with a button that copies it. */
export function command(text: string, what = `command ${text}`): Html {
  return html`<span class="command"><code>${text}</code>${copyButton(text, what)}</span>`;
}

/** A block of code with a button that copies it. */
export function block(text: string, what: string): Html {
  return html`<div class="block">${copyButton(text, what)}<pre>${text}</pre></div>`;
}

/** @param value null for work whose end is not known */
export function progress(value: number | null, max: number, label: string): Html {
  const part = value !== null && html` max="${Math.max(1, max)}" value="${value}"`;
  return html`<progress${part} aria-label="${label}"></progress>`;
}

/** The first names of a list, and how many there are besides. @param all number of all of them */
export function names(some: readonly string[], all: number): Value[] {
  const left = all - some.length;
  const parts = some.flatMap((one, index) => [index === 0 ? '' : ', ', name(one, 80)]);
  return left > 0 ? [...parts, ` and ${number(left)} more`] : parts;
}
