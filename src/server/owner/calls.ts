/**
 * What a person does on the owner's page: one table with each call's input and what it does, with the functions that the command
 * line and the tools use. Requests to Spotify are sent only here. What a call finds out goes into the tab, which the cards show.
 */
import * as z from 'zod';
import { lazy } from '../../base/memoised.ts';
import { homeToName, storeSetting } from '../../config/settings.ts';
import { CLIENTS, stdioWords } from '../../connect/clientTable.ts';
import { closedRegistration } from '../../connect/closedRegistration.ts';
import { systemOf } from '../../connect/configPlaces.ts';
import { LEVEL_WORDS, LEVELS } from '../../domain/access.ts';
import { asRelayError, RelayError } from '../../domain/errors.ts';
import { looksLikeClientId } from '../../domain/ids.ts';
import { UNRESOLVED_STATUSES } from '../../domain/job.ts';
import { KEEP_ACTIONS, KEEP_INTERVALS } from '../../domain/keep.ts';
import { parseRule } from '../../domain/keepRules.ts';
import { WRITTEN_FORMATS } from '../../domain/listExport.ts';
import { serverName } from '../../domain/project.ts';
import { pageText, plainCommand, programFor } from '../../domain/remedy.ts';
import type { Fix } from '../../domain/settling.ts';
import { writeList } from '../../music/lists/writeList.ts';
import type { Call } from '../../provider/api.ts';
import { SEARCH_PAGE } from '../../provider/resources/catalog.ts';
import { getPlaybackState } from '../../provider/resources/player.ts';
import { deleteAlias } from '../../store/tables/aliases.ts';
import { findTracks } from '../../tools/catalog/catalogReading.ts';
import { playlistNames } from '../../tools/playlists/playlistNames.ts';
import { deduplicatePlaylistTool } from '../../tools/playlists/playlistRewriting.ts';
import { forgetBrowsers, revokeClient, setClientAccess } from '../access/approved.ts';
import { loginWithTicket, requireClientId, type ServerParts, signInUrl } from '../calls.ts';
import type { Core } from '../core.ts';
import { leaveAccount } from '../leaveAccount.ts';
import {
  inTime,
  ownerImport,
  ownerPlaylistRows,
  ownerPreview,
  ownerRestore,
  ownerUndo,
  ownerVersion,
  ownerVersions,
} from '../ownerWork.ts';
import { CANDIDATES, FORGOTTEN, type Imported, type Tab } from './tab.ts';

/** Who asks, and on which page. `browser`: ID of the browser. */
export interface Asked {
  core: Core;
  server: ServerParts;
  browser: string;
  tab: Tab;
}

/** What the page does after a call, besides showing the cards: says something, goes somewhere, saves a file. */
export interface Answer {
  told?: string | undefined;
  next?: string;
  file?: { name: string; text: string };
  /** True if the browser is no longer signed in. */
  signedOut?: true;
  [other: string]: unknown;
}

const Id = () => z.string().min(1).max(200);
const OfId = () => z.object({ id: Id() });
const nothing = () => z.object({});

interface OwnerCallFacts<S extends z.ZodType> {
  shape: () => S;
  run(given: z.output<S>, asked: Asked): Promise<unknown>;
}

function call<S extends z.ZodType>(shape: () => S, run: OwnerCallFacts<S>['run']): OwnerCallFacts<S> {
  return { shape: lazy(shape), run };
}

