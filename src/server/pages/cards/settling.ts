/** Choosing the songs that were not found for sure: one entry at a time, with its candidates. A key chooses, as in the terminal. */
import { type ItemRecord, isPastSettling } from '../../../domain/job.ts';
import { inputWords, nearnessWords } from '../../../domain/settling.ts';
import type { Track } from '../../../domain/shapes.ts';
import { normaliseName } from '../../../music/names.ts';
import type { PageState } from '../../owner/pageState.ts';
import { CANDIDATES } from '../../owner/tab.ts';
import { type Html, html, type Value } from '../html.ts';
import { button, count, minutes, name, number, row, soft } from '../parts.ts';

type Settling = NonNullable<PageState['settling']>;

export function settlingPart({ settling }: PageState): Html {
  if (settling === null) return html``;
  const { job, item, near } = settling;
  const body =
    near !== null ? nearPart(settling, near) : item === null ? endPart(settling) : itemPart(settling, item);
  return html`<div class="settling" id="settling-${job.job_id}">${body}</div>`;
}

const BACK = button('Back', 'settle/step', { to: 'back' }, { key: 'b' });
const CLOSE = button('Close', 'view/set', { settling: null }, { key: 'q' });

function endPart({ job, done }: Settling): Value[] {
  const back = done > 0 && BACK;
  if (isPastSettling(job))
    return [html`<p role="status">The songs of this list are no longer open.</p>`, row(CLOSE)];
  if (job.resolved === 0)
    return [html`<p role="status">Every song is left out, so there is nothing to add.</p>`, row(back, CLOSE)];
  const text = `Add ${count(job.resolved, 'song')}`;
  const add = button(
    text,
    'jobs/commit',
    { ids: [job.job_id], skipUnresolved: false },
    { kind: 'primary', key: 'Enter' },
  );
  return [html`<p role="status">Everything is chosen.</p>`, row(add, back, CLOSE)];
}

function itemPart({ job, done, found }: Settling, item: ItemRecord): Value[] {
  const { job_id: id, unresolved: left } = job;
  const { position } = item;
  const near = (item.candidates ?? []).slice(0, CANDIDATES);
  const shown: Array<{ track: Track; score: number | null }> =
    found === null ? near : found.tracks.map((track) => ({ track, score: null }));
  const text = inputWords(item.input);
  const fixes = (fix: object) => ({ id, fixes: [{ position, ...fix }] });
  return [
    soft(`${number(left)} unclear`, done > 0 && `, ${number(done)} done`),
    html`<p class="big" id="entry-${position}" aria-live="polite">${name(text)}</p>`,
    shown.length === 0
      ? soft('No close match. Search for it, or leave it out.')
      : html`<ol class="candidates">${shown.map(
          ({ track, score }, index) =>
            html`<li id="candidate-${position}-${track.id}">${button(
              candidate(track, score, text, String(index + 1)),
              'jobs/settle',
              fixes({ uri: track.uri }),
              { kind: 'candidate', key: String(index + 1) },
            )}</li>`,
        )}</ol>`,
    html`<form class="row" id="search-${position}" data-call="jobs/search" data-given="${JSON.stringify({ position })}"><input type="search" name="text" aria-label="Search Spotify" value="${found?.text ?? searchWords(item.input)}" maxlength="300" autocomplete="off" data-key="s"><button class="quiet">Search <kbd>S</kbd></button></form>`,
    row(
      button('Leave out', 'jobs/settle', fixes({ skip: true }), { key: 'x' }),
      button('Accept near ones', 'settle/step', { to: 'near' }, { key: 'a' }),
      done > 0 && BACK,
      left > 1 && button('Later', 'settle/step', { to: position + 1 }, { key: 'Enter' }),
      CLOSE,
    ),
  ];
}

function candidate(track: Track, score: number | null, input: string, key: string): Html {
  const facts = [...factsOf(track), ...(score === null ? [] : [nearnessWords(score)])].join(' · ');
  return html`<kbd>${key}</kbd><span><strong>${marked(track.name, input)}</strong> <span>${marked(artistsOf(track), input)}</span> <span class="soft">${name(facts)}</span></span>`;
}

function nearPart({ job }: Settling, items: readonly ItemRecord[]): Value[] {
  const chosen = items.flatMap(({ position, candidates: [first] = [] }) =>
    first ? [{ position, uri: first.track.uri }] : [],
  );
  const accept = { id: job.job_id, fixes: chosen };
  const one = (text: string) => button(text, 'settle/step', { to: 'one' }, { key: 'n' });
  if (items.length === 0) return [soft('None of them has a close match.'), row(one('One by one'))];
  return [
    html`<p class="big" id="near-question">Accept the first match for ${count(items.length, 'song')}?</p>`,
    soft('The weakest come first. What differs is marked.'),
    html`<ol class="near" tabindex="0" aria-labelledby="near-question">${items.map(nearRow)}</ol>`,
    row(
      button(`Accept ${number(items.length)}`, 'jobs/settle', accept, { kind: 'primary', key: 'y' }),
      one('No, one by one'),
    ),
  ];
}

function nearRow({ input, candidates: [first] = [] }: ItemRecord): Html {
  const text = inputWords(input);
  const match = first && [
    html`<span>→ ${marked(first.track.name, text)} by ${marked(artistsOf(first.track), text)}</span>`,
    html`<span class="soft">${name(factsOf(first.track).join(' · '))}</span>`,
  ];
  return html`<li><span class="soft">${name(text)}</span>${match ?? null}</li>`;
}

function factsOf({ album, duration_ms }: Track): string[] {
  return [album.name ?? '', duration_ms === null ? '' : minutes(duration_ms)].filter(Boolean);
}

function artistsOf({ artists }: Track): string {
  return artists.map((artist) => artist.name).join(', ');
}

/** A name with marks on the words that the entry does not have. */
function marked(text: string, input: string): Html {
  const had = new Set(normaliseName(input).split(' '));
  const words = text.split(/\s+/).map((word, index) => {
    const isNew = normaliseName(word)
      .split(' ')
      .some((part) => part !== '' && !had.has(part));
    return [index > 0 && ' ', isNew ? html`<mark>${name(word)}</mark>` : name(word)];
  });
  return html`<bdi>${words}</bdi>`;
}

/** What to search for: title and artist as they were read. */
function searchWords(input: unknown): string {
  const { title, artist } = (typeof input === 'object' && input !== null ? input : {}) as Record<
    string,
    unknown
  >;
  const words = [title, artist].filter((part) => typeof part === 'string' && part !== '').join(' ');
  return words === '' ? inputWords(input).slice(0, 300) : words.slice(0, 300);
}
