/** Finds what `relay uninstall` can remove, before it asks anything. */
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withDeadline } from '../../base/abort.ts';
import { inspectSettings, keyOptions } from '../../config/settings.ts';
import { type Data, isData } from '../../connect/entry.ts';
import { messageOf, RelayError } from '../../domain/errors.ts';
import { serverName } from '../../domain/project.ts';
import type { Context } from '../context.ts';

const KEYCHAIN_MS = 5_000;
const CHILD_MS = 30_000;

export interface Part {
  name: 'service' | 'client' | 'completion' | 'state' | 'key';
  /** Completes "Remove …?". */
  what: string;
  /** Returns the paths that had to stay. */
  remove(): Promise<string[]>;
}

export interface Parts {
  parts: Part[];
  /** Sentences about what could not be found out. */
  notes: string[];
}

/**
 * The parts in the order of removal, so that none needs one that is already removed. With `--demo`, only the demo's parts.
 */
export async function findParts(context: Context): Promise<Parts> {
  const found = context.demo ? [clients, state] : [service, clients, completion, state];
  const parts: Part[] = [];
  const notes: string[] = [];
  for (const find of found) {
    const { parts: more, notes: said } = await find(context);
    parts.push(...more);
    notes.push(...said);
  }
  return { parts, notes };
}

async function service(context: Context): Promise<Parts> {
  const { openService } = await import('../service/serviceSetup.ts');
  try {
    const { manager } = await openService(context);
    const { file, writtenBy } = await manager.find();
    if (writtenBy !== 'relay') return { parts: [], notes: [] };
    const remove = async () => {
      await manager.uninstall();
      return [];
    };
    return { parts: [{ name: 'service', what: `the service (${file})`, remove }], notes: [] };
  } catch (error) {
    // A system without a way to start at login has no service.
    if (!(error instanceof RelayError) || error.code !== 'SERVICE_FAILED') throw error;
    return { parts: [], notes: [] };
  }
}

/** Files of other programs are changed only by `relay connect CLIENT --remove`, with a backup. */
async function clients(context: Context): Promise<Parts> {
  if (context.demo) return clientsOf(context, true);
  const own = await clientsOf(context, false);
  const demo = await clientsOf(context, true);
  // If entries cannot be read, say so once.
  return { parts: [...own.parts, ...demo.parts], notes: own.notes };
}

async function clientsOf(context: Context, demo: boolean): Promise<Parts> {
  const { program, run } = await context.machine();
  const [command = '', ...script] = program;
  // Variables of the environment reach the child by themselves.
  const named = [
    ...(demo ? ['--demo'] : []),
    ...(context.home === undefined ? [] : ['--home', context.home]),
  ];
  const relay = async (...words: string[]) => {
    const ran = await run(command, [...script, ...named, ...words, '--json'], CHILD_MS);
    return ran.ok ? { answer: parsed(ran.out), reason: '' } : { answer: null, reason: reasonIn(ran.err) };
  };
  const { answer, reason } = await relay('connect');
  if (answer === null) return { parts: [], notes: [`The AI clients could not be checked: ${reason}`] };
  const rows = Array.isArray(answer.clients) ? answer.clients.filter(isData) : [];
  const isEntered = ({ state, otherNames }: Data) => {
    const others = Array.isArray(otherNames) ? otherNames.length : 0;
    return (state !== 'no' && state !== 'unreadable') || others > 0;
  };
  const touched = rows.filter((row) => isEntered(row) || Number(row.keyBackups ?? 0) > 0);
  const parts = touched.map((row): Part => {
    const [id, name, file] = [row.id, row.name, row.file].map(String);
    return {
      name: 'client',
      what: isEntered(row)
        ? `${serverName(demo)} from ${name} (${file})`
        : `backups with the key beside ${file}`,
      async remove() {
        const { answer: done, reason: why } = await relay('connect', id ?? '', '--remove');
        if (done === null) throw new RelayError('HOME_UNUSABLE', `${file} was not changed: ${why}`);
        return [];
      },
    };
  });
  return { parts, notes: [] };
}

async function completion(context: Context): Promise<Parts> {
  const { installedCompletion } = await import('../completion/installedCompletion.ts');
  const { homeDir } = await context.machine();
  const found = await installedCompletion(homeDir);
  const parts = found.map(({ file, remove }): Part => {
    const removed = async () => {
      await remove();
      return [];
    };
    return { name: 'completion', what: `the completion in ${file}`, remove: removed };
  });
  return { parts, notes: [] };
}

/** The key's name in the keychain depends on the path of the home, which is gone after the state. */
async function state(context: Context): Promise<Parts> {
  const { settings } = inspectSettings(context.loadOptions());
  const { home } = settings;
  const { exists } = await import('../../base/files.ts');
  if (!(await exists(home))) return { parts: [], notes: [] };
  const { eraseHome } = await import('../../store/home/eraseHome.ts');
  const parts: Part[] = [
    {
      name: 'state',
      what: `the login, settings, jobs and history in ${home}`,
      remove: () => eraseHome(home),
    },
  ];
  const { keySource } = await import('../../secrets/masterKey.ts');
  const isSealed = await exists(join(home, 'relay.db'));
  if (isSealed && (await keySource(keyOptions(settings))) === 'keychain') {
    parts.push(await keychainPart(context, home));
  }
  return { parts, notes: [] };
}

async function keychainPart({ clock, signal }: Context, home: string): Promise<Part> {
  const { forgetInKeychain, keychainAccount } = await import('../../secrets/keychain.ts');
  const account = await keychainAccount(home);
  return {
    name: 'key',
    what: 'the key from the keychain, without which a backup of the login cannot be read',
    async remove() {
      const late = new RelayError('KEY_UNAVAILABLE', 'The keychain does not answer.');
      const deadline = { clock, ms: KEYCHAIN_MS, signal, late };
      try {
        await withDeadline(deadline, (until) => forgetInKeychain(account, until));
      } catch (error) {
        signal.throwIfAborted();
        throw new RelayError('KEY_UNAVAILABLE', `The key stays in the keychain: ${messageOf(error)}`, {
          remedy: `Remove the entry "${account}" of relay in your keychain.`,
        });
      }
      return [];
    },
  };
}

/** Removes what executables have unpacked; it is unpacked again when one starts. */
export async function removeUnpacked(): Promise<void> {
  const { unpackedAddons } = await import('../../secrets/keyringAddon.ts');
  for (const folder of await unpackedAddons()) {
    await rm(folder, { recursive: true, force: true });
    await rmdir(dirname(folder)).catch(() => {});
  }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isData(value) ? value : null;
  } catch {
    return null;
  }
}

/** The child's error on stderr: one line of JSON, or something else. */
function reasonIn(text: string): string {
  const error = parsed(text.split('\n').at(-1) ?? '')?.error;
  return isData(error) && typeof error.message === 'string' ? error.message : text;
}
