/** Finds what `relay uninstall` can remove, before the command asks anything. */
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withDeadline } from '../../base/abort.ts';
import { readJson } from '../../base/parsing.ts';
import { inspectSettings, keyOptions } from '../../config/settings.ts';
import { type Data, isData } from '../../connect/entry.ts';
import { messageOf, RelayError } from '../../domain/errors.ts';
import { serverName } from '../../domain/project.ts';
import type { Context } from '../context.ts';
import { commandLine } from '../usage/commandLine.ts';

const KEYCHAIN_MS = 5_000;
const CHILD_MS = 30_000;

export interface Part {
  name: 'service' | 'client' | 'skill' | 'completion' | 'state' | 'key';
  /** Completes the question "Remove …?". */
  what: string;
  /** @param left array to which the paths that could not be removed are added */
  remove(left: string[]): Promise<unknown>;
}

/** What could not be found out, in sentences. */
interface Doubts {
  /** What is not removed, with what to do about it: files that cannot be read, and what belongs to another home. */
  notes: string[];
  /** Parts that were not looked for, each with the reason. */
  unchecked: string[];
}

/**
 * Finds the parts, in the order of removal: no part needs one that is removed before it. With `--demo`, only the demo's parts.
 */
export async function findParts(context: Context): Promise<{ parts: Part[] } & Doubts> {
  const finders = context.demo ? [clients, state] : [service, clients, skills, completion, state];
  const parts: Part[] = [];
  const doubts: Doubts = { notes: [], unchecked: [] };
  for (const find of finders) parts.push(...(await find(context, doubts)));
  return { parts, ...doubts };
}

async function service(context: Context, { notes }: Doubts): Promise<Part[]> {
  const { openService, removeService } = await import('../service/runService.ts');
  const { installed } = await import('../../service/service.ts');
  try {
    const open = await openService(context);
    const { file } = open.service;
    const { state, why, remedy } = await installed(open.service);
    if (state === 'not ours') notes.push(`The service stays: ${why} ${remedy?.text}`);
    if (state === 'none' || state === 'not ours') return [];
    return [{ name: 'service', what: `the service (${file})`, remove: () => removeService(open) }];
  } catch (error) {
    // If the system cannot start programs when a user signs in, there is no service to remove.
    if (!(error instanceof RelayError) || error.code !== 'SERVICE_FAILED') throw error;
    return [];
  }
}

/** Finds relay's entries in the files of clients. `relay connect CLIENT --remove` removes them. */
async function clients(context: Context, doubts: Doubts): Promise<Part[]> {
  const done = new Set<string>();
  if (context.demo) return clientsOf(context, true, doubts, done);
  const own = await clientsOf(context, false, doubts, done);
  // Both calls read the same files, so the second call's notes are dropped. Its reason is kept only if the first call gave none.
  const unchecked = doubts.unchecked.length > 0 ? [] : doubts.unchecked;
  return [...own, ...(await clientsOf(context, true, { notes: [], unchecked }, done))];
}

/**
 * @param done IDs of the clients from which an earlier call's parts remove the demo's entry too, since it has the same address
 */
async function clientsOf(
  context: Context,
  demo: boolean,
  { notes, unchecked }: Doubts,
  done: Set<string>,
): Promise<Part[]> {
  const { program, run } = await context.machine();
  const [command = '', ...script] = program;
  // The child inherits the environment, so only flags have to be repeated.
  const named = [
    ...(demo ? ['--demo'] : []),
    ...(context.home === undefined ? [] : ['--home', context.home]),
  ];
  const relay = async (...words: string[]) => {
    const ran = await run(command, [...script, ...named, ...words, '--json'], CHILD_MS);
    return ran.ok ? { answer: parsed(ran.out), reason: '' } : { answer: null, reason: reasonIn(ran.err) };
  };
  const { answer, reason } = await relay('connect');
  if (answer === null) {
    unchecked.push(`The AI clients could not be checked: ${reason.replaceAll(/\n\s*-?\s*/g, ' ')}`);
    return [];
  }
  const rows = Array.isArray(answer.clients) ? answer.clients.filter(isData) : [];
  const isEntered = ({ state, otherAddress, otherNames }: Data) => {
    const others = Array.isArray(otherNames) ? otherNames.length : 0;
    const isOwn = !['no', 'taken', 'other_home', 'unreadable'].includes(String(state)) && !otherAddress;
    return isOwn || others > 0;
  };
  for (const { state, otherAddress, id, name, file } of rows) {
    if (state === 'unreadable')
      notes.push(`${name} (${file}) cannot be read. If it has an entry for relay, remove the entry by hand.`);
    if (state === 'other_home')
      notes.push(`${serverName(demo)} in ${name} (${file}) stays: it starts relay for another home.`);
    if (otherAddress) {
      const removal = commandLine({ ...context, demo }, 'connect', String(id), '--remove');
      notes.push(
        `${serverName(demo)} in ${name} (${file}) stays: its address is not that of this home. To remove it: ${removal}`,
      );
    }
  }
  const touched = rows.filter((row) => !done.has(String(row.id)) && isEntered(row));
  for (const { id, otherNames } of touched) {
    if (Array.isArray(otherNames) && otherNames.includes(serverName(true))) done.add(String(id));
  }
  return touched.map((row): Part => {
    const [id, name, file] = [row.id, row.name, row.file].map(String);
    return {
      name: 'client',
      what: `${serverName(demo)} from ${name} (${file})`,
      async remove() {
        const { answer: done, reason: why } = await relay('connect', id ?? '', '--remove');
        if (done === null) throw new RelayError('HOME_UNUSABLE', `${file} was not changed: ${why}`);
      },
    };
  });
}

