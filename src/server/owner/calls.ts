/**
 * What a person does on the owner's page: one table with each call's input and what it does, with the functions that the command
 * line and the tools use. Requests to Spotify are sent only here. What a call finds out goes into the tab, which the cards show.
 */
import * as z from 'zod';
import { lazy } from '../../base/memoised.ts';
import { storeSetting } from '../../config/settings.ts';
import { LEVEL_WORDS, LEVELS } from '../../domain/access.ts';
import { asRelayError, RelayError } from '../../domain/errors.ts';
import { looksLikeClientId } from '../../domain/ids.ts';
import { KEEP_ACTIONS, KEEP_INTERVALS } from '../../domain/keep.ts';
import { parseRule } from '../../domain/keepRules.ts';
import { WRITTEN_FORMATS } from '../../domain/listExport.ts';
import { pageText, plainCommand } from '../../domain/remedy.ts';
import type { Fix } from '../../domain/settling.ts';
import { writeList } from '../../music/lists/writeList.ts';
import type { Call } from '../../provider/api.ts';
import { SEARCH_PAGE } from '../../provider/resources/catalog.ts';
import { getPlaybackState } from '../../provider/resources/player.ts';
import { findTracks } from '../../tools/catalog/catalogReading.ts';
import { playlistNames } from '../../tools/playlists/playlistNames.ts';
import { deduplicatePlaylistTool } from '../../tools/playlists/playlistRewriting.ts';
import { forgetBrowsers, revokeClient, setClientAccess } from '../access/approved.ts';
import { loginWithTicket, playsProgress, requireClientId, type ServerSide, signInUrl } from '../calls.ts';
import type { Core } from '../core.ts';
import { inTime } from '../inTime.ts';
import { leaveAccount } from '../leaveAccount.ts';
import { ownerUndo } from '../ownerChanges.ts';
import { ownerImport, ownerPlaylistRows, ownerPreview } from '../ownerLists.ts';
import { ownerRestore, ownerVersion, ownerVersions } from '../ownerVersions.ts';
import { forgetRemembered } from '../remembered.ts';
import { chooseCovers } from './covers.ts';
import { nearItems } from './pageState.ts';
import { CANDIDATES, FORGOTTEN, type Imported, nextFile, type Settling, type Tab } from './tab.ts';

/** Who asks, and on which page. */
export interface Asked {
  core: Core;
  server: ServerSide;
  /** ID of the browser. */
  browser: string;
  tab: Tab;
}

/** What the page does after a call, besides showing the cards again. */
interface Answer {
  /** What to say. */
  told?: string;
  /** Where to go. */
  next?: string;
  /** A file to save. */
  file?: { name: string; text: string };
  /** True if the page has to be loaded again. */
  reload?: true;
  /** True if the browser is no longer signed in. */
  signedOut?: true;
  [other: string]: unknown;
}

/** How long a call that a person waits for may take. */
const PATIENCE_MS = 20_000;

const Id = () => z.string().min(1).max(200);
const nothing = () => z.object({});

interface OwnerCallFacts<S extends z.ZodType> {
  shape: () => S;
  run(given: z.output<S>, asked: Asked): Promise<Answer | unknown>;
}

function call<S extends z.ZodType>(shape: () => S, run: OwnerCallFacts<S>['run']): OwnerCallFacts<S> {
  return { shape: lazy(shape), run };
}

function patiently<T>({ server }: Asked, work: (call: Call) => Promise<T>): Promise<T> {
  const called = (signal: AbortSignal) => work({ signal, progress() {}, by: 'page' });
  return inTime(server.services, 'This', 'Try again.', called, PATIENCE_MS);
}

