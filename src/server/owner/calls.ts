/**
 * Carries out the calls of the owner's page, with the functions that the command line and the tools use. Requests to Spotify
 * are sent only for what a person clicks, and for playlist names that are not known yet.
 */

import { visibleText } from '../../base/visibleText.ts';
import { storeSetting } from '../../config/settings.ts';
import { RelayError } from '../../domain/errors.ts';
import type { ItemRecord, JobCandidate } from '../../domain/job.ts';
import type { ListContent } from '../../domain/localApi.ts';
import type {
  ImportAsked,
  OwnerCall,
  OwnerCalls,
  PageCandidate,
  PageItem,
  PageJob,
} from '../../domain/ownerPage.ts';
import { acceptWords, inputWords, NEAR_SCORE, nearnessWords } from '../../domain/settling.ts';
import type { Call } from '../../provider/api.ts';
import { SEARCH_PAGE } from '../../provider/resources/catalog.ts';
import { getPlaybackState } from '../../provider/resources/player.ts';
import { getAllMyPlaylists } from '../../provider/resources/playlists.ts';
import { findTracks } from '../../tools/catalog/catalogReading.ts';
import { playlistNames } from '../../tools/playlists/playlistNames.ts';
import { forgetBrowsers, revokeClient, setClientAccess } from '../access/approved.ts';
import { loginWithTicket, playsProgress, requireClientId, type ServerSide, signInUrl } from '../calls.ts';
import type { Core } from '../core.ts';
import { inTime } from '../inTime.ts';
import { leaveAccount } from '../leaveAccount.ts';
import { ownerUndo } from '../ownerChanges.ts';
import { ownerImport, ownerPreview } from '../ownerLists.ts';
import { ownerRestore, ownerVersion, ownerVersions } from '../ownerVersions.ts';
import { forgetRemembered } from '../remembered.ts';
import { choose } from './choices.ts';
import { clientSetup } from './clientSetup.ts';
import { followsPage } from './covers.ts';
import { ownerEvents, pageJobs } from './events.ts';

export type OwnerPageApi = {
  [C in OwnerCall]: (given: OwnerCalls[C]['given']) => Promise<OwnerCalls[C]['answer']>;
};

/** How long a call that a person waits for may take. */
const PATIENCE_MS = 20_000;
const ITEMS_PAGE = 100;
/** Maximum number of rows of a version that the page shows. */
const VERSION_ROWS = 100;

