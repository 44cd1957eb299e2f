/** The preview of a list: how it was read and where it goes, shown before any search. */
import type { ImportPreview } from '../../../domain/listImport.ts';
import type { PagePlaylist } from '../../../domain/ownerPage.ts';
import { type App, button, name, plainButton, row, soft } from './app.ts';
import { type Child, h } from './dom.ts';
import { count, number, short } from './format.ts';

/** What the person has chosen for a list. It is kept here, since the fields disappear when another view is shown. */
interface Choices {
  target: 'new' | 'saved' | 'playlist';
  /** The typed name of the new playlist; null for the proposed one. */
  name: string | null;
  /** The chosen playlist of the account; null for the first one. */
  playlistId: string | null;
  skipDuplicates: boolean;
}

/** A list in preview. */
export interface Begun extends Choices {
  /** Differs for each file, so that its form begins with new fields. */
  key: number;
  file: File;
  preview: ImportPreview;
  /** For a file with several playlists: one of them, `EACH`, or null for all of them as one. */
  list: string | null;
  artistSide: 'left' | 'right' | null;
  /** The playlists of the account; null until they are read. */
  playlists: PagePlaylist[] | null;
  /** The playlists in the file. */
  lists: ImportPreview['lists'];
}

/** Stands for every list of the file, each as a new playlist. No list has this name. */
export const EACH = '\u0000each';

/** What a person can do with the preview. */
interface Steps {
  start(shown: Begun): void;
  cancel(): void;
  /** Reads the list again, in another way. */
  again(given: Pick<Begun, 'list' | 'artistSide'>): void;
  choose(choice: Partial<Choices>): void;
  /** Reads the playlists of the account. */
  readPlaylists(): void;
}

/** The name of the playlist that is made of the list: the typed one, or the proposed one. */
export function nameOf({ name: typed, preview, file }: Begun): string {
  // Half a surrogate pair at the end would not be valid text.
  const proposed = (preview.name ?? withoutEnding(file.name)).slice(0, 100).replace(/[\ud800-\udbff]$/, '');
  return typed ?? proposed;
}

export function previewPart(app: App, shown: Begun, steps: Steps): Child {
  const { preview, file, list, target, playlists } = shown;
  const submit = (event: Event) => {
    event.preventDefault();
    if (!app.doing.busy.has('look')) steps.start(shown);
  };
  return h.form(
    { key: `preview ${shown.key}`, onsubmit: submit, inert: app.doing.busy.has('import') },
    h.p({ class: 'big' }, name(short(file.name, 80))),
    soft(`${count(preview.songs, 'song')}, read as ${preview.format.toUpperCase()}. ${costOf(preview)}`),
    preview.doubt !== null && h.p({ class: 'notice' }, preview.doubt),
    shown.lists.length > 1 && listChoice(shown, steps),
    sideChoice(app, shown, steps),
    preview.examples.length > 0 &&
      h.ul(
        { class: 'examples' },
        preview.examples
          .slice(0, 3)
          .map(({ line, title, artist }) =>
            h.li(
              { key: line },
              name(short(title)),
              artist !== '' && h.span({ class: 'soft' }, ' by ', name(short(artist))),
            ),
          ),
      ),
    notSongs(preview),
    list !== EACH && targetChoice(app, shown, steps),
    duplicatesChoice(shown, steps),
    row(
      h.button(
        {
          key: 'go',
          class: 'primary',
          'aria-disabled': app.doing.busy.has('look') ? 'true' : null,
          disabled: preview.songs === 0 || (list !== EACH && target === 'playlist' && !playlists?.length),
        },
        preview.doubt === null ? 'Find the songs' : 'Find them anyway',
      ),
      plainButton('Cancel', steps.cancel),
    ),
  );
}

function duplicatesChoice({ list, skipDuplicates }: Begun, steps: Steps): Child {
  const label = list === EACH ? 'Skip duplicates' : 'Skip duplicates and songs already there';
  const onchange = ({ target }: Event) =>
    steps.choose({ skipDuplicates: (target as HTMLInputElement).checked });
  return h.p(
    { key: 'once' },
    h.input({ id: 'import-once', type: 'checkbox', checked: skipDuplicates, onchange }),
    h.label({ for: 'import-once', class: 'inline' }, ` ${label}`),
  );
}

