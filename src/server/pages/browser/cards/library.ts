/** The copy of the library: what it has, how old it is, and buttons to update or delete it. */
import { type App, button, card, row, soft } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { count, fromNow, number, timeOf, wordsOfReason } from '../format.ts';
import { ask } from '../session.ts';
import { versionsPart } from '../versions.ts';

export function libraryCard(app: App): Child {
  const { library, account } = app.state;
  const { saved, savedCoverage, playlists, asOf, state, until, reason, progress } = library;
  const isEmpty = savedCoverage === 'none' && playlists.total === 0;
  if (!account.connected && isEmpty) return null;
  return card(
    'library',
    'Library',
    isEmpty
      ? soft('Nothing has been read yet. Once the library is read, AI clients can query it in one call.')
      : h.p(
          `${count(saved, 'saved track')}${savedCoverage === 'complete' ? '' : ' so far'}, ${number(playlists.read)} of ${count(playlists.total, 'playlist')}`,
          playlists.unreadable > 0 && ` (${number(playlists.unreadable)} that Spotify does not show)`,
          asOf !== null && `, read ${fromNow(asOf)}`,
          '.',
        ),
    state === 'reading' && [
      h.progress({
        max: Math.max(1, progress.total),
        value: progress.done,
        'aria-label': 'Reading the library',
      }),
      soft(`${number(progress.done)} of about ${count(progress.total, 'request')}`),
    ],
    state === 'waiting' &&
      h.p(
        { class: 'warn' },
        `The reading waits${until === null ? '' : ` until ${timeOf(until)}`}: ${libraryReason(reason)}.`,
      ),
    row(
      account.connected &&
        button(app, 'library-sync', isEmpty ? 'Read it' : 'Update', () => ask('library/sync', {}), {
          about: 'the library',
        }),
      !isEmpty &&
        button(app, 'library-forget', 'Forget', () => ask('library/forget', {}), {
          confirm: 'Forget it now',
          about: 'the copy of the library',
          done: 'The copy of the library is deleted.',
          kind: 'quiet',
        }),
      app.doing.versions === null && versionsPart(app),
    ),
    app.doing.versions !== null && versionsPart(app),
  );
}

function libraryReason(reason: string | null): string {
  return reason === 'BUDGET'
    ? 'its requests for 24 hours are used up'
    : wordsOfReason(reason ?? 'PROVIDER_UNAVAILABLE');
}