/** @param browser ID of the browser that asks */
export function ownerPageApi(core: Core, server: ServerSide, browser: string): OwnerPageApi {
  const { services, redirectUri } = server;
  const { works, provider } = services;

  function patiently<T>(work: (call: Call) => Promise<T>): Promise<T> {
    const called = (signal: AbortSignal) => work({ signal, progress() {}, by: 'page' });
    return inTime(services, 'This', 'Try again.', called, PATIENCE_MS);
  }

  return {
    async 'account/connect'({ switchAccount }) {
      requireClientId(core);
      // If a `relay login` is waiting for a browser, this login is made for its attempt, so that the command ends too.
      const attemptId =
        core.login.waiting(switchAccount) ?? core.login.start({ switchAccount, redirectUri }).attemptId;
      server.pageLogin.attemptId = attemptId;
      const login = loginWithTicket(core, attemptId);
      const { origin } = new URL(redirectUri);
      // To the browser, another name of this server is another origin, where it is not signed in yet.
      const isElsewhere = origin !== server.facts.baseUrl;
      return { next: isElsewhere ? signInUrl(server.owner, origin, login).url : `${origin}${login}` };
    },
    async 'account/disconnect'({ erase = false }) {
      server.pageLogin.attemptId = null;
      await leaveAccount(core, services.works, erase);
    },
    async 'app/set'({ clientId }) {
      storeSetting({ env: {}, flags: { home: core.settings.home } }, 'providerClientId', clientId);
    },
    async 'browsers/forget'({ id }) {
      await forgetBrowsers(core, id);
    },
    'changes/undo': (request) => ownerUndo(services, request, 'page'),
    async 'clients/revoke'({ clientId }) {
      await revokeClient(core, clientId, false);
    },
    'clients/setup': ({ client }) => clientSetup(client, core, server),
    async 'jobs/cancel'({ id }) {
      await patiently(({ signal }) => works.cancel(id, signal));
    },
    async 'jobs/commit'({ id, skipUnresolved }) {
      await works.commit(id, { skipUnresolved });
    },
    async 'jobs/items'({ id, offset }) {
      const [job] = pageJobs(core, services, [works.get(id)]);
      const { items } = works.items(id, offset, ITEMS_PAGE, 'unresolved');
      return { job: job as PageJob, items: items.map(itemOf) };
    },
    async 'jobs/near'({ id, score: given }) {
      const score = given ?? NEAR_SCORE;
      const near: ItemRecord[] = [];
      for (let offset: number | null = 0; offset !== null; ) {
        const page: ReturnType<typeof works.items> = works.items(id, offset, ITEMS_PAGE, 'unresolved');
        near.push(...page.items.filter((item) => scoreOf(item) >= score));
        offset = page.next;
      }
      near.sort((one, other) => scoreOf(one) - scoreOf(other));
      return { score, question: acceptWords(near.length), items: near.map(itemOf) };
    },
    async 'jobs/resume'({ id, review }) {
      await patiently((call) => works.resume(id, review ?? undefined, call));
    },
    async 'jobs/search'({ text }) {
      const { items } = await patiently((call) => findTracks(provider, text, SEARCH_PAGE, call));
      return { candidates: items.map((track) => candidateOf({ track, score: null, reasons: [] })) };
    },
    async 'jobs/settle'({ id, fixes, acceptNear }) {
      const settlement = { fixes, acceptNear: acceptNear ?? undefined, onlyOpen: true };
      const { late } = await patiently((call) => works.settle(id, settlement, call));
      return { late };
    },
    async 'remembered/forget'({ id }) {
      await forgetRemembered(core, id);
    },
    'events/list': async ({ limit }) => ownerEvents(core, services, limit),
    'events/clear': async () => ({ cleared: await works.clear() }),
    async 'clients/access'({ clientId, level }) {
      await setClientAccess(core, clientId, level);
    },
    async 'covers/choose'({ show }) {
      if (!followsPage(core.settings)) {
        throw new RelayError('SETTINGS_INVALID', 'The environment variable RELAY_COVERS decides this.', {
          remedy: 'To choose on this page, unset the variable and restart relay.',
        });
      }
      choose(core.settings, 'covers', String(show));
    },
    async 'keeps/act'({ id, action }) {
      await patiently((call) => services.keeps.act(id, action, call));
    },
    async 'library/sync'() {
      await core.library.sync();
    },
    async 'library/forget'() {
      await core.library.forget('mirror');
    },
    'plays/progress': ({ id }) => playsProgress(core, id),
    async 'player/look'() {
      await patiently((call) => getPlaybackState(provider, call));
    },
    async 'playlists/names'({ ids }) {
      await playlistNames(services, ids);
    },
    async 'playlists/list'() {
      const user = core.account.view().account?.providerUserId;
      const all = await patiently((call) => getAllMyPlaylists(provider, Number.MAX_SAFE_INTEGER, call));
      // Another person's playlist can be written to only if it is collaborative.
      const own = all.items.filter(({ owner, collaborative }) => owner.id === user || collaborative);
      return { playlists: own.map(({ id, name }) => ({ id, name: visibleText(name, 100) })) };
    },
    'versions/playlists': async () => ({ playlists: await namedForPage(services) }),
    async 'versions/list'({ id }) {
      const { name, ...found } = await ownerVersions(services, id);
      return { ...found, name: visibleText(name, 100) };
    },
    async 'versions/show'({ id, version }) {
      const { items } = await ownerVersion(services, id, version);
      const text = (from: string | null) => (from === null ? null : visibleText(from, 200));
      const first = items.slice(0, VERSION_ROWS);
      return {
        items: first.map(({ position, name, artist }) => ({
          position,
          name: text(name),
          artist: text(artist),
        })),
        total: items.length,
      };
    },
    async 'versions/restore'(request) {
      const answer = await ownerRestore(services, request, 'page');
      const named = answer.unsupported.map((row) => ({
        ...row,
        name: row.name && visibleText(row.name, 200),
      }));
      return { ...answer, unsupported: named };
    },
    async 'sign-out'() {
      await forgetBrowsers(core, browser);
    },
  };
}

/** Lists the playlists that have versions, deleted ones included, by name. */
async function namedForPage({ library }: ServerSide['services']) {
  const playlists = await library.versionedPlaylists();
  return playlists
    .map(({ id, name }) => ({ id, name: visibleText(name, 100) }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

/** Previews a list or, with a target, creates jobs for it and returns their IDs. */
export async function importFile({ services }: ServerSide, bytes: Uint8Array, asked: ImportAsked) {
  const { list, artistSide, target, skipDuplicates, fileName, each } = asked;
  const content: ListContent = {
    content: Buffer.from(bytes).toString('base64'),
    tracksOnly: target?.kind === 'saved',
    list: list ?? undefined,
    artistSide: artistSide ?? undefined,
    fileName,
  };
  if (target === null) return { preview: await ownerPreview(services, content) };
  const choices = { target, each: each === true ? ('all' as const) : undefined, skipDuplicates };
  const { jobs } = await ownerImport(services, { ...content, ...choices, strict: true }, 'page');
  return { jobs: jobs.map(({ job_id }) => job_id) };
}

/** Score of an item's first candidate; -1 if there is no candidate. */
function scoreOf({ candidates }: ItemRecord): number {
  return candidates?.[0]?.score ?? -1;
}

function itemOf({ position, input, status, candidates }: ItemRecord): PageItem {
  const shown = (candidates ?? []).map(candidateOf);
  return { position, input: visibleText(inputWords(input), 300), status, candidates: shown };
}

function candidateOf({
  track,
  score,
  reasons,
}: Pick<JobCandidate, 'track' | 'reasons'> & {
  score: number | null;
}): PageCandidate {
  return {
    uri: track.uri,
    name: visibleText(track.name),
    artists: visibleText(track.artists.map(({ name }) => name).join(', ')),
    album: visibleText(track.album.name ?? ''),
    durationMs: track.duration_ms,
    score,
    nearness: score === null ? null : nearnessWords(score),
    reasons,
  };
}
