/** Runs `relay uninstall`: finds what there is to remove, asks once, and removes it. */
import { readdir, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withDeadline } from '../../base/abort.ts';
import { exists } from '../../base/files.ts';
import { homeToName, inspectSettings, keyOptions, localBaseUrl } from '../../config/settings.ts';
import { CLIENTS, stdioWords } from '../../connect/clientTable.ts';
import { systemOf } from '../../connect/configPlaces.ts';
import { lookInto, planFor, remove as removeEntry } from '../../connect/connectClient.ts';
import { hasSkill, removeSkill, SKILL_CLIENTS, skillPath, skillsFolder } from '../../connect/skillFile.ts';
import { messageOf, RelayError } from '../../domain/errors.ts';
import { serverName } from '../../domain/project.ts';
import { forgetInKeychain, keychainAccount } from '../../secrets/keychain.ts';
import { unpackedAddons } from '../../secrets/keychainHelper.ts';
import { keySource } from '../../secrets/masterKey.ts';
import { installed } from '../../service/service.ts';
import { eraseHome, isErasable } from '../../store/home/eraseHome.ts';
import type { Result } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { runningDemo, runningServer } from '../findServer.ts';
import { openService, removeService } from '../serve/runService.ts';
import { note } from '../terminal/output.ts';
import { requireYes } from '../terminal/prompt.ts';

const KEYCHAIN_MS = 5_000;

interface Part {
  name: 'service' | 'client' | 'backup' | 'skill' | 'state' | 'key';
  what: string;
  /** The state returns the paths that are left. */
  remove(): Promise<unknown>;
}

/** The parts, and what is not removed, with the reason. */
interface Found {
  parts: Part[];
  stays: string[];
}

const NOTHING: Found = { parts: [], stays: [] };

export async function runUninstall(context: Context, yes: boolean): Promise<Result> {
  const { io, signal, demo } = context;
  await refuseRunning(context);
  // In the order of removal: no part needs one that is removed before it. With `--demo`, only the demo's parts.
  const parts: Part[] = [];
  const stays: string[] = [];
  for (const find of demo ? [clients, state] : [service, clients, skills, state]) {
    const found = await find(context);
    parts.push(...found.parts);
    stays.push(...found.stays);
  }
  if (!yes && parts.length > 0) {
    note(io, 'This will be removed:');
    for (const { what } of parts) note(io, `  ${what}`);
    for (const line of stays) note(io, line);
    await requireYes(io, 'Remove all of it?', signal);
  }
  const removed: Array<{ part: string; what: string }> = [];
  const left: string[] = [];
  const failed: string[] = [];
  for (const { name, what, remove } of parts) {
    signal.throwIfAborted();
    // Without its key, a state that is still there could not be read.
    if (name === 'key' && !removed.some(({ part }) => part === 'state')) continue;
    try {
      const rest = await remove();
      if (Array.isArray(rest)) left.push(...rest);
      removed.push({ part: name, what });
    } catch (error) {
      signal.throwIfAborted();
      failed.push(`Could not remove ${what}: ${messageOf(error)}`);
    }
  }
  // An executable unpacks its addon again when it starts.
  if (!demo && removed.some(({ part }) => part === 'state'))
    for (const folder of await unpackedAddons()) {
      await rm(folder, { recursive: true, force: true });
      // Fails while something else is in it.
      await rmdir(dirname(folder)).catch(() => {});
    }
  const { program } = await context.machine();
  const byHand = [
    `The program stays: ${program.join(' ')}`,
    'If you added `relay completion` to a startup file of your shell, remove that line.',
    "To end relay's access at Spotify too: https://www.spotify.com/account/apps/",
  ];
  return {
    value: { removed, left, stays, failed, program },
    text:
      parts.length === 0 ? ['There is nothing to remove.'] : removed.map(({ what }) => `Removed: ${what}`),
    notes: [
      ...failed,
      ...(yes ? stays : []),
      ...left.map((path) => `Kept, because relay did not create it: ${path}`),
      ...(demo ? [] : byHand),
    ],
    exit: failed.length === 0 ? EXIT.done : EXIT.failed,
  };
}

/** Refuses while a server runs, since it would write the state again. @throws RelayError `ALREADY_RUNNING` */
async function refuseRunning(context: Context): Promise<void> {
  const { settings } = inspectSettings(context.loadOptions());
  const server = (await runningServer(settings.home)) ?? (await runningDemo(settings));
  if (server === null) return;
  throw new RelayError('ALREADY_RUNNING', `A server is running (pid ${server.pid}). Nothing was removed.`, {
    remedy: { text: 'Stop it with {command}, then try again.', command: ['stop'] },
    details: { pid: server.pid, baseUrl: server.baseUrl },
  });
}

