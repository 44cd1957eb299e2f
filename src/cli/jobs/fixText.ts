/** The texts that a person sees while going through the items of a job that did not resolve. Pure. */
import { playingTime } from '../../base/clock.ts';
import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import type { ItemRecord } from '../../domain/job.ts';
import { inputWords, nearnessWords, SETTLE_KEYS } from '../../domain/settling.ts';
import type { Track } from '../../domain/shapes.ts';
import { wrap } from '../terminal/output.ts';
import { fitted, widthOf } from '../terminal/textWidth.ts';

/** A track that the person can take by its number. `score` is from 0 to 1, or null if the person searched for the track. */
export interface Offer {
  track: Track;
  score: number | null;
}

export interface FixView {
  /** Columns of the terminal. */
  width: number;
  /** True if the terminal shows more than ASCII. */
  unicode: boolean;
}

const MAX_NAME = 120;

/** Name, artists, album and length. */
export function trackText({ name, artists, album, duration_ms }: Track, { unicode }: FixView): string {
  const parts = [
    visibleText(name, MAX_NAME),
    visibleText(artists.map((artist) => artist.name).join(', '), MAX_NAME),
    visibleText(album.name ?? '', MAX_NAME),
    duration_ms === null ? '' : playingTime(duration_ms),
  ];
  return parts.filter((part) => part !== '').join(unicode ? ' – ' : ' - ');
}

/** Returns the song that an item asks for, in one line. */
export function inputText(input: unknown, { unicode }: Pick<FixView, 'unicode'>): string {
  const { title, artist, album, year } = (input ?? {}) as Record<string, unknown>;
  if (typeof title !== 'string' || title === '') return visibleText(inputWords(input), MAX_NAME);
  const parts = [title, artist, album].filter(
    (part): part is string => typeof part === 'string' && part !== '',
  );
  const names = parts.map((part) => visibleText(part, MAX_NAME)).join(unicode ? ' – ' : ' - ');
  return typeof year === 'number' ? `${names} (${year})` : names;
}

/** Returns the lines that show one item and its numbered offers. */
export function itemLines(
  { position, input, status, error }: ItemRecord,
  offers: readonly Offer[],
  { decided, ...counts }: { items: number; open: number; decided: string | null },
  view: FixView,
): string[] {
  const why = error ? visibleText(`${error.code}: ${error.message}`, MAX_NAME) : WHY[status];
  return [
    '',
    ...block(`Item ${position + 1} of ${counts.items}, ${counts.open} open`, '', view),
    ...block(inputText(input, view), '  ', view),
    ...offers.flatMap((offer, index) => offerLines(offer, index, view)),
    ...(offers.length === 0 || status === 'failed' ? block(why ?? '', '  ', view) : []),
    ...(decided === null ? [] : block(decided, '  ', view)),
  ];
}

const WHY: Partial<Record<ItemRecord['status'], string>> = {
  unmatched: 'No close match was found.',
  failed: 'The search for this song failed.',
};

/** @internal */
export function offerLines({ track, score }: Offer, index: number, view: FixView): string[] {
  const text = trackText(track, view);
  const scored = score === null ? text : `${text} (${nearnessWords(score)})`;
  const [first = '', ...rest] = wrap(scored, view.width - 4);
  return [`${String(index + 1).padStart(2)}  ${first}`, ...rest.map((line) => `    ${line}`)].map((line) =>
    fitted(line, view.width),
  );
}

/** Lists the keys that can be typed. */
export function keysText(offers: number, view: FixView): string[] {
  const take = offers === 0 ? [] : [offers === 1 ? '1 take it' : `1-${offers} take one`];
  const keys = [...take, ...SETTLE_KEYS.map(([key, what]) => `${key} ${what}`)].join(', ');
  return block(keys, '', view);
}

/** Returns the result of a session in one line. */
export function summaryText(counts: { settled: number; skipped: number; left: number }): string {
  const { settled, skipped, left } = counts;
  const parts = [
    `${counted(settled, 'item')} settled`,
    ...(skipped > 0 ? [`${skipped} left out`] : []),
    left === 0 ? 'nothing is open' : `${left} open`,
  ];
  return `${parts.join(', ')}.`;
}

/** Wraps a line to the window. */
export function inWindow(line: string, view: FixView): string[] {
  if (widthOf(line) <= view.width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  return block(line.trim(), indent, view);
}

function block(text: string, indent: string, { width }: FixView): string[] {
  return wrap(text, width - indent.length).map((line) => fitted(indent + line, width));
}