/** Finds the skills in the directories of clients. relay does not know of skills in other directories. */
async function skills(context: Context): Promise<Part[]> {
  const { hasSkill, removeSkill, SKILL_CLIENTS, skillPath, skillsFolder } = await import(
    '../../connect/skillFile.ts'
  );
  const { homeDir } = await context.machine();
  const system = { platform: context.platform, env: context.env, home: homeDir };
  const parts: Part[] = [];
  for (const folder of new Set(SKILL_CLIENTS.map((client) => skillsFolder(client, system)))) {
    if (folder === null || !(await hasSkill(folder))) continue;
    const what = `the skill ${skillPath(folder)}`;
    parts.push({ name: 'skill', what, remove: () => removeSkill(folder) });
  }
  return parts;
}

async function completion(context: Context): Promise<Part[]> {
  const { installedCompletion } = await import('../completion/installedCompletion.ts');
  const { homeDir } = await context.machine();
  const found = await installedCompletion(homeDir);
  return found.map(({ file, remove }) => ({ name: 'completion', what: `the completion in ${file}`, remove }));
}

/**
 * Finds the state, and the key. The key's name in the keychain is derived from the real path of the home, which can be
 * resolved only while the home exists.
 */
async function state(context: Context, { notes }: Doubts): Promise<Part[]> {
  const { settings } = inspectSettings(context.loadOptions());
  const { home } = settings;
  const { exists } = await import('../../base/files.ts');
  if (!(await exists(home))) return [];
  const { eraseHome, isErasable } = await import('../../store/home/eraseHome.ts');
  if (!(await isErasable(home))) {
    notes.push(`${home} holds files of other programs and no state of relay, so nothing in it is removed.`);
    return [];
  }
  const parts: Part[] = [
    {
      name: 'state',
      what: `the login, settings, jobs and history in ${home}`,
      remove: async (left) => left.push(...(await eraseHome(home))),
    },
  ];
  const { keySource } = await import('../../secrets/masterKey.ts');
  // The demo's home is inside the owner's home and is removed with it. The demo has a key of its own.
  for (const [path, whose] of [
    [home, 'the'],
    [join(home, 'demo'), "the demo's"],
  ] as const) {
    const isSealed = await exists(join(path, 'relay.db'));
    if (isSealed && (await keySource({ ...keyOptions(settings), home: path })) === 'keychain') {
      parts.push(await keychainPart(context, path, whose));
    }
  }
  return parts;
}

async function keychainPart({ clock, signal }: Context, home: string, whose: string): Promise<Part> {
  const { forgetInKeychain, keychainAccount } = await import('../../secrets/keychain.ts');
  const account = await keychainAccount(home);
  return {
    name: 'key',
    what: `${whose} key in the keychain (without this key, a backup of the login cannot be read)`,
    async remove() {
      const late = new RelayError('KEY_UNAVAILABLE', 'The keychain does not answer.');
      const deadline = { clock, ms: KEYCHAIN_MS, signal, late };
      try {
        await withDeadline(deadline, (until) => forgetInKeychain(account, until));
      } catch (error) {
        signal.throwIfAborted();
        throw new RelayError('KEY_UNAVAILABLE', `The key stays in the keychain: ${messageOf(error)}`, {
          remedy: `Delete relay's entry "${account}" from your keychain.`,
        });
      }
    },
  };
}

/** Removes the addons that executables have unpacked. An executable unpacks its addon again when it starts. */
export async function removeUnpacked(): Promise<void> {
  const { unpackedAddons } = await import('../../secrets/keychainHelper.ts');
  for (const folder of await unpackedAddons()) {
    await rm(folder, { recursive: true, force: true });
    await rmdir(dirname(folder)).catch(() => {});
  }
}

function parsed(text: string): Data | null {
  const value = readJson(text);
  return isData(value) ? value : null;
}

/** Returns the message of the child's error on stderr, which is one line of JSON. Any other text is returned whole. */
function reasonIn(text: string): string {
  const error = parsed(text.split('\n').at(-1) ?? '')?.error;
  return isData(error) && typeof error.message === 'string' ? error.message : text;
}
