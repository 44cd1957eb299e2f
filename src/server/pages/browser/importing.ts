/** A list of songs: dropped, chosen or pasted, previewed, and turned into a job. */
import type { ImportTarget } from '../../../domain/listImport.ts';
import type { ImportAsked } from '../../../domain/ownerPage.ts';
import { type PlaysProgress, playsNotes, playsText } from '../../../domain/plays.ts';
import { type App, card, name } from './app.ts';
import { type Child, h } from './dom.ts';
import { count, fromNow, short } from './format.ts';
import { type Begun, EACH, nameOf, previewPart } from './importPreview.ts';
import { ask, RELAY, Refused, send } from './session.ts';

/** Maximum size of a list, which is the server's limit. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Time limit for a file: uploading a gigabyte or reading 100,000 lines takes a slow computer more than a minute. */
const FILE_MS = 5 * 60_000;

/** Name of the file that pasted text becomes. */
const PASTED = 'Pasted list.txt';

export function createImporter(app: App): App['importer'] {
  let begun: Begun | null = null;
  /** Number of files that were read. */
  let files = 0;
  /** The text in the field for pasted songs. */
  let text = '';
  let isOver = false;
  /** The history that is being read, by its name, and how far; null if none is. */
  let history: { name: string; progress: PlaysProgress | null } | null = null;
  /** The other way in which the list is being read; null if it is read. */
  let asked: Pick<Begun, 'list' | 'artistSide'> | null = null;

  async function look(file: File, given: Pick<Begun, 'list' | 'artistSide'>): Promise<Begun['preview']> {
    const { preview } = await upload<{ preview: Begun['preview'] }>('import/read', file, {
      list: given.list === EACH ? null : given.list,
      artistSide: given.artistSide,
      target: null,
      skipDuplicates: false,
    });
    return preview;
  }

  /** @param taken called once the list has been read */
  function choose(given: ArrayLike<File>, taken = () => {}): void {
    const file = given[0];
    if (file === undefined) return;
    const shown = short(file.name, 60);
    const isHistory = /\.zip$/i.test(file.name);
    if (app.doing.busy.has(isHistory ? 'history' : 'import')) {
      app.tell(`relay is still at work on another file. Give it ${shown} again after that.`, true);
      return;
    }
    if (isHistory) {
      location.hash = '';
      app.act('history', () => takeHistory(file, shown));
      return;
    }
    if (file.size > MAX_BYTES) {
      app.tell(`${shown} is larger than 4 MiB. Use ${RELAY} import in a terminal.`, true, 'import');
      return;
    }
    app.act('import', async () => {
      const preview = await look(file, NOTHING_CHOSEN);
      asked = null;
      begun = { ...NOTHING_CHOSEN, key: ++files, file, preview, lists: preview.lists };
      if (given.length > 1) app.tell(`One list at a time: this is ${shown}.`);
      taken();
      location.hash = '';
      app.redraw();
      document.getElementById('import')?.scrollIntoView({ block: 'nearest' });
    });
  }

  /** Takes Spotify's archive with a listening history, which goes into the library. */
  async function takeHistory(file: File, shown: string): Promise<void> {
    history = { name: shown, progress: null };
    app.redraw();
    const end = await endOf(file, history).finally(() => {
      history = null;
    });
    app.tell(
      [
        end.note,
        playsText(end.plays),
        ...playsNotes(end.plays, (option) => `${RELAY} import ${shown} ${option}`),
      ]
        .filter(Boolean)
        .join(' '),
    );
  }

  async function endOf(
    file: File,
    shown: NonNullable<typeof history>,
  ): Promise<Extract<PlaysProgress, { state: 'done' }>> {
    const { id } = await upload<{ id: number }>('plays/import', file, null);
    for (;;) {
      const now = await ask('plays/progress', { id });
      if (now.state === 'done') return now;
      shown.progress = now;
      app.redraw();
    }
  }

  function paste(songs: string, taken?: () => void): void {
    if (songs.trim() !== '') choose([new File([songs], PASTED, { type: 'text/plain' })], taken);
  }

  // A file may be dropped anywhere on the page. Outside the drop zone, it would otherwise replace the page.
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
    choose(event.dataTransfer?.files ?? []);
  });
  addEventListener('paste', ({ target, clipboardData }) => {
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
    if (document.getElementById('import') === null || document.querySelector('dialog[open]') !== null) return;
    const files = clipboardData?.files ?? [];
    if (files.length > 0) choose(files);
    else paste(clipboardData?.getData('text/plain') ?? '');
  });

  async function start(shown: Begun): Promise<void> {
    const { file, list, artistSide, preview, skipDuplicates } = shown;
    const { jobs } = await upload<{ jobs: string[] }>('import/start', file, {
      list: list === EACH ? null : list,
      artistSide,
      target: list === EACH ? { kind: 'new', name: short(file.name, 100) } : targetOf(shown),
      skipDuplicates,
      each: list === EACH,
    });
    begun = null;
    const [first] = jobs;
    if (first !== undefined) app.follow(first);
    const songs = `${count(preview.songs, 'song')}${jobs.length === 1 ? '' : ` for ${jobs.length} playlists`}`;
    const wait = waitFor(app, preview);
    app.tell(wait === null ? `Finding ${songs} …` : `relay finds ${songs} once ${wait}.`);
  }

  function change(what: Partial<Begun>): void {
    if (begun !== null) begun = { ...begun, ...what };
    app.redraw();
  }

  const steps = {
    start: (shown: Begun) => void app.act('import', () => start(shown)),
    cancel() {
      begun = null;
      asked = null;
      app.redraw();
    },
    again(given: Pick<Begun, 'list' | 'artistSide'>) {
      asked = given;
      app.act('look', async () => {
        try {
          while (begun !== null && asked !== null) {
            const [{ file }, now] = [begun, asked];
            const preview = await look(file, now);
            // Another playlist of the file has another name. A preview of one playlist does not list the others.
            if (begun?.file === file)
              begun = { ...begun, ...now, preview, name: now.list === begun.list ? begun.name : null };
            if (asked === now) asked = null;
          }
        } finally {
          asked = null;
        }
      });
    },
    choose(choice: Partial<Begun>) {
      change(choice);
      if (choice.target === 'playlist' && begun?.playlists === null) steps.readPlaylists();
    },
    readPlaylists() {
      app.act('playlists', async () => {
        const { playlists } = await ask('playlists/list', {});
        change({ playlists });
      });
    },
  };

  function dropZone(): Child {
    const submit = (event: Event) => {
      event.preventDefault();
      paste(text, () => {
        text = '';
      });
    };
    return [
      h.div(
        { class: isOver ? 'drop over' : 'drop', key: 'drop' },
        h.p(
          h.strong('Drop a list here'),
          ', or ',
          h.label({ for: 'import-file', class: 'link' }, 'choose a file'),
        ),
        h.input({
          id: 'import-file',
          type: 'file',
          class: 'hidden-text',
          onchange(event: Event) {
            const field = event.target as HTMLInputElement;
            choose(field.files ?? []);
            field.value = '';
          },
        }),
        h.p(
          { class: 'soft aside' },
          'CSV, text, M3U, iTunes XML, Spotify’s data export, the archive of a listening history and more',
        ),
      ),
      h.form(
        { class: 'paste', key: 'paste', onsubmit: submit },
        h.textarea({
          'aria-label': 'Paste songs',
          rows: 1,
          placeholder: 'Paste songs, one a line',
          value: text,
          oninput(event: Event) {
            text = (event.target as HTMLTextAreaElement).value;
          },
          spellcheck: 'false',
          autocomplete: 'off',
        }),
        h.button('Read'),
      ),
    ];
  }

  return {
    forgetPlaylists() {
      if (begun?.playlists) begun = { ...begun, target: 'new', playlistId: null, playlists: null };
    },
    card: () =>
      card(
        'import',
        'Import a list',
        history !== null && historyPart(history),
        begun === null ? dropZone() : previewPart(app, { ...begun, ...asked }, steps),
      ),
  };
}