/** Every call, by its path below `/owner/`. */
export const CALLS = {
  'account/connect': call(
    () => z.object({ switchAccount: z.boolean() }),
    async ({ switchAccount }, { core, server }) => {
      requireClientId(core);
      const { redirectUri } = server;
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
  ),
  /** `erase`: also forgets everything else about the account. */
  'account/disconnect': call(
    () => z.object({ erase: z.boolean().optional() }),
    async ({ erase = false }, { core, server }) => {
      server.pageLogin.attemptId = null;
      await leaveAccount(core, server.services.works, erase);
      const what = erase ? 'everything about it is forgotten' : 'the copy of its library is deleted';
      return { told: `The account is disconnected, and ${what}.` };
    },
  ),
  'app/set': call(
    () => z.object({ clientId: z.string().trim().min(1).max(200) }),
    async ({ clientId }, { core, tab }) => {
      storeSetting({ env: {}, flags: { home: core.settings.home } }, 'providerClientId', clientId);
      tab.editsClientId = false;
      const isOdd = !looksLikeClientId(clientId.toLowerCase());
      return { told: `The client ID is saved.${isOdd ? ' Most have 32 characters, 0-9 and a-f.' : ''}` };
    },
  ),
  'browsers/forget': call(
    () => z.object({ id: Id() }),
    async ({ id }, { core }) => void (await forgetBrowsers(core, id)),
  ),
  'sign-out': call(nothing, async (_, { core, browser }) => {
    await forgetBrowsers(core, browser);
    return { signedOut: true };
  }),

  'changes/look': call(
    () => z.object({ id: Id() }),
    ({ id }, asked) => lookAtUndo(asked, id),
  ),
  'changes/undo': call(
    () => z.object({ change: Id().nullable(), force: z.boolean(), dryRun: z.boolean() }),
    async (request, asked) => {
      const { server, tab } = asked;
      try {
        const { summary, job_id } = await ownerUndo(server.services, request, 'page');
        tab.undo = null;
        return { told: job_id === undefined ? summary : 'Undoing continues as a job.' };
      } catch (error) {
        tab.undo = null;
        // The playlist has changed since the preview. A new preview may ask whether to undo anyway.
        if (isForceable(error) && request.change !== null) await lookAtUndo(asked, request.change);
        throw error;
      }
    },
  ),

  'clients/revoke': call(
    () => z.object({ clientId: z.string().min(1).max(2_000) }),
    async ({ clientId }, { core }) => {
      await revokeClient(core, clientId, false);
      return { told: 'Its access has ended.' };
    },
  ),
  'clients/access': call(
    () => z.object({ clientId: z.string().min(1).max(2_000), level: z.enum(LEVELS) }),
    async ({ clientId, level }, { core }) => {
      await setClientAccess(core, clientId, level);
      return { told: `It may do this from its next request on: ${LEVEL_WORDS[level].may}.` };
    },
  ),
  'clients/setup': call(
    () => z.object({ client: z.string().max(200) }),
    async ({ client }, { core, server, tab }) => {
      const { clientSetup } = await import('./clientSetup.ts');
      tab.setup = client === '' ? null : await clientSetup(client, core, server);
      return { setup: tab.setup };
    },
  ),

  'jobs/cancel': call(
    () => z.object({ id: Id() }),
    async ({ id }, asked) => {
      await patiently(asked, ({ signal }) => asked.server.services.works.cancel(id, signal));
      return { told: 'It is cancelled. Songs that were added already stay.' };
    },
  ),
  'jobs/commit': call(
    () => z.object({ ids: z.array(Id()).min(1).max(1_000), skipUnresolved: z.boolean() }),
    async ({ ids, skipUnresolved }, { server, tab }) => {
      for (const id of ids) await server.services.works.commit(id, { skipUnresolved });
      tab.settling = null;
    },
  ),
  'jobs/resume': call(
    () => z.object({ id: Id(), review: z.enum(['continue', 'keep', 'undo']).nullable() }),
    async ({ id, review }, asked) => {
      const { works } = asked.server.services;
      await patiently(asked, (by) => works.resume(id, review ?? undefined, by));
    },
  ),
  'jobs/search': call(
    () => z.object({ position: z.int().min(0), text: z.string().trim().min(1).max(300) }),
    async ({ position, text }, asked) => {
      const { settling } = asked.tab;
      const search = (by: Call) => findTracks(asked.server.services.provider, text, SEARCH_PAGE, by);
      const { items } = await patiently(asked, search);
      if (settling) settling.found = { position, text, tracks: items.slice(0, CANDIDATES) };
      return items.length === 0 ? { told: 'Spotify finds nothing for this.' } : {};
    },
  ),
  /** Decides about an entry. One that was decided before, perhaps elsewhere, stays as it is, unless the person came back to it. */
  'jobs/settle': call(
    () => {
      const position = z.int().min(0).max(1_000_000);
      const fix = z.union([
        z.object({ position, uri: Id() }),
        z.object({ position, skip: z.literal(true) }),
      ]) satisfies z.ZodType<Fix>;
      return z.object({ id: Id(), fixes: z.array(fix).max(500) });
    },
    async ({ id, fixes }, asked) => {
      const { works } = asked.server.services;
      const { settling } = asked.tab;
      const again = settling?.again ?? null;
      const before = fixes.flatMap(({ position }) => works.items(id, position, 1).items);
      const { late } = await patiently(asked, (by) =>
        works.settle(id, { fixes, onlyOpen: again === null }, by),
      );
      if (settling) {
        settling.past = [...settling.past, ...(again ? [again] : before)];
        settling.done += again ? 0 : fixes.length - late;
        moveOn(settling, again ? settling.at : (fixes.at(-1)?.position ?? 0) + 1);
      }
      const stays =
        late === 1 ? 'One entry was decided before, and stays as it was.' : `${late} stay as they were.`;
      return { late, ...(late > 0 ? { told: stays } : {}) };
    },
  ),
  /** Shows what accepting all near matches would settle, or goes back to single entries. */
  'settle/near': call(
    () => z.object({ isAsked: z.boolean() }),
    async ({ isAsked }, { server, tab: { settling } }) => {
      if (settling === null) return;
      settling.near = isAsked && nearItems(server.services, settling.job).length > 0;
      return isAsked && !settling.near ? { told: 'None of them has a close match.' } : {};
    },
  ),
  'settle/open': call(
    () => z.object({ id: Id().nullable() }),
    async ({ id }, { tab }) => {
      tab.settling =
        id === null ? null : { job: id, at: 0, again: null, past: [], done: 0, found: null, near: false };
    },
  ),
  /** Goes back to the entry that was decided last, or leaves the one on display for later. */
  'settle/step': call(
    () => z.object({ to: z.union([z.literal('back'), z.int().min(0)]) }),
    async ({ to }, { tab: { settling } }) => {
      if (settling === null) return;
      const last = to === 'back' ? settling.past.pop() : undefined;
      moveOn(settling, to === 'back' ? settling.at : settling.again ? settling.at : to);
      settling.again = last ?? null;
    },
  ),

  'events/clear': call(nothing, async (_, { server }) => {
    const cleared = await server.services.works.clear();
    const what = cleared === 1 ? 'One finished job is' : `${cleared} finished jobs are`;
    return { told: `${what} cleared. What they wrote can still be undone.` };
  }),
  /** Shows or hides covers. The page is loaded again, since its content policy names the hosts that it may load covers from. */
  'covers/choose': call(
    () => z.object({ show: z.boolean() }),
    async ({ show }, { core }) => {
      chooseCovers(core.settings, show);
      return { reload: true };
    },
  ),

  'import/choose': call(
    () =>
      z.object({
        list: z.string().max(1_000).optional(),
        artistSide: z.enum(['left', 'right']).optional(),
        target: z.enum(['new', 'playlist', 'saved']).optional(),
      }),
    async ({ list, artistSide, target }, { server, tab }) => {
      const { imported } = tab;
      if (imported === null) return;
      if (target !== undefined) imported.target = target;
      if (list === undefined && artistSide === undefined) return;
      const changed = {
        list: list === undefined ? imported.list : listOf(list),
        artistSide: artistSide ?? imported.artistSide,
      };
      const preview = await ownerPreview(server.services, contentOf({ ...imported, ...changed }));
      Object.assign(imported, changed, { preview });
    },
  ),
  'import/start': call(
    () =>
      z.object({
        name: z.string().trim().max(100).optional(),
        playlistId: Id().optional(),
        skipDuplicates: z.boolean().default(false),
      }),
    async ({ name, playlistId, skipDuplicates }, { server, tab }) => {
      const { imported } = tab;
      if (imported === null) return;
      const each = imported.list === 'each' && imported.lists.length > 1 ? ('all' as const) : undefined;
      const target = targetOf(imported, name, playlistId);
      const choices = { target, each, skipDuplicates, strict: true };
      const { jobs } = await ownerImport(server.services, { ...contentOf(imported), ...choices }, 'page');
      // The bytes are not needed any more.
      Object.assign(imported, { jobs: jobs.map(({ job_id }) => job_id), bytes: new Uint8Array() });
    },
  ),
  'import/close': call(nothing, async (_, { tab }) => {
    tab.imported = null;
    tab.history = null;
    tab.settling = null;
  }),

  'keeps/act': call(
    () => z.object({ id: z.string().min(1).max(100), action: z.enum(KEEP_ACTIONS) }),
    async ({ id, action }, asked) => {
      const { note } = await patiently(asked, (by) => asked.server.services.keeps.act(id, action, by));
      return note === undefined ? {} : { told: note };
    },
  ),
  /** Shows what it would do to keep the open playlist by a ready rule, or keeps it. */
  'keeps/add': call(
    () =>
      z.object({
        rule: z.string().max(200),
        every: z.enum(KEEP_INTERVALS),
        dryRun: z.boolean().default(true),
      }),
    async ({ rule, every, dryRun }, asked) => {
      const { playlist } = asked.tab;
      if (playlist === null) return;
      const request = { playlistId: playlist.id, name: null, every, dryRun, rule: parseRule(rule).rule };
      const { keeps } = asked.server.services;
      const added = await inTime(asked.server.services, 'This', 'Try again.', (signal) =>
        keeps.add(request, { signal }),
      );
      playlist.part = dryRun ? { kind: 'keep', asked: { rule, every }, preview: added } : null;
      return { ...((added.note ?? added.warning) ? { told: added.note ?? added.warning ?? '' } : {}) };
    },
  ),
  'library/sync': call(nothing, async (_, { core }) => void (await core.library.sync())),
  'library/forget': call(nothing, async (_, { core, tab }) => {
    await core.library.forget('mirror');
    tab.listed = FORGOTTEN;
    return { told: 'The copy of the library is deleted.' };
  }),
  'plays/progress': call(
    () => z.object({ id: z.int().min(1) }),
    async ({ id }, { core }) => ({ ...(await playsProgress(core, id)) }),
  ),
  'player/look': call(nothing, async (_, asked) => {
    const state = await patiently(asked, (by) => getPlaybackState(asked.server.services.provider, by));
    return state?.is_playing ? {} : { told: 'Nothing is playing.' };
  }),

  /** Reads the list of playlists, so that the page can show it. */
  'playlists/read': call(
    () => z.object({ after: z.string().max(100) }),
    async ({ after }, asked) => {
      asked.tab.listed = after;
      await patiently(asked, ({ signal }) => asked.core.library.playlists({ signal }));
    },
  ),
  /** Asks Spotify for names of playlists that the page mentions. */
  'playlists/names': call(
    () => z.object({ ids: z.array(Id()).max(50) }),
    async ({ ids }, { server }) => void (await playlistNames(server.services, ids)),
  ),
  'playlists/find': call(
    () => z.object({ text: z.string().max(200) }),
    async ({ text }, { tab }) => void Object.assign(tab, { find: text, more: { ...tab.more, playlists: 0 } }),
  ),
  'playlists/open': call(
    () => z.object({ id: Id().nullable(), name: z.string().max(1_000) }),
    async ({ id, name }, { tab }) => {
      tab.playlist = id === null || tab.playlist?.id === id ? null : { id, name, part: null };
    },
  ),
  'playlists/part': call(
    () => z.object({ part: z.enum(['songs', 'duplicates', 'versions', 'keep', 'export']).nullable() }),
    async ({ part }, asked) => {
      const { playlist } = asked.tab;
      if (playlist === null) return;
      const isOpen = part === null || playlist.part?.kind === part;
      const read = isOpen ? null : await partOf(asked, playlist.id, part);
      Object.assign(playlist, { part: read });
    },
  ),
  'playlists/clean': call(
    () => z.object({ others: z.boolean() }),
    async ({ others }, asked) => {
      const { playlist } = asked.tab;
      if (playlist === null) return;
      const { removed } = await deduplicate(asked, playlist.id, { others, dryRun: false });
      playlist.part = null;
      const what = removed.length === 1 ? 'One repeat is' : `${removed.length} repeats are`;
      return { told: `${what} taken out. You can undo this under “What happened”.` };
    },
  ),
  'playlists/export': call(
    () => z.object({ id: Id(), format: z.enum(WRITTEN_FORMATS) }),
    async ({ id, format }, { server }) => {
      const { playlist, rows } = await ownerPlaylistRows(server.services, id);
      const name =
        playlist.name
          .replace(/[^\p{L}\p{N} ._-]/gu, '')
          .trim()
          .slice(0, 100) || 'playlist';
      return { file: { name: `${name}.${format}`, text: writeList(format, rows, playlist.name) } };
    },
  ),
  'versions/show': call(
    () => z.object({ version: z.int().min(1) }),
    ({ version }, asked) => showVersion(asked, version),
  ),
  'versions/restore': call(
    () => z.object({ version: z.int().min(1), agreed: z.string().max(100), skipUnsupported: z.boolean() }),
    async ({ version, agreed, skipUnsupported }, asked) => {
      const { playlist } = asked.tab;
      if (playlist?.part?.kind !== 'versions') return;
      const { of } = playlist.part;
      const request = { id: of.playlist_id, version, dryRun: false, name: of.present ? null : of.name };
      try {
        const options = { skipUnsupported, agreed };
        const { note } = await ownerRestore(asked.server.services, { ...request, ...options }, 'page');
        playlist.part = null;
        return { told: note ?? 'The playlist is as it was. You can undo this under “What happened”.' };
      } catch (error) {
        if (asRelayError(error).code === 'CONFLICT') await showVersion(asked, version);
        throw error;
      }
    },
  ),

  'remembered/forget': call(
    () => z.object({ id: Id() }),
    async ({ id }, { core }) => void (await forgetRemembered(core, id)),
  ),
  'view/more': call(
    () => z.object({ list: z.string().max(20) }),
    async ({ list }, { tab }) => {
      tab.more[list] = (tab.more[list] ?? 0) + 1;
    },
  ),
  'view/steps': call(
    () => z.object({ hide: z.boolean().optional(), edit: z.boolean().optional() }),
    async ({ hide, edit }, { tab }) => {
      tab.hidesSteps = hide ?? tab.hidesSteps;
      tab.editsClientId = edit ?? tab.editsClientId;
    },
  ),
  /** Puts away the preview of an undo. */
  'view/keep': call(nothing, async (_, { tab }) => {
    tab.undo = null;
  }),
};

export type OwnerCall = keyof typeof CALLS;

/** Takes a file that was dropped, chosen or pasted, and shows how it is read. */
export async function takeFile({ server, tab }: Asked, bytes: Uint8Array, fileName: string): Promise<void> {
  const fresh = {
    key: nextFile(),
    fileName,
    bytes,
    list: 'each',
    artistSide: null,
    target: 'new',
    jobs: [],
  } as const;
  const preview = await ownerPreview(server.services, contentOf(fresh));
  tab.imported = { ...fresh, preview, lists: preview.lists };
  tab.settling = null;
}

function contentOf({
  bytes,
  fileName,
  list,
  artistSide,
  target,
}: Omit<Imported, 'preview' | 'lists' | 'key' | 'jobs'>) {
  return {
    content: Buffer.from(bytes).toString('base64'),
    tracksOnly: target === 'saved',
    list: typeof list === 'object' ? list.name : undefined,
    artistSide: artistSide ?? undefined,
    fileName,
  };
}

/** Reads the value of the page's choice among the playlists of a file. */
function listOf(value: string): Imported['list'] {
  return value === 'each' || value === 'all' ? value : { name: value.slice(1) };
}

function targetOf(
  { target, fileName, preview }: Imported,
  name: string | undefined,
  playlistId: string | undefined,
) {
  if (target === 'saved') return { kind: target };
  if (target === 'new') return { kind: target, name: name || (preview.name ?? fileName).slice(0, 100) };
  if (playlistId !== undefined) return { kind: target, playlistId, replace: false };
  throw new RelayError('INVALID_ARGUMENT', 'Choose a playlist first.');
}

function moveOn(settling: Settling, at: number): void {
  Object.assign(settling, { at, again: null, found: null, near: false });
}

async function lookAtUndo({ server, tab }: Asked, change: string): Promise<void> {
  try {
    const { summary, added, taken, notes } = await ownerUndo(
      server.services,
      { change, force: false, dryRun: true },
      'page',
    );
    const side = (what: string, { count, first }: typeof added) => {
      if (first.length === 0) return [];
      const more = count > first.length ? ` and ${count - first.length} more` : '';
      return [`${what}: ${first.join('; ')}${more}`];
    };
    tab.undo = {
      change,
      force: false,
      lines: [summary, ...side('Back', added), ...side('Gone', taken), ...notes],
    };
  } catch (error) {
    if (!isForceable(error)) throw error;
    const { message, remedyValue } = error;
    tab.undo = {
      change,
      force: true,
      lines: [message, remedyValue ? pageText(remedyValue, plainCommand) : ''],
    };
  }
}

function isForceable(error: unknown): error is RelayError {
  if (!(error instanceof RelayError) || error.code !== 'CONFLICT') return false;
  return 'present_count' in (error.details ?? {}) || 'expected' in (error.details ?? {});
}

async function partOf(
  asked: Asked,
  id: string,
  kind: NonNullable<NonNullable<Tab['playlist']>['part']>['kind'],
) {
  const { services } = asked.server;
  switch (kind) {
    case 'songs':
      return { kind, rows: (await ownerPlaylistRows(services, id)).rows };
    case 'versions':
      return { kind, of: await ownerVersions(services, id), shown: null };
    case 'keep':
      return { kind, asked: { rule: 'fresh', every: 'day' as const }, preview: null };
    case 'export':
      return { kind };
    case 'duplicates': {
      const exact = await deduplicate(asked, id, { others: false, dryRun: true });
      const all = await deduplicate(asked, id, { others: true, dryRun: true });
      const positions = new Set(exact.removed.map(({ position }) => position));
      const others = all.removed.filter(({ position }) => !positions.has(position));
      const nameOf = ({ name }: { name: string }) => name;
      return { kind, exact: exact.removed.map(nameOf), others: others.map(nameOf), refusal: exact.refusal };
    }
  }
}

/** Takes out repeats, or tells which they are, as the tool does. Rows that cannot be written again stay where they are. */
async function deduplicate(
  asked: Asked,
  id: string,
  { others, dryRun }: { others: boolean; dryRun: boolean },
) {
  const args = { playlist_id: { id }, same_song: others, around_unsupported: true, dry_run: dryRun };
  const answer = await inTime(asked.server.services, 'This', 'Try again.', (signal) =>
    deduplicatePlaylistTool.handle(asked.server.services, args, { signal, progress() {}, by: 'page' }),
  );
  const { removed, note } = answer as { removed: Array<{ position: number; name: string }>; note?: string };
  return { removed, refusal: note?.includes('have to move') ? note : null };
}

async function showVersion({ server, tab }: Asked, version: number): Promise<void> {
  const { playlist } = tab;
  if (playlist?.part?.kind !== 'versions') return;
  const { of } = playlist.part;
  const id = of.playlist_id;
  const name = of.present ? null : of.name;
  const asked = { id, version, name, dryRun: true, skipUnsupported: false };
  const [content, preview] = await Promise.all([
    ownerVersion(server.services, id, version),
    ownerRestore(server.services, asked, 'page'),
  ]);
  playlist.part = { kind: 'versions', of, shown: { version, content, preview } };
}
