/** Earlier versions of playlists: the list, what each holds, and restoring one after a preview. */
import type { PlaylistVersion, PlaylistVersions, RestoreAnswer } from '../../../domain/versions.ts';
import { type App, button, list, name, plainButton, row, soft, type VersionsOpen } from './app.ts';
import { type Child, h } from './dom.ts';
import { count, number, timeOf } from './format.ts';
import { ask, hasCode } from './session.ts';

/** The part of the library card that shows earlier versions. */
export function versionsPart(app: App): Child {
  const { doing } = app;
  const open = doing.versions;
  if (open === null) {
    return button(
      app,
      'versions',
      'Earlier versions',
      async () => {
        doing.versions = { ...(await ask('versions/playlists', {})), of: null, shown: null };
      },
      { kind: 'quiet', about: 'playlists' },
    );
  }
  return h.section(
    { key: 'versions-open', 'aria-label': 'Earlier versions of playlists' },
    open.of === null ? playlistsPart(app, open) : versionsOf(app, open, open.of),
    row(plainButton('Close', () => app.set({ versions: null }))),
  );
}

function playlistsPart(app: App, open: VersionsOpen): Child {
  return list(
    open.playlists.map(({ id, name: text }) =>
      h.li(
        { key: id, class: 'row' },
        name(text),
        button(app, `versions ${id}`, 'Earlier versions', () => openPlaylist(app, id), {
          kind: 'quiet',
          about: text,
        }),
      ),
    ),
    'None yet. Each reading of the library keeps a version of every playlist that has changed.',
  );
}

async function openPlaylist(app: App, id: string): Promise<void> {
  const of = await ask('versions/list', { id });
  const { versions } = app.doing;
  if (versions !== null) app.doing.versions = { ...versions, of, shown: null };
}

function versionsOf(app: App, open: VersionsOpen, of: PlaylistVersions): Child {
  return [
    h.p(name(of.name), !of.present && ' (not in the library of the connected account)'),
    list(
      of.items.map((item) =>
        h.li(
          { key: String(item.version) },
          row(
            h.span(`${timeOf(item.seen_at)}: ${count(item.total, 'song')}`, changedWords(item)),
            button(app, `version ${item.version}`, 'Show', () => look(app, of, item.version), {
              kind: 'quiet',
              about: timeOf(item.seen_at),
            }),
          ),
          open.shown?.version === item.version && shownPart(app, of, open.shown),
        ),
      ),
    ),
  ];
}

function changedWords({ added, removed, version }: PlaylistVersion): string {
  if (version === 1) return '';
  return ` (${number(added)} added, ${number(removed)} removed)`;
}

async function look(app: App, of: PlaylistVersions, version: number): Promise<void> {
  const id = of.playlist_id;
  const restored = (name: string | null) =>
    ask('versions/restore', { id, version, name, dryRun: true, skipUnsupported: false });
  const [content, preview] = await Promise.all([
    ask('versions/show', { id, version }),
    restored(nameFor(of)).catch(async (error) => {
      if (!hasCode(error, 'NOT_FOUND') || !of.present) throw error;
      // The playlist was deleted while its versions were open.
      await openPlaylist(app, id);
      return restored(of.name);
    }),
  ]);
  const { versions } = app.doing;
  if (versions !== null) app.doing.versions = { ...versions, shown: { version, content, preview } };
}

/** A playlist that is gone comes back as a new one. */
function nameFor({ present, name: text }: PlaylistVersions): string | null {
  return present ? null : text;
}

function shownPart(
  app: App,
  of: PlaylistVersions,
  { version, content, preview }: NonNullable<VersionsOpen['shown']>,
): Child {
  const { added_count, removed_count, moved_count, unsupported, plan } = preview;
  const isSame = added_count + removed_count + moved_count === 0 && of.present;
  const more = content.total - content.items.length;
  return [
    isSame
      ? soft(
          unsupported.length === 0
            ? 'The playlist is as it was then.'
            : 'The playlist is as it was then, but for what cannot come back.',
        )
      : h.p(
          `Restoring it adds ${number(added_count)}, removes ${number(removed_count)} and moves ${number(moved_count)}.`,
        ),
    unsupported.length > 0 &&
      h.p(
        { class: 'warn' },
        `Cannot come back: ${unsupported.slice(0, 5).map(unsupportedWords).join('; ')}${unsupported.length > 5 ? ` and ${number(unsupported.length - 5)} more` : ''}.`,
      ),
    !isSame &&
      button(
        app,
        `restore ${version}`,
        unsupported.length > 0 ? 'Restore the others' : of.present ? 'Restore' : 'Restore as a new playlist',
        async () => {
          const answer = await ask('versions/restore', {
            ...{ id: of.playlist_id, version, name: nameFor(of), dryRun: false },
            skipUnsupported: unsupported.length > 0,
            agreed: plan,
          }).catch(async (error: unknown) => {
            if (hasCode(error, 'CONFLICT')) await look(app, of, version);
            throw error;
          });
          app.doing.versions = null;
          app.tell(answer.note ?? doneWords(of, answer));
        },
        { kind: 'primary', confirm: 'Restore it now' },
      ),
    h.details(
      h.summary(`Its ${count(content.total, 'song')}`),
      h.ol(
        { class: 'songs' },
        content.items.map(({ position, name: song, artist }) =>
          h.li(
            { key: String(position) },
            song === null ? 'A song that Spotify no longer names' : name(song),
            artist ? ` by ${artist}` : '',
          ),
        ),
      ),
      more > 0 && soft(`And ${number(more)} more.`),
    ),
  ];
}

function doneWords({ name: text, present }: PlaylistVersions, { unsupported }: RestoreAnswer): string {
  const gone = unsupported.length;
  const left = gone === 0 ? '' : `, without ${count(gone, 'song')} that cannot come back`;
  const is = present ? 'as it was' : 'back as a new playlist';
  return `"${text}" is ${is}${left}. You can undo this under “What happened”.`;
}

function unsupportedWords({ name: song, position, reason }: RestoreAnswer['unsupported'][number]): string {
  return `${song ?? `row ${position + 1}`} (${reason === 'local' ? 'a local file' : 'no longer offered'})`;
}
