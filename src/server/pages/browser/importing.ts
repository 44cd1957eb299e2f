/** A list from a file: dropped or chosen, looked at, and made a job of. */
import type { ImportPreview, ImportTarget } from '../../../domain/listImport.ts';
import type { ImportAsked, PagePlaylist } from '../../../domain/ownerPage.ts';
import { type App, button, card, name, soft } from './app.ts';
import { type Child, h } from './dom.ts';
import { count, number, short } from './format.ts';
import { ask, send } from './session.ts';

/** As the server takes it. */
const MAX_BYTES = 4 * 1024 * 1024;

interface Begun {
  file: File;
  preview: ImportPreview;
  list: string | null;
  artistSide: 'left' | 'right' | null;
  target: 'new' | 'saved' | 'playlist';
  playlists: PagePlaylist[] | null;
}

export function createImporter(app: App): App['importer'] {
  let begun: Begun | null = null;
  let isOver = false;

  async function look(file: File, given: Pick<Begun, 'list' | 'artistSide'>): Promise<void> {
    const { preview } = await upload<{ preview: ImportPreview }>('read', file, {
      ...given,
      target: null,
      skipDuplicates: false,
    });
    const { target = 'new', playlists = null } = begun?.file === file ? begun : {};
    begun = { file, preview, ...given, target, playlists };
  }

  function choose(file: File | undefined): void {
    if (file === undefined) return;
    if (file.size > MAX_BYTES) {
      app.tell(`${short(file.name, 60)} is larger than 4 MiB. Use relay import in a terminal.`, true);
      return;
    }
    app.act('import', () => look(file, { list: null, artistSide: null }));
  }

  // Anywhere on the page, so that nobody has to aim; a file that misses would otherwise replace the page.
  const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
  const over = (now: boolean) => {
    if (isOver === now) return;
    isOver = now;
    app.redraw();
  };
  addEventListener('dragover', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    over(true);
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) over(false);
  });
  addEventListener('drop', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    over(false);
    choose(event.dataTransfer?.files[0]);
  });

  async function start({ file, list, artistSide, target: kind }: Begun): Promise<void> {
    const target = targetOf(kind);
    const skipDuplicates = (document.getElementById('import-once') as HTMLInputElement).checked;
    const { jobs } = await upload<{ jobs: number }>('start', file, {
      list,
      artistSide,
      target,
      skipDuplicates,
    });
    begun = null;
    app.tell(jobs === 1 ? 'The job has begun.' : `${count(jobs, 'job')} have begun.`);
  }

  function targetOf(kind: Begun['target']): ImportTarget {
    if (kind === 'saved') return { kind };
    if (kind === 'new')
      return { kind, name: (document.getElementById('import-name') as HTMLInputElement).value };
    const playlistId = (document.getElementById('import-playlist') as HTMLSelectElement).value;
    return { kind, playlistId, replace: false };
  }

  function change(what: Partial<Begun>): void {
    if (begun !== null) begun = { ...begun, ...what };
    app.redraw();
  }

  function chooseTarget(target: Begun['target']): void {
    change({ target });
    if (target === 'playlist' && begun?.playlists === null) {
      app.act('playlists', async () => change({ playlists: (await ask('playlists/list', {})).playlists }));
    }
  }

  function dropZone(): Child {
    return h(
      'div',
      { class: isOver ? 'drop over' : 'drop', key: 'drop' },
      h(
        'p',
        null,
        'Drop a list here, or ',
        h('label', { for: 'import-file', class: 'link' }, 'choose a file'),
        '.',
      ),
      h('input', {
        id: 'import-file',
        type: 'file',
        class: 'hidden-text',
        onchange(event: Event) {
          const field = event.target as HTMLInputElement;
          choose(field.files?.[0]);
          field.value = '';
        },
      }),
      soft('CSV, text with one song a line, M3U, iTunes XML, Spotify’s data export and more.'),
    );
  }

  function previewPart(shown: Begun): Child {
    const { preview, file } = shown;
    return h(
      'form',
      {
        key: 'preview',
        onsubmit(event: Event) {
          event.preventDefault();
          app.act('import', () => start(shown));
        },
      },
      h('p', { class: 'big' }, name(short(file.name, 80))),
      h('p', null, `${count(preview.songs, 'song')}, read as ${preview.format.toUpperCase()}`),
      preview.lists.length > 1 && listChoice(shown),
      preview.artist_side !== null && sideChoice(shown),
      preview.examples.length > 0 &&
        h(
          'ul',
          { class: 'examples' },
          preview.examples.map(({ line, title, artist }) =>
            h(
              'li',
              { key: line },
              name(short(title)),
              h('span', { class: 'soft' }, ' by ', name(short(artist))),
            ),
          ),
        ),
      notSongs(preview),
      soft(costOf(preview)),
      targetChoice(shown),
      h(
        'p',
        null,
        h('input', { id: 'import-once', type: 'checkbox', checked: true }),
        h('label', { for: 'import-once', class: 'inline' }, ' Skip duplicates and songs already there'),
      ),
      h(
        'div',
        { class: 'row' },
        h(
          'button',
          {
            key: 'go',
            class: 'primary',
            'aria-disabled': app.doing.busy.has('import') ? 'true' : null,
            disabled: preview.songs === 0,
          },
          'Find the songs',
        ),
        h('button', { key: 'no', type: 'button', class: 'quiet', onclick: cancel }, 'Cancel'),
      ),
    );
  }

  function cancel(): void {
    begun = null;
    app.redraw();
  }

  function again(given: Pick<Begun, 'list' | 'artistSide'>): void {
    if (begun === null) return;
    const { file } = begun;
    app.act('import', () => look(file, given));
  }

  function listChoice({ preview, artistSide }: Begun): Child {
    return h(
      'p',
      null,
      h('label', { for: 'import-list' }, 'Playlist in the file'),
      h(
        'select',
        {
          id: 'import-list',
          onchange: (event: Event) =>
            again({ list: (event.target as HTMLSelectElement).value || null, artistSide }),
        },
        h('option', { value: '', key: '' }, 'All of them as one'),
        preview.lists.map(({ name: text, songs }) =>
          h('option', { key: text, value: text }, `${short(text, 60)} (${number(songs)})`),
        ),
      ),
    );
  }

  function sideChoice({ preview, list }: Begun): Child {
    const side = preview.artist_side;
    if (side === null) return null;
    const other = side.side === 'left' ? 'right' : 'left';
    return h(
      'p',
      { class: side.certain ? 'soft' : 'warn' },
      `The artist is on the ${side.side} of “ - ”: ${side.because}. `,
      button(app, 'side', `It is on the ${other}`, async () => again({ list, artistSide: other }), {
        kind: 'quiet',
      }),
    );
  }

  function targetChoice({ target, preview, file, playlists }: Begun): Child {
    const option = (kind: Begun['target'], text: string) =>
      h(
        'p',
        { key: kind },
        h('input', {
          id: `import-${kind}-target`,
          type: 'radio',
          name: 'import-target',
          checked: target === kind,
          onchange: () => chooseTarget(kind),
        }),
        h('label', { for: `import-${kind}-target`, class: 'inline' }, ` ${text}`),
      );
    return h(
      'fieldset',
      null,
      h('legend', null, 'Where to'),
      option('new', 'A new playlist'),
      target === 'new' &&
        h(
          'p',
          { key: 'name' },
          h('label', { for: 'import-name', class: 'hidden-text' }, 'Name of the playlist'),
          h('input', {
            id: 'import-name',
            required: true,
            maxlength: 100,
            value: (preview.name ?? withoutEnding(file.name)).slice(0, 100),
          }),
        ),
      option('playlist', 'One of my playlists'),
      target === 'playlist' &&
        (playlists === null
          ? soft('Reading …')
          : h(
              'p',
              { key: 'playlist' },
              h('label', { for: 'import-playlist', class: 'hidden-text' }, 'Playlist'),
              h(
                'select',
                { id: 'import-playlist' },
                playlists.map(({ id, name: text }) => h('option', { key: id, value: id }, short(text, 60))),
              ),
            )),
      option('saved', 'Liked Songs'),
    );
  }

  return {
    card: () => card('import', 'Import a list', begun === null ? dropZone() : previewPart(begun)),
  };
}

function withoutEnding(file: string): string {
  return file.replace(/\.[^.]{1,5}$/, '');
}

function notSongs({ not_songs: { total, lines } }: ImportPreview): Child {
  if (lines.length === 0) return null;
  return h(
    'details',
    null,
    h('summary', null, total === 1 ? '1 line is not a song' : `${count(total, 'line')} are not songs`),
    h(
      'ul',
      null,
      lines
        .slice(0, 20)
        .map(({ line, text, why }) =>
          h('li', { key: line }, `Line ${line}, ${why}: `, name(short(text, 80))),
        ),
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
  return known === 0 ? `${cost}.` : `${cost}; ${number(known)} ${known === 1 ? 'is' : 'are'} known already.`;
}

/** The file is sent as it is; what to do with it goes in a header, so that no name lands in an address. */
async function upload<T>(step: 'read' | 'start', file: File, asked: ImportAsked): Promise<T> {
  const headers = {
    'content-type': 'application/octet-stream',
    'x-relay-import': encodeURIComponent(JSON.stringify(asked)),
  };
  return (await send(`/owner/import/${step}`, { method: 'POST', headers, body: file })).json();
}