async function service(context: Context): Promise<Found> {
  try {
    const open = await openService(context);
    const { state: is, why } = await installed(open.service);
    if (is === 'not ours') return { parts: [], stays: [`The service stays: ${why}`] };
    if (is === 'none') return NOTHING;
    const what = `the service ${open.service.file}`;
    return { parts: [{ name: 'service', what, remove: () => removeService(open) }], stays: [] };
  } catch (error) {
    // If the system cannot start programs when a user signs in, there is no service to remove.
    if (!(error instanceof RelayError) || error.code !== 'SERVICE_FAILED') throw error;
    return NOTHING;
  }
}

/** Finds relay's entries in the files of clients, the demo's too, and the backups that relay made of these files. */
async function clients(context: Context): Promise<Found> {
  const found: Found = { parts: [], stays: [] };
  const system = systemOf(context);
  const { program } = await context.machine();
  const done = new Set<string>();
  for (const demo of context.demo ? [true] : [false, true]) {
    const { settings } = inspectSettings(context.loadOptions({ demo }));
    const { publicBaseUrl, host, port } = settings;
    const own = inspectSettings(context.loadOptions({ demo: false })).settings;
    const words = stdioWords(program, homeToName(own, context.env, context.platform), demo);
    const connection = {
      name: serverName(demo),
      url: `${publicBaseUrl ?? localBaseUrl(host, port)}/mcp`,
      key: null,
      program: words,
    };
    for (const client of CLIENTS) {
      const plan = planFor(client, connection, system);
      const { state: is, removable } = await lookInto(plan, async () => null);
      if (is === 'unreadable' && !demo)
        found.stays.push(`${plan.file} cannot be read. If it has an entry for relay, remove it by hand.`);
      const places = removable.map((name) => `${plan.file} ${name}`);
      // An entry of the demo may have the same address as the real one, and then goes with it.
      if (places.some((place) => !done.has(place))) {
        for (const place of places) done.add(place);
        found.parts.push({
          name: 'client',
          what: `${removable.join(', ')} from ${client.name} (${plan.file})`,
          remove: async () => {
            const { backup } = await removeEntry(plan, context.clock.now());
            if (backup !== null) await rm(backup, { force: true });
          },
        });
      }
      if (demo && !context.demo) found.parts.push(...(await backupsOf(plan.file)));
    }
  }
  return found;
}

async function backupsOf(file: string): Promise<Part[]> {
  const folder = dirname(file);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${basename(file)}.relay-backup-`))
    .map((name): Part => {
      const path = join(folder, name);
      return { name: 'backup', what: `the backup ${path}`, remove: () => rm(path, { force: true }) };
    });
}

/** Finds the skills in the directories of clients. relay does not know of skills in other directories. */
async function skills(context: Context): Promise<Found> {
  const system = systemOf(context);
  const parts: Part[] = [];
  for (const folder of new Set(SKILL_CLIENTS.map((client) => skillsFolder(client, system)))) {
    if (folder === null || !(await hasSkill(folder))) continue;
    const what = `the skill ${skillPath(folder)}`;
    parts.push({ name: 'skill', what, remove: () => removeSkill(folder) });
  }
  return { parts, stays: [] };
}

/**
 * Finds the state, and the keys. A key's name in the keychain is derived from the real path of the home, which can be resolved
 * only while the home exists. The demo's home is inside the owner's home and has a key of its own.
 */
async function state(context: Context): Promise<Found> {
  const { settings } = inspectSettings(context.loadOptions());
  const { home } = settings;
  if (!(await exists(home))) return NOTHING;
  if (!(await isErasable(home))) {
    const stays = `${home} holds files of other programs and no state of relay, so nothing in it is removed.`;
    return { parts: [], stays: [stays] };
  }
  const what = `the login, settings, jobs and history in ${home}`;
  const parts: Part[] = [{ name: 'state', what, remove: () => eraseHome(home) }];
  for (const path of [home, join(home, 'demo')]) {
    const isSealed = await exists(join(path, 'relay.db'));
    if (isSealed && (await keySource({ ...keyOptions(settings), home: path })) === 'keychain')
      parts.push(await keychainPart(context, path));
  }
  return { parts, stays: [] };
}

async function keychainPart({ clock, signal }: Context, home: string): Promise<Part> {
  const account = await keychainAccount(home);
  const what = `the key "${account}" in the keychain (without it, a backup of the login cannot be read)`;
  const late = new RelayError('KEY_UNAVAILABLE', 'The keychain does not answer.');
  const deadline = { clock, ms: KEYCHAIN_MS, signal, late };
  const remove = () => withDeadline(deadline, (until) => forgetInKeychain(account, until));
  return { name: 'key', what, remove };
}
