/** Importing a list, in one card from the drop to the link to the new playlist: read, found, unclear, added, done. */
import { cutAt } from '../../../base/lists.ts';
import { playsNotes, playsText } from '../../../domain/plays.ts';
import type { PageJob, PageState } from '../../owner/pageState.ts';
import type { Imported } from '../../owner/tab.ts';
import { type Html, html, type Value } from '../html.ts';
import {
  button,
  card,
  count,
  list,
  name,
  number,
  options,
  placeName,
  progress,
  row,
  soft,
  songs,
  told,
} from '../parts.ts';
import { jobRow } from './jobs.ts';

/** What puts away the list or the history that the card shows. */
const AWAY = { imported: null, history: null, settling: null };

export function importCard(state: PageState): Html {
  const { imported } = state.tab;
  const body =
    imported === null
      ? dropZone()
      : imported.jobs.length > 0
        ? jobsPart(state)
        : previewPart(state, imported);
  return card('import', 'Import a list', historyPart(state), body);
}

function dropZone(): Html {
  return html`<div class="drop" id="drop"><p><strong>Drop a list here</strong>, or <label for="import-file" class="link">choose a file</label></p><input id="import-file" type="file" class="hidden-text" data-file><p class="soft aside">CSV, text, M3U, iTunes XML, Spotify’s data export, the archive of a listening history and more</p></div>
<form class="paste" id="paste" data-paste><textarea name="text" aria-label="Paste songs" rows="1" placeholder="Or paste songs, one a line" spellcheck="false" autocomplete="off"></textarea><button class="quiet">Read</button></form>`;
}

function historyPart({ history, program }: PageState): Value {
  if (history === null) return null;
  const { name: text, progress: at, problem } = history;
  const close = row(button('Close', 'view/set', AWAY, { about: text }));
  if (problem !== null)
    return html`<div id="history"><p class="bad" role="alert">${told(problem)}</p>${close}</div>`;
  if (at?.state === 'done') {
    const notes = [
      at.note,
      playsText(at.plays),
      ...playsNotes(at.plays, (option) => `\`${program} import FILE ${option}\``),
    ];
    return html`<div id="history"><p role="status">${notes.map((note) => note && [told(note), ' '])}</p>${close}</div>`;
  }
  const words = at?.state === 'writing' ? 'Adding the plays of' : 'Reading';
  return html`<div id="history"><p class="soft" role="status">${words} ${name(text)} …</p>${progress(at?.done ?? null, at?.total ?? 1, `Reading ${text}`)}</div>`;
}

function previewPart(state: PageState, shown: Imported): Html {
  const { preview, fileName, key } = shown;
  const isEach = shown.list === 'each' && shown.lists.length > 1;
  return html`<form id="preview-${key}" data-call="import/start">
<p class="big">${name(fileName, 80)}</p>${soft(`${songs(preview.songs)} read. ${costOf(shown)}`)}
${preview.doubt !== null && html`<p class="notice">${told(preview.doubt)}</p>`}
${shown.lists.length > 1 && listChoice(shown)}${sideChoice(shown)}
${preview.examples.length > 0 && html`<ul class="examples">${preview.examples.slice(0, 3).map(({ title, artist }) => html`<li>${name(title)}${artist !== '' && html` <span class="soft">by ${name(artist)}</span>`}</li>`)}</ul>`}
${notSongs(shown)}${isEach ? null : targetChoice(state, shown)}
<p><label class="inline"><input type="checkbox" name="skipDuplicates" checked> ${isEach ? 'Leave out duplicates' : 'Leave out duplicates and songs already there'}</label></p>
<div class="row"><button class="primary"${preview.songs === 0 && html` disabled`}>${preview.doubt === null ? 'Find the songs' : 'Find them anyway'}</button>${button('Cancel', 'view/set', AWAY)}</div></form>`;
}

function listChoice({ lists, list }: Imported): Html {
  const choices = [
    ['each', 'Each becomes a playlist of its own'],
    ['all', 'All of them as one'],
    ...lists.map(({ name: text, songs: all }) => [`=${text}`, `Only ${cutAt(text, 60)} (${number(all)})`]),
  ];
  const chosen = typeof list === 'object' ? `=${list.name}` : list;
  return html`<p><label for="import-list">${count(lists.length, 'playlist')} in the file</label><select id="import-list" name="list" data-call="import/choose">${options(choices, chosen)}</select></p>`;
}