function patiently<T>({ server }: Asked, work: (call: Call) => Promise<T>): Promise<T> {
  const called = (signal: AbortSignal) => work({ signal, progress() {}, by: 'page' });
  return inTime(server.services, 'This', 'Try again.', called);
}

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
    () => z.object({ erase: z.boolean().default(false) }),
    async ({ erase }, { core, server }) => {
      server.pageLogin.attemptId = null;
      await leaveAccount(core, server.services.works, erase);
      const what = erase ? 'everything about it is forgotten' : 'the copy of its library is deleted';
      return { told: `The account is disconnected, and ${what}.` };
    },
  ),
  'app/set': call(
    () => z.object({ clientId: z.string().trim().min(1).max(200) }),
    async ({ clientId }, { core }) => {
      storeSetting({ env: {}, flags: { home: core.settings.home } }, 'providerClientId', clientId);
      const isOdd = !looksLikeClientId(clientId.toLowerCase());
      return { told: `The client ID is saved.${isOdd ? ' Most have 32 characters, 0-9 and a-f.' : ''}` };
    },
  ),
  'browsers/forget': call(OfId, async ({ id }, { core }) => void (await forgetBrowsers(core, id))),
  'sign-out': call(nothing, async (_, { core, browser }) => {
    await forgetBrowsers(core, browser);
    return { signedOut: true };
  }),

  'changes/look': call(OfId, ({ id }, asked) => lookAtUndo(asked, id)),
  'changes/undo': call(
    () => z.object({ change: Id().nullable(), force: z.boolean(), dryRun: z.boolean() }),
    async (request, asked) => {
      asked.tab.undo = null;
      try {
        const { summary, job_id } = await ownerUndo(asked.server.services, request, 'page');
        return { told: job_id === undefined ? summary : 'Undoing continues as a job.' };
      } catch (error) {
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
      tab.setup = client === '' ? null : await clientSetup(client, core, server);
      return { setup: tab.setup };
    },
  ),

  /** Shows covers from now on, or hides them. */
  'covers/choose': call(
    () => z.object({ show: z.boolean() }),
    async ({ show }, { core: { settings, covers } }) => {
      if (settings.origins.covers === 'environment') {
        throw new RelayError('SETTINGS_INVALID', 'The environment variable RELAY_COVERS decides this.', {
          remedy: 'To choose on this page, unset the variable and restart relay.',
        });
      }
      storeSetting({ env: {}, flags: { home: settings.home } }, 'covers', String(show));
      covers.areShown = show;
    },
  ),

  'jobs/cancel': call(OfId, async ({ id }, asked) => {
    await patiently(asked, ({ signal }) => asked.server.services.works.cancel(id, signal));
    return { told: 'It is cancelled. Songs that were added already stay.' };
  }),
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
      const open = fixes
        .flatMap(({ position }) => works.items(id, position, 1).items)
        .filter(({ status }) => UNRESOLVED_STATUSES.includes(status));
      const settlement = { fixes, onlyOpen: again === null };
      const { late } = await patiently(asked, (by) => works.settle(id, settlement, by));
      if (settling) {
        settling.past = [...settling.past, ...(again ? [again] : open)];
        moveOn(settling, again ? settling.at : (fixes.at(-1)?.position ?? 0) + 1);
      }
      const stays =
        late === 1 ? 'One entry was decided before, and stays as it was.' : `${late} stay as they were.`;
      return { late, told: late > 0 ? stays : undefined };
    },
  ),
  'settle/open': call(OfId, async ({ id }, { tab }) => {
    tab.settling = { job: id, at: 0, again: null, past: [], found: null, near: false };
  }),
  /** Goes back to the entry that was decided last, leaves the one on display for later, or asks about all near matches. */
  'settle/step': call(
    () => z.object({ to: z.union([z.enum(['back', 'near', 'one']), z.int().min(0)]) }),
    async ({ to }, { tab: { settling } }) => {
      if (settling === null) return;
      const last = to === 'back' ? settling.past.pop() : undefined;
      moveOn(settling, typeof to === 'number' && settling.again === null ? to : settling.at);
      Object.assign(settling, { again: last ?? null, near: to === 'near' });
    },
  ),

  'import/choose': call(
    () =>
      z.object({
        list: z.string().max(1_000).optional(),
        artistSide: z.enum(['left', 'right']).optional(),
        target: z.enum(['new', 'playlist', 'saved']).optional(),
      }),
    async ({ list, artistSide, target }, { server, tab: { imported } }) => {
      if (imported === null) return;
      const changed = {
        target: target ?? imported.target,
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
    async ({ name, playlistId, skipDuplicates }, { server, tab: { imported } }) => {
      if (imported === null) return;
      const each = imported.list === 'each' && imported.lists.length > 1 ? ('all' as const) : undefined;
      const target = targetOf(imported, name, playlistId);
      const choices = { target, each, skipDuplicates, strict: true };
      const { jobs } = await ownerImport(server.services, { ...contentOf(imported), ...choices }, 'page');
      // The bytes are not needed any more.
      Object.assign(imported, { jobs: jobs.map(({ job_id }) => job_id), bytes: new Uint8Array() });
    },
  ),

  'keeps/act': call(
    () => z.object({ id: z.string().min(1).max(100), action: z.enum(KEEP_ACTIONS) }),
    async ({ id, action }, asked) => {
      const { note } = await patiently(asked, (by) => asked.server.services.keeps.act(id, action, by));
      return { told: note };
    },
  ),
  /** Shows what it would do to keep the open playlist by a ready rule, or keeps it. */
  'keeps/add': call(
    () =>
      z.object({
        ...{ rule: z.string().max(200), every: z.enum(KEEP_INTERVALS) },
        dryRun: z.boolean().default(true),
      }),
    async ({ rule, every, dryRun }, asked) => {
      const { playlist } = asked.tab;
      if (playlist === null) return;
      const request = { playlistId: playlist.id, name: null, every, dryRun, rule: parseRule(rule).rule };
      const added = await patiently(asked, (by) => asked.server.services.keeps.add(request, by));
      playlist.part = dryRun ? { kind: 'keep', asked: { rule, every }, preview: added } : null;
      return { told: added.note ?? added.warning };
    },
  ),
  'library/sync': call(nothing, async (_, { core }) => void (await core.library.sync())),
  'library/forget': call(nothing, async (_, { core, tab }) => {
    await core.library.forget('mirror');
    tab.listed = FORGOTTEN;
    return { told: 'The copy of the library is deleted.' };
  }),
  'player/look': call(nothing, async (_, asked) => {
    const state = await patiently(asked, (by) => getPlaybackState(asked.server.services.provider, by));
    return state?.is_playing ? {} : { told: 'Nothing is playing.' };
  }),

  'playlists/read': call(
    () => z.object({ after: z.string().max(100) }),
    async ({ after }, asked) => {
      asked.tab.listed = after;
      await patiently(asked, ({ signal }) => asked.core.library.playlists({ signal }));
    },
  ),
  'playlists/names': call(
    () => z.object({ ids: z.array(Id()).max(50) }),
    async ({ ids }, { server }) => void (await playlistNames(server.services, ids)),
  ),
  'playlists/open': call(
    () => z.object({ id: Id(), name: z.string().max(1_000) }),
    async ({ id, name }, { tab }) => {
      tab.playlist = tab.playlist?.id === id ? null : { id, name, part: null };
    },
  ),
  'playlists/part': call(
    () => z.object({ part: z.enum(['songs', 'duplicates', 'versions', 'keep', 'export']) }),
    async ({ part }, asked) => {
      const { playlist } = asked.tab;
      if (playlist === null) return;
      const read = playlist.part?.kind === part ? null : await partOf(asked, playlist.id, part);
      Object.assign(playlist, { part: read });
    },
  ),
  'playlists/clean': call(
    () => z.object({ others: z.boolean() }),
    async ({ others }, asked) => {
      const { playlist } = asked.tab;
      if (playlist === null) return;
      const { removed } = await deduplicate(asked, playlist.id, others, false);
      playlist.part = null;
      const what = removed.length === 1 ? 'One repeat is' : `${removed.length} repeats are`;
      return { told: `${what} taken out. You can undo this under “What happened”.` };
    },
  ),
  'playlists/export': call(
    () => z.object({ id: Id(), format: z.enum(WRITTEN_FORMATS) }),
    async ({ id, format }, { server }) => {
      const { playlist, rows } = await ownerPlaylistRows(server.services, id);
      const plain = playlist.name.replace(/[^\p{L}\p{N} ._-]/gu, '').trim();
      const name = `${plain.slice(0, 100) || 'playlist'}.${format}`;
      return { file: { name, text: writeList(format, rows, playlist.name) } };
    },
  ),
  'remembered/forget': call(
    () => z.object({ key: z.string().max(10_000) }),
    async ({ key }, { core: { store } }) => store.durable(() => deleteAlias(store, key)),
  ),
  'versions/show': call(
    () => z.object({ version: z.int().min(1) }),
    ({ version }, asked) => showVersion(asked, version),
  ),
  'versions/restore': call(
    () => z.object({ version: z.int().min(1), agreed: z.string().max(100), skipUnsupported: z.boolean() }),
    async ({ version, ...options }, asked) => {
      const { playlist } = asked.tab;
      if (playlist?.part?.kind !== 'versions') return;
      const { of } = playlist.part;
      const request = { id: of.playlist_id, version, dryRun: false, name: of.present ? null : of.name };
      try {
        const { note } = await ownerRestore(asked.server.services, { ...request, ...options }, 'page');
        playlist.part = null;
        return { told: note ?? 'The playlist is as it was. You can undo this under “What happened”.' };
      } catch (error) {
        if (asRelayError(error).code === 'CONFLICT') await showVersion(asked, version);
        throw error;
      }
    },
  ),

  'view/more': call(
    () => z.object({ list: z.string().max(20) }),
    async ({ list }, { tab }) => {
      tab.more[list] = (tab.more[list] ?? 0) + 1;
    },
  ),
  /** Looks for playlists by name, or puts away what the page shows. */
  'view/set': call(
    () => {
      const away = { undo: z.null(), settling: z.null(), imported: z.null(), history: z.null() };
      return z.object({ find: z.string().max(200), ...away }).partial();
    },
    async (given, { tab }) => void Object.assign(tab, given),
  ),
};

export type OwnerCall = keyof typeof CALLS;

/** Takes a file that was dropped, chosen or pasted, and shows how it is read. */
export async function takeFile({ core, server, tab }: Asked, bytes: Uint8Array, fileName: string) {
  const key = core.clock.monotonic();
  const fresh = { key, fileName, bytes, list: 'each', artistSide: null, target: 'new', jobs: [] } as const;
  const preview = await ownerPreview(server.services, contentOf(fresh));
  tab.imported = { ...fresh, preview, lists: preview.lists };
  tab.settling = null;
}

function contentOf({ bytes, fileName, list, artistSide, target }: Omit<Imported, 'preview' | 'lists'>) {
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

function targetOf({ target, fileName, preview }: Imported, name = '', playlistId?: string) {
  if (target === 'saved') return { kind: target };
  if (target === 'new') return { kind: target, name: name || (preview.name ?? fileName).slice(0, 100) };
  if (playlistId !== undefined) return { kind: target, playlistId, replace: false };
  throw new RelayError('INVALID_ARGUMENT', 'Choose a playlist first.');
}

function moveOn(settling: NonNullable<Tab['settling']>, at: number): void {
  Object.assign(settling, { at, again: null, found: null, near: false });
}

async function lookAtUndo({ server, tab }: Asked, change: string): Promise<void> {
  const request = { change, force: false, dryRun: true };
  try {
    const { summary, added, taken, notes } = await ownerUndo(server.services, request, 'page');
    const side = (what: string, { count, first }: typeof added) => {
      const more = count > first.length ? ` and ${count - first.length} more` : '';
      return first.length === 0 ? [] : [`${what}: ${first.join('; ')}${more}`];
    };
    const lines = [summary, ...side('Back', added), ...side('Gone', taken), ...notes];
    tab.undo = { change, force: false, lines };
  } catch (error) {
    if (!isForceable(error)) throw error;
    const { message, remedyValue } = error;
    const lines = [message, remedyValue ? pageText(remedyValue, plainCommand) : ''];
    tab.undo = { change, force: true, lines };
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
      return { kind, asked: { rule: 'fresh', every: 'day' }, preview: null };
    case 'export':
      return { kind };
    case 'duplicates': {
      const exact = await deduplicate(asked, id, false, true);
      const all = await deduplicate(asked, id, true, true);
      const positions = new Set(exact.removed.map(({ position }) => position));
      const others = all.removed.filter(({ position }) => !positions.has(position));
      const nameOf = ({ name }: { name: string }) => name;
      return { kind, exact: exact.removed.map(nameOf), others: others.map(nameOf), refusal: exact.refusal };
    }
  }
}

/** As the tool does. @param others true for the same song on other releases as well */
async function deduplicate(asked: Asked, id: string, others: boolean, dry_run: boolean) {
  const args = { playlist_id: { id }, same_song: others, around_unsupported: true, dry_run };
  const { services } = asked.server;
  const answer = await patiently(asked, (by) => deduplicatePlaylistTool.handle(services, args, by));
  const { removed, note } = answer as { removed: Array<{ position: number; name: string }>; note?: string };
  return { removed, refusal: note?.includes('have to move') ? note : null };
}

async function showVersion({ server, tab: { playlist } }: Asked, version: number): Promise<void> {
  if (playlist?.part?.kind !== 'versions') return;
  const { of } = playlist.part;
  const { playlist_id: id, present } = of;
  const asked = { id, version, name: present ? null : of.name, dryRun: true, skipUnsupported: false };
  const [content, preview] = await Promise.all([
    ownerVersion(server.services, id, version),
    ownerRestore(server.services, asked, 'page'),
  ]);
  playlist.part = { kind: 'versions', of, shown: { version, content, preview } };
}

/** Tells how to connect one client, from the table behind `relay connect`. @throws RelayError `NOT_FOUND`, `HOME_UNUSABLE` */
async function clientSetup(id: string, { settings }: Core, server: ServerParts): Promise<Tab['setup']> {
  const { demo, dynamicRegistration } = settings;
  const { acceptsKey } = server.credentials;
  const { mcpUrl } = server.facts;
  const relay = programFor({ demo });
  if (id === 'other') {
    const key = `A program that cannot open a browser sends the header "Authorization: Bearer KEY", with the key that \`${relay} key\` prints.`;
    const next = [
      ...(dynamicRegistration ? [] : [closedRegistration(relay, null)]),
      'Add this address as a server with the transport HTTP (Streamable HTTP).',
      ...(acceptsKey ? [key] : []),
    ];
    return { id, file: '', snippet: mcpUrl, command: null, next: next.join(' ') };
  }
  const client = CLIENTS.find((one) => one.id === id);
  if (!client) throw new RelayError('NOT_FOUND', `There is no client "${id.slice(0, 50)}" in the list.`);
  const home = homeToName(settings, server.env, process.platform);
  const program = stdioWords(await server.program(), home, demo);
  const connection = { name: serverName(demo), url: mcpUrl, key: null, program };
  const system = systemOf({ platform: process.platform, env: server.env });
  // With the parsers of the clients' files, loaded when it is first needed.
  const { planFor } = await import('../../connect/connectClient.ts');
  const { file, snippet, command, next } = planFor(client, connection, system);
  const byKey = acceptsKey ? `${relay} connect ${id} --key --write` : null;
  const first = dynamicRegistration || client.starts ? '' : `${closedRegistration(relay, byKey)} `;
  return { id, file, snippet: snippet.trimEnd(), command, next: `${first}${next}` };
}
