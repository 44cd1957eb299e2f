/** What `relay import` tells a person. Pure: values in, lines out. */
import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import { type JobRecord, shortId, unresolvedOf } from '../../domain/job.ts';
import {
  type ImportPreview,
  type ImportTarget,
  LEFT_OUT_PLAYS,
  type ListFormat,
} from '../../domain/listImport.ts';
import { commandLine, type NamedHome } from '../commandLine.ts';

const FORMAT_NAMES: Readonly<Record<ListFormat, string>> = {
  csv: 'CSV',
  tsv: 'a table with tabs',
  spotify: "Spotify's data export",
  json: 'JSON',
  m3u8: 'an M3U playlist',
  pls: 'a PLS playlist',
  cue: 'a CUE sheet',
  xspf: 'an XML playlist',
  itunes: 'an iTunes library',
  txt: 'text with one song a line',
};

const LINES_SHOWN = 10;
/** From this number of searches on, the preview says what happens if the quota runs out. */
const MANY_SEARCHES = 100;
const COLUMNS_NAMED = ['title', 'artist', 'album', 'year', 'isrc', 'uri'];

export function previewLines(file: string, preview: ImportPreview, named: NamedHome): string[] {
  const name = file === '-' ? 'The list' : file;
  const { songs, format, encoding, repeated, jobs } = preview;
  return [
    `${visibleText(name, 200)}: ${counted(songs, 'song')}, read as ${FORMAT_NAMES[format]} (${encoding})`,
    ...listLines(preview),
    ...columnLines(preview),
    ...sideLines(preview),
    ...exampleLines(preview),
    ...unreadLines(preview),
    ...(repeated > 0
      ? [`  ${counted(repeated, 'repeat')} of ${repeated === 1 ? 'an earlier song' : 'earlier songs'}`]
      : []),
    ...costLines(preview, named),
    ...(jobs > 1 ? [`  ${jobs} jobs, since each takes 10000 songs`] : []),
  ];
}

function listLines({ name, lists }: ImportPreview): string[] {
  if (lists.length > 0)
    return [`  ${counted(lists.length, 'playlist')} in the file; you can take one or all of them`];
  return name === null ? [] : [`  playlist "${visibleText(name, 100)}"`];
}

function columnLines({ columns }: ImportPreview): string[] {
  const used = COLUMNS_NAMED.flatMap((field) => {
    const column = columns[field];
    return column === undefined ? [] : [`${field} from "${visibleText(column, 60)}"`];
  });
  return used.length === 0 ? [] : [`  ${used.join(', ')}`];
}

function sideLines({ artist_side: found }: ImportPreview): string[] {
  if (!found) return [];
  return [`  the artist is on the ${found.side} of " - ": ${visibleText(found.because, 200)}`];
}

function exampleLines({ examples }: ImportPreview): string[] {
  const known = examples.filter(({ title, artist }) => title !== '' && artist !== '');
  return known.slice(0, 2).map(({ line, title, artist }) => {
    return `  line ${line} is "${visibleText(title, 80)}" by ${visibleText(artist, 80)}`;
  });
}

function unreadLines({ not_songs: { total, reasons, lines } }: ImportPreview): string[] {
  if (total === 0) return [];
  const empty = reasons.empty ?? 0;
  const [short, again] = [LEFT_OUT_PLAYS.short, LEFT_OUT_PLAYS.again].map((why) => reasons[why] ?? 0);
  const plays = (short ?? 0) + (again ?? 0);
  const others = total - empty - plays;
  const shown = lines.slice(0, LINES_SHOWN).map(({ line, text, why }) => {
    return `    line ${line}, ${why}: ${visibleText(text, 60)}`;
  });
  return [
    ...(empty > 0 ? [`  ${counted(empty, 'empty line')}`] : []),
    ...(plays > 0
      ? [`  ${counted(again ?? 0, 'repeat')} and ${counted(short ?? 0, 'play')} of less than 30 s left out`]
      : []),
    ...(others > 0 ? [`  ${counted(others, 'line')} without a song:`] : []),
    ...shown,
    ...(others > shown.length ? [`    and ${others - shown.length} more`] : []),
  ];
}