function sideChoice({ preview: { artist_side: side } }: Imported): Value {
  if (side === null) return null;
  const other = side.side === 'left' ? 'right' : 'left';
  const text = `The artist is on the ${side.side} of “ - ”: ${side.because}.`;
  return html`<p class="${side.certain ? 'soft' : 'warn'}">${text} ${button(`It is on the ${other}`, 'import/choose', { artistSide: other })}</p>`;
}

function targetChoice({ playlists }: PageState, { target, preview, fileName, key }: Imported): Html {
  const option = (kind: Imported['target'], text: string) =>
    html`<p><label class="inline"><input type="radio" name="target" value="${kind}" data-call="import/choose"${target === kind && html` checked`}> ${text}</label></p>`;
  const proposed = cutAt(preview.name ?? fileName.replace(/\.[^.]{1,5}$/, ''), 100);
  const field = html`<p id="import-name-${key}"><input name="name" aria-label="Name of the playlist" required pattern=".*\\S.*" maxlength="100" value="${proposed}"></p>`;
  const choices = playlists.map(({ id, name: text }) => [id, cutAt(text, 60)]);
  const choice = html`<p id="import-playlist"><select name="playlistId" aria-label="Playlist">${options(choices)}</select></p>`;
  return html`<fieldset><legend>Where to</legend>${option('new', 'A new playlist')}${target === 'new' && field}${
    playlists.length > 0 && option('playlist', 'One of my playlists')
  }${target === 'playlist' && choice}${option('saved', 'Liked Songs')}</fieldset>`;
}

function notSongs({ preview: { not_songs } }: Imported): Value {
  const { total, lines } = not_songs;
  if (lines.length === 0) return null;
  const rows = lines
    .slice(0, 20)
    .map(({ line, text, why }) => html`<li>Line ${line}, ${why}: ${name(text, 80)}</li>`);
  return html`<details><summary>${total === 1 ? '1 line is not a song' : `${count(total, 'line')} are not songs`}</summary><ul>${rows}</ul></details>`;
}

function costOf({ preview: { searches, remembered, with_uri } }: Imported): string {
  const known = remembered + with_uri;
  const { at_least: least, at_most: most } = searches;
  const range =
    most === least ? count(most, 'search', 'searches') : `${number(least)} to ${number(most)} searches`;
  const cost = most === 0 ? 'No search is needed' : `It takes ${range}`;
  return known === 0 ? `${cost}.` : `${cost}; ${songs(known)} ${known === 1 ? 'is' : 'are'} known already.`;
}

/** The jobs of the list, from the search to the playlist. Of a file with several, one press adds all that are clear. */
function jobsPart(state: PageState): Value {
  const { importJobs: jobs } = state;
  const ready = jobs.filter(
    ({ status, resolved, unresolved }) => status === 'ready' && resolved > 0 && unresolved === 0,
  );
  const isOver = jobs.every(({ status }) => status === 'completed' || status === 'cancelled');
  const given = { ids: ready.map(({ job_id }) => job_id), skipUnresolved: false };
  const addAll = `Add ${count(ready.length, 'playlist')}`;
  return [
    jobs.length === 0 && soft('This list is no longer in relay’s memory.'),
    list(jobs.map((job) => (job.status === 'completed' ? doneRow(job) : jobRow(state, job)))),
    row(
      jobs.length > 1 && ready.length > 0 && button(addAll, 'jobs/commit', given, { kind: 'primary' }),
      button(isOver ? 'Import another' : 'Later', 'view/set', AWAY),
    ),
  ];
}

function doneRow({ job_id: id, type, written, place }: PageJob): Html {
  const where = type === 'save_tracks' ? 'Liked Songs' : placeName(place.name ?? 'the playlist', place);
  return html`<li id="job-${id}"><p class="good" role="status"><strong>Done:</strong> ${songs(written)} added to ${where}.</p></li>`;
}
