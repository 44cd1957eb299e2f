/** Finds what `relay uninstall` removes. */
import { readdir, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withDeadline } from '../../base/abort.ts';
import { exists } from '../../base/files.ts';
import { homeToName, inspectSettings, keyOptions, localBaseUrl } from '../../config/settings.ts';
import { CLIENTS, stdioWords } from '../../connect/clientTable.ts';
import { systemOf } from '../../connect/configPlaces.ts';
import { lookInto, planFor, remove as removeEntry } from '../../connect/connectClient.ts';
import { hasSkill, removeSkill, SKILL_CLIENTS, skillPath, skillsFolder } from '../../connect/skillFile.ts';
import { RelayError } from '../../domain/errors.ts';
import { serverName } from '../../domain/project.ts';
import { forgetInKeychain, keychainAccount } from '../../secrets/keychain.ts';
import { unpackedAddons } from '../../secrets/keychainHelper.ts';
import { keySource } from '../../secrets/masterKey.ts';
import { installed } from '../../service/service.ts';
import { eraseHome, isErasable } from '../../store/home/eraseHome.ts';
import { lockPath, readHolder, startedBy } from '../../store/home/lockFile.ts';
import type { Context } from '../context.ts';
import { runningDemo, runningServer } from '../findServer.ts';
import { openService, removeService } from '../serve/runService.ts';

const KEYCHAIN_MS = 5_000;

interface Part {
  name: 'service' | 'client' | 'backup' | 'skill' | 'state' | 'key';
  what: string;
  /** The state returns the paths that are left. */
  remove(): Promise<unknown>;
}

interface Found {
  parts: Part[];
  /** What is not removed, with the reason. */
  stays: string[];
}

/** Finds the parts, in the order of removal: no part needs one that is removed before it. With `--demo`, only the demo's parts. */
export async function findParts(context: Context): Promise<Found> {
  const finders = context.demo ? [clients, state] : [service, clients, skills, state];
  const found = [];
  for (const find of finders) found.push(await find(context));
  return { parts: found.flatMap(({ parts }) => parts), stays: found.flatMap(({ stays }) => stays) };
}

async function service(context: Context): Promise<Found> {
  try {
    const open = await openService(context);
    const { state: is, why } = await installed(open.service);
    if (is === 'not ours') return { parts: [], stays: [`The service stays: ${why}`] };
    if (is === 'none') return { parts: [], stays: [] };
    const what = `the service ${open.service.file}`;
    return { parts: [{ name: 'service', what, remove: () => removeService(open) }], stays: [] };
  } catch (error) {
    // If the system cannot start programs when a user signs in, there is no service to remove.
    if (!(error instanceof RelayError) || error.code !== 'SERVICE_FAILED') throw error;
    return { parts: [], stays: [] };
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
  if (!(await exists(home))) return { parts: [], stays: [] };
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

/** Removes the addons that executables have unpacked. An executable unpacks its addon again when it starts. */
export async function removeUnpacked(): Promise<void> {
  for (const folder of await unpackedAddons()) {
    await rm(folder, { recursive: true, force: true });
    await rmdir(dirname(folder)).catch(() => {});
  }
}

/** Refuses while a server runs, since it would write the state again. @throws RelayError `ALREADY_RUNNING` */
export async function refuseRunning(context: Context): Promise<void> {
  const { settings } = inspectSettings(context.loadOptions());
  const [own, demo] = await Promise.all([runningServer(settings.home), runningDemo(settings)]);
  const server = own ?? demo;
  if (server === null) return;
  const holder = await readHolder(lockPath(own ? settings.home : join(settings.home, 'demo'))).catch(
    () => null,
  );
  const running = `A server is running (pid ${server.pid}).${startedBy(holder)}`;
  throw new RelayError('ALREADY_RUNNING', `${running} Nothing was removed.`, {
    remedy: { text: 'Stop it with {command}, then try again.', command: ['stop'] },
    details: { pid: server.pid, baseUrl: server.baseUrl },
  });
}