function listChoice({ lists, artistSide, list }: Begun, steps: Steps): Child {
  const choose = (event: Event) =>
    steps.again({ list: (event.target as HTMLSelectElement).value || null, artistSide });
  const option = (value: string, text: string) => h.option({ key: value, value }, text);
  return h.p(
    h.label({ for: 'import-list' }, `${count(lists.length, 'playlist')} in the file`),
    h.select(
      { id: 'import-list', value: list ?? '', onchange: choose },
      option('', 'All of them as one'),
      option(EACH, 'Each as a new playlist of its own'),
      lists.map(({ name: text, songs }) => option(text, `${short(text, 60)} (${number(songs)})`)),
    ),
  );
}

function sideChoice(app: App, { preview, list }: Begun, steps: Steps): Child {
  const side = preview.artist_side;
  if (side === null) return null;
  const other = side.side === 'left' ? 'right' : 'left';
  return h.p(
    { class: side.certain ? 'soft' : 'warn' },
    `The artist is on the ${side.side} of “ - ”: ${side.because}. `,
    button(app, 'side', `It is on the ${other}`, async () => steps.again({ list, artistSide: other }), {
      kind: 'quiet',
    }),
  );
}

function targetChoice(app: App, shown: Begun, steps: Steps): Child {
  const { target, playlists, playlistId } = shown;
  const option = (kind: Begun['target'], text: string) =>
    h.p(
      { key: kind },
      h.input({
        id: `import-${kind}-target`,
        type: 'radio',
        name: 'import-target',
        checked: target === kind,
        onchange: () => steps.choose({ target: kind }),
      }),
      h.label({ for: `import-${kind}-target`, class: 'inline' }, ` ${text}`),
    );
  return h.fieldset(
    { key: 'target' },
    h.legend('Where to'),
    option('new', 'A new playlist'),
    target === 'new' &&
      h.p(
        { key: 'name' },
        h.input({
          'aria-label': 'Name of the playlist',
          required: true,
          pattern: '.*\\S.*',
          title: 'The name of the playlist: not only spaces',
          maxlength: 100,
          value: nameOf(shown),
          oninput: (event: Event) => steps.choose({ name: (event.target as HTMLInputElement).value }),
        }),
      ),
    option('playlist', 'One of my playlists'),
    target === 'playlist' &&
      (playlists === null
        ? app.doing.busy.has('playlists')
          ? soft('Reading …')
          : row('Your playlists could not be read. ', plainButton('Read them again', steps.readPlaylists))
        : playlists.length === 0
          ? soft('You have no playlist that you may change.')
          : h.p(
              { key: 'playlist' },
              h.select(
                {
                  'aria-label': 'Playlist',
                  value: playlistId ?? playlists[0]?.id,
                  onchange: (event: Event) =>
                    steps.choose({ playlistId: (event.target as HTMLSelectElement).value }),
                },
                playlists.map(({ id, name: text }) => h.option({ key: id, value: id }, short(text, 60))),
              ),
            )),
    option('saved', 'Liked Songs'),
  );
}

function withoutEnding(file: string): string {
  return file.replace(/\.[^.]{1,5}$/, '');
}

function notSongs({ not_songs: { total, lines } }: ImportPreview): Child {
  if (lines.length === 0) return null;
  return h.details(
    h.summary(total === 1 ? '1 line is not a song' : `${count(total, 'line')} are not songs`),
    h.ul(
      lines
        .slice(0, 20)
        .map(({ line, text, why }) => h.li({ key: line }, `Line ${line}, ${why}: `, name(short(text, 80)))),
    ),
  );
}

function costOf({ searches, remembered, with_uri }: ImportPreview): string {
  const known = remembered + with_uri;
  const range =
    searches.at_most === searches.at_least
      ? number(searches.at_most)
      : `${number(searches.at_least)} to ${number(searches.at_most)}`;
  const cost =
    searches.at_most === 0
      ? 'No search is needed'
      : `It takes ${range} ${searches.at_most === 1 ? 'search' : 'searches'}`;
  return known === 0
    ? `${cost}.`
    : `${cost}; ${count(known, 'song')} ${known === 1 ? 'is' : 'are'} known already.`;
}