function costLines(preview: ImportPreview, named: NamedHome): string[] {
  const { with_uri, with_isrc, remembered, searches, searches_24h } = preview;
  const { at_least: least, at_most: most } = searches;
  const range = least === most ? String(least) : `${least} to ${most}`;
  const used = searches_24h === 0 ? '' : `; ${searches_24h} in the last 24 hours`;
  return [
    ...(with_uri > 0 ? [`  ${with_uri} with a Spotify link, which cost no search`] : []),
    ...(with_isrc > 0 ? [`  ${with_isrc} with a recording code (ISRC)`] : []),
    ...(remembered > 0 ? [`  ${remembered} known from earlier lists, which cost no search`] : []),
    `  searches of Spotify's daily quota: ${range}${used}`,
    ...(most >= MANY_SEARCHES
      ? [`  If the quota runs out, the job waits for it: ${commandLine(named, 'jobs')}`]
      : []),
  ];
}

/** Counts summed over several jobs. */
export function totalsOf(jobs: readonly JobRecord[]) {
  const sum = (value: (job: JobRecord) => number) => jobs.reduce((total, job) => total + value(job), 0);
  return {
    songs: sum((job) => job.total_items),
    resolved: sum((job) => job.resolved),
    unresolved: sum(unresolvedOf),
    ambiguous: sum((job) => job.ambiguous),
    written: sum((job) => job.written),
    skipped: sum((job) => job.skipped_existing),
  };
}

/** Returns text such as `240 of 900 songs were not found (12 because several would fit)`. */
export function unresolvedText(jobs: readonly JobRecord[]): string {
  const { unresolved, ambiguous, songs } = totalsOf(jobs);
  const were = unresolved === 1 ? 'was' : 'were';
  const which = ambiguous === 0 ? '' : ` (${ambiguous} because several would fit)`;
  return `${unresolved} of ${counted(songs, 'song')} ${were} not found${which}`;
}

/** @param place where the songs went, in words */
export function doneLines(target: ImportTarget, place: string, jobs: readonly JobRecord[]): string[] {
  const { skipped, written } = totalsOf(jobs);
  const left = skipped === 0 ? '' : `; ${counted(skipped, 'duplicate')} left out`;
  const songs = counted(written, 'song');
  if (target.kind === 'saved') return [`Saved ${songs} in ${place}${left}.`];
  const ids = [...new Set(jobs.flatMap(({ playlist_id }) => playlist_id ?? []))];
  const replaces = target.kind === 'playlist' && target.replace;
  // A replacement by the very rows that are there writes nothing. If Spotify had refused all songs, they would be unresolved.
  const isSame = replaces && written === 0 && jobs.some(({ resolved }) => resolved > 0);
  const verb = replaces ? 'Replaced the content of' : 'Added to';
  return [
    isSame
      ? `Nothing changed: ${place} has exactly these songs${left}.`
      : `${verb} ${place}: ${songs}${left}.`,
    ...ids.map((id) => `https://open.spotify.com/playlist/${id}`),
  ];
}

/** Says how many songs were left out, or found only by forgiving a typo, and which commands show them. */
export function leftLines(named: NamedHome, jobs: readonly JobRecord[]): string[] {
  const forgiven = jobs.reduce((sum, { spelling = 0 }) => sum + spelling, 0);
  const doubtful = jobs.filter((job) => unresolvedOf(job) > 0 || job.spelling);
  return [
    ...(totalsOf(jobs).unresolved > 0 ? [`${unresolvedText(jobs)}, and left out.`] : []),
    ...(forgiven > 0 ? [`${counted(forgiven, 'song')} found by forgiving a typo.`] : []),
    ...doubtful.map((job) => `To see them: ${commandLine(named, 'jobs', 'show', shortId(job.job_id))}`),
  ];
}
