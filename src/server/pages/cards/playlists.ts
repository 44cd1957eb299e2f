/** The account's playlists: a list with a search field, and what can be done with the one that is open. */
import { parseRule, READY_RULE_NAMES, ruleWords } from '../../../domain/keepRules.ts';
import { WRITTEN_FORMATS } from '../../../domain/listExport.ts';
import type { RestoreAnswer } from '../../../domain/versions.ts';
import type { PageState } from '../../owner/pageState.ts';
import { FORGOTTEN, type PlaylistPart } from '../../owner/tab.ts';
import { type Html, html, type Value } from '../html.ts';
import {
  auto,
  button,
  card,
  coverPart,
  link,
  list,
  minutes,
  more,
  name,
  names,
  number,
  options,
  row,
  soft,
  songs,
  told,
  when,
} from '../parts.ts';
import { wouldBe } from './needs.ts';

/** From so many playlists on, the list has a search field. */
const SEARCHED = 6;

export function playlistsCard(state: PageState): Html | null {
  const { playlists, found, report, tab } = state;
  if (!report.account.connected && playlists.length === 0) return null;
  const due = listDue(state);
  const asks = due !== null && auto('playlists/read', { after: due });
  const title = 'Your playlists';
  if (playlists.length === 0) {
    const read = button('Show them', 'playlists/read', { after: '' }, { about: 'your playlists' });
    const none = due === null ? 'You have no playlists of your own yet.' : 'Reading your playlists …';
    return card('playlists', title, tab.listed === FORGOTTEN ? row(read) : soft(none), asks);
  }
  const shown = state.shown('playlists');
  const rows = found.slice(0, shown).map((playlist) => playlistRow(state, playlist));
  const search = html`<input type="search" id="find-playlist" name="find" value="${tab.find}" data-call="view/set" aria-label="Find a playlist" placeholder="Find among ${number(playlists.length)} playlists" autocomplete="off" maxlength="200">`;
  return card(
    'playlists',
    title,
    asks,
    playlists.length > SEARCHED && search,
    list(rows, `No playlist is called “${tab.find}”.`),
    found.length > shown && row(more('playlists', 'playlists', found.length - shown)),
  );
}

/** The change after which the page asks for the list by itself: '' for the first time; null if nothing is to be asked. */
function listDue({ tab, playlists, library, events, report }: PageState): string | null {
  if (!report.account.connected || tab.listed === FORGOTTEN) return null;
  if (playlists.length === 0 && library.as_of === null && tab.listed === null) return '';
  const latest = events.items.find(({ change }) => typeof change?.playlist_id === 'string');
  return !latest || latest.at <= (library.as_of ?? '') || tab.listed === latest.id ? null : latest.id;
}

function playlistRow(
  state: PageState,
  { id, name: text, total, changedAt, isKept }: PageState['found'][number],
): Html {
  const place = state.placeOf(id);
  const open = state.tab.playlist?.id === id ? state.tab.playlist : null;
  const facts = [
    total !== null && songs(total),
    changedAt !== null && [total !== null && ' · ', 'changed ', when(changedAt)],
    isKept && ' · kept by a rule',
  ];
  const given = JSON.stringify({ id, name: text });
  return html`<li id="playlist-${id}" class="playlist"><div class="line">${coverPart(place)}<div class="grow"><button type="button" class="link" data-call="playlists/open" data-given="${given}" aria-expanded="${open ? 'true' : 'false'}">${name(text)}</button>${soft(facts)}</div>${
    place.url !== null && link(place.url, '↗', text)
  }</div>${open !== null && openPart(state, open, isKept)}</li>`;
}

const PARTS = {
  songs: 'Songs',
  duplicates: 'Duplicates',
  versions: 'Earlier versions',
  keep: 'Keep',
  export: 'Export',
};

function openPart(
  state: PageState,
  { id, name: about, part }: NonNullable<PageState['tab']['playlist']>,
  isKept: boolean,
): Html {
  const tabs = Object.entries(PARTS).map(
    ([kind, label]) =>
      !(kind === 'keep' && isKept) &&
      html`<button type="button" class="quiet" data-call="playlists/part" data-given="${JSON.stringify({ part: kind })}" aria-pressed="${part?.kind === kind ? 'true' : 'false'}" aria-label="${label}: ${about}">${label}</button>`,
  );
  return html`<div class="opened" id="open-${id}">${row(tabs)}${part !== null && html`<div class="part" id="part-${part.kind}">${partBody(state, id, part)}</div>`}</div>`;
}

const FORMAT_WORDS = { csv: 'Table (CSV)', json: 'JSON', m3u8: 'M3U8', txt: 'Text' } as const;

function partBody(state: PageState, id: string, part: PlaylistPart): Value {
  switch (part.kind) {
    case 'songs':
      return songsPart(part.rows, state.shown('songs'));
    case 'duplicates':
      return duplicatesPart(part);
    case 'versions':
      return versionsPart(part);
    case 'keep':
      return keepPart(part);
    case 'export':
      return row(
        WRITTEN_FORMATS.map((format) => button(FORMAT_WORDS[format], 'playlists/export', { id, format })),
      );
  }
}