const NOTHING_CHOSEN = {
  list: null,
  artistSide: null,
  target: 'new',
  name: null,
  playlistId: null,
  skipDuplicates: true,
  playlists: null,
} as const;

function historyPart({ name: shown, progress }: { name: string; progress: PlaysProgress | null }): Child {
  const isWriting = progress?.state === 'writing';
  const part =
    isWriting || progress?.state === 'reading'
      ? { max: Math.max(1, progress.total), value: progress.done }
      : {};
  return h.div(
    { key: 'history' },
    h.p(
      { class: 'soft', role: 'status' },
      isWriting ? 'Adding the plays of ' : 'Reading ',
      name(shown),
      ' …',
    ),
    h.progress({ ...part, 'aria-label': `Reading ${shown}` }),
  );
}

/** What must happen before relay can find the songs of a list, as words after "once"; null if it can find them now. */
function waitFor({ state }: App, { searches }: Begun['preview']): string | null {
  if (!state.account.connected) return 'a Spotify account is connected';
  if (searches.at_most === 0) return null;
  const search = state.limits.blocked.find(({ scope }) => scope === 'search');
  return search ? `Spotify allows searches again, ${fromNow(search.until)}` : null;
}

function targetOf(shown: Begun): ImportTarget {
  const { target: kind, playlistId, playlists } = shown;
  if (kind === 'saved') return { kind };
  if (kind === 'new') return { kind, name: nameOf(shown) };
  return { kind, playlistId: playlistId ?? playlists?.[0]?.id ?? '', replace: false };
}

/** Sends a file unchanged. What to do with it is in a header, so that no name is part of an address. */
async function upload<T>(
  path: 'import/read' | 'import/start' | 'plays/import',
  file: File,
  asked: Omit<ImportAsked, 'fileName'> | null,
): Promise<T> {
  const headers = {
    'content-type': 'application/octet-stream',
    'x-relay-import': encodeURIComponent(JSON.stringify({ ...asked, fileName: short(file.name, 200) })),
  };
  const sent = send(`/owner/${path}`, { method: 'POST', headers, body: file }, FILE_MS);
  return (await sent.catch((error) => refuseUnreadable(file, error))).json();
}

/** If the file itself cannot be read, the request failed for that reason. @throws Refused, or `error` */
async function refuseUnreadable(file: File, error: unknown): Promise<never> {
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      const message = `${short(file.name, 60)} is a folder, or has changed since. Give the file again.`;
      throw new Refused(400, { message });
    });
  throw error;
}