function songsPart(rows: Extract<PlaylistPart, { kind: 'songs' }>['rows'], shown: number): Value {
  const left = rows.length - shown;
  const line = ({ title, artists, duration_ms }: (typeof rows)[number]) => {
    const rest = [name(artists.join(', ')), duration_ms !== null && ` · ${minutes(duration_ms)}`];
    return html`<li>${title === '' ? 'A song that Spotify no longer names' : name(title)}${artists.length > 0 && html` <span class="soft">${rest}</span>`}</li>`;
  };
  return [
    html`<ol class="songs" tabindex="0" aria-label="Songs">${rows.slice(0, shown).map(line)}</ol>`,
    rows.length === 0 && soft('It is empty.'),
    left > 0 && more('songs', 'songs', left),
  ];
}

/** Number of names that a preview shows. */
const NAMED = 10;

function duplicatesPart({ exact, others, refusal }: Extract<PlaylistPart, { kind: 'duplicates' }>): Value {
  const all = exact.length + others.length;
  if (all === 0) return soft('No song is in it twice.');
  const group = (what: string, some: readonly string[]) =>
    some.length > 0 &&
    html`<p><strong>${what}, ${number(some.length)}:</strong> ${names(some.slice(0, NAMED), some.length)}</p>`;
  const clean = (text: string, isAll: boolean, kind: 'primary' | 'quiet') =>
    button(text, 'playlists/clean', { others: isAll }, { kind });
  const isBoth = exact.length > 0 && others.length > 0;
  return [
    group('In it again', exact),
    group('The same song on another release', others),
    soft('The first one of each stays. You can undo this.'),
    refusal !== null
      ? html`<p class="warn">${told(refusal)}</p>`
      : row(
          exact.length > 0 && clean(`Take out ${number(exact.length)}`, false, 'primary'),
          others.length > 0 &&
            clean(`Take out ${isBoth ? 'all ' : ''}${number(all)}`, true, isBoth ? 'quiet' : 'primary'),
        ),
  ];
}

function versionsPart({ of, shown }: Extract<PlaylistPart, { kind: 'versions' }>): Value {
  const rows = of.items.map(({ version, seen_at, total, added, removed }) => {
    const changed = version > 1 && ` (${number(added)} came, ${number(removed)} went)`;
    const show = button('Show', 'versions/show', { version }, { about: seen_at });
    return html`<li id="version-${version}"><div class="line"><div class="grow">${when(seen_at, 'time')}: ${songs(total)}${changed}</div>${show}</div>${
      shown?.version === version && versionPart(of.present, shown)
    }</li>`;
  });
  return list(rows);
}

function versionPart(
  isPresent: boolean,
  { version, content, preview }: NonNullable<Extract<PlaylistPart, { kind: 'versions' }>['shown']>,
): Html {
  const { added_count, removed_count, moved_count, unsupported, plan } = preview;
  const isSame = added_count + removed_count + moved_count === 0 && isPresent;
  const back = isPresent ? 'Bring it back' : 'Bring it back as a new playlist';
  const text = unsupported.length > 0 ? 'Bring the others back' : back;
  const given = { version, agreed: plan, skipUnsupported: unsupported.length > 0 };
  const first = content.items.slice(0, 100);
  const left = content.items.length - first.length;
  return html`<div class="notice plain" data-focus tabindex="-1"><p>${
    isSame
      ? `The playlist is as it was then${unsupported.length === 0 ? '' : ', but for what cannot come back'}.`
      : `${songs(added_count)} would come, ${number(removed_count)} go and ${number(moved_count)} move.`
  }</p>${unsupported.length > 0 && html`<p class="warn">Cannot come back: ${lostWords(unsupported)}.</p>`}${
    !isSame && row(button(text, 'versions/restore', given, { kind: 'primary', sure: 'Bring it back now' }))
  }<details><summary>Its ${songs(content.items.length)}</summary><ol class="songs" tabindex="0" aria-label="Songs">${first.map(
    ({ name: song, artist }) =>
      html`<li>${song === null ? 'A song that Spotify no longer names' : name(song)} <span class="soft">${name(artist ?? '')}</span></li>`,
  )}</ol>${left > 0 && soft(`And ${number(left)} more.`)}</details></div>`;
}

function lostWords(unsupported: RestoreAnswer['unsupported']): Value[] {
  const some = unsupported
    .slice(0, 5)
    .map(({ name: song, position, reason }, index) => [
      index > 0 && '; ',
      name(song ?? `row ${position + 1}`),
      reason === 'local' ? ' (a local file)' : ' (no longer offered)',
    ]);
  const left = unsupported.length - some.length;
  return [some, left > 0 && ` and ${number(left)} more`];
}

const EVERY = { hour: 'every hour', day: 'every day', week: 'every week' } as const;

function keepPart({ asked, preview }: Extract<PlaylistPart, { kind: 'keep' }>): Value {
  const rules = READY_RULE_NAMES.map((rule) => [rule, ruleWords(parseRule(rule).rule)]);
  const given = { ...asked, dryRun: false };
  return [
    soft('relay makes the playlist follow a rule from now on. Each update can be undone.'),
    html`<form class="row" data-call="keeps/add"><select name="rule" aria-label="What it keeps">${options(rules, asked.rule)}</select><select name="every" aria-label="How often">${options(Object.entries(EVERY), asked.every)}</select><button class="${preview === null ? 'primary' : 'quiet'}">See what it would do</button></form>`,
    preview?.preview !== undefined && wouldBe(preview.preview),
    preview !== null && row(button(`Keep it ${EVERY[asked.every]}`, 'keeps/add', given, { kind: 'primary' })),
  ];
}
