/** Runs `relay service`. Whether a server runs is asked at its door, so no output of a service manager is read. */
import { existsSync } from 'node:fs';
import { temporaryWord } from '../../base/childProcess.ts';
import { homeToName, inspectSettings, loadSettings } from '../../config/settings.ts';
import { SETTING_KEYS, SETTINGS } from '../../config/table.ts';
import { RelayError } from '../../domain/errors.ts';
import type { ServerFile } from '../../domain/localApi.ts';
import { remedyText } from '../../domain/remedy.ts';
import {
  type Installed,
  installed,
  type Machine,
  type Ran,
  requireOk,
  type Service,
  serviceFor,
} from '../../service/service.ts';
import type { Result } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { runningServer, startingServer } from '../findServer.ts';

interface OpenService {
  service: Service;
  machine: Machine;
  home: string;
  /** The `--home` that the service is started with; null for the default home. */
  named: string | null;
}

/** A stopping server may take a minute to finish its work. */
const STOP_MS = 90_000;
const PATIENCE_MS = 15_000;
const LOOK_AGAIN_MS = 300;

/** Works with unusable settings too, so that a service can always be inspected and removed. */
export async function openService(context: Context): Promise<OpenService> {
  const { platform, env, demo } = context;
  const message = 'A service runs the real server, not the demo.';
  if (demo) throw new RelayError('USAGE', message, { remedy: 'Leave out --demo.' });
  const machine = await context.machine();
  const { settings } = inspectSettings(context.loadOptions());
  const named = homeToName(settings, env, platform);
  const command = [...machine.program, ...(named === null ? [] : ['--home', named]), 'serve'];
  const service = serviceFor({ platform, env, machine, command });
  return { service, machine, home: settings.home, named };
}

/** Stops the service and removes it. Returns false if there was none. @throws RelayError `SERVICE_FAILED` */
export async function removeService({ service, machine }: OpenService): Promise<boolean> {
  const { state } = requireOwn(await installed(service));
  if (state === 'none') return false;
  // It may not be loaded, so a failure is none.
  await ask(machine, service.stop);
  await service.remove();
  return true;
}

/** @param restart true to start an installed service again */
export async function installService(context: Context, restart: boolean): Promise<Result> {
  const open = await openService(context);
  requireInstallable(context, open);
  const { file, start } = open.service;
  const { state, why, remedy } = requireOwn(await installed(open.service));
  if (restart && why) throw new RelayError('SERVICE_FAILED', why, { remedy });
  if (restart && start === null) {
    throw new RelayError('SERVICE_FAILED', 'Windows starts it at login only.', {
      remedy: { text: 'Stop the server with {command}, then sign in again.', command: ['stop'] },
    });
  }
  const changed = state !== 'current';
  const { server, started } = await bringUp(context, open, state, restart);
  const left = leftBehind(context);
  const url = server && `${server.baseUrl}/mcp`;
  const running = url === null ? 'It is starting.' : `Running: ${url}`;
  const store = commandLine(context, 'config', 'set', 'KEY', 'VALUE');
  const later = server
    ? `A server is already running for this home (pid ${server.pid}). To let the service take over now, stop that server and run this again.`
    : `Until then, start it with: ${commandLine(context, 'serve')}`;
  return {
    value: { installed: true, changed, started, file, url, server, left },
    text: [
      ...(restart ? [] : [changed ? `Installed ${file}` : `Already installed: ${file}`]),
      started === 'next login' ? 'It starts at the next login.' : running,
    ],
    notes: [
      ...(started === 'next login' ? [later] : []),
      ...(left.length === 0
        ? []
        : [
            `The service does not get ${left.join(', ')} from your environment. To keep what is no secret: ${store}`,
          ]),
    ],
  };
}

/**
 * Writes the service if need be, and starts it unless a server of this home runs.
 * @returns when it starts: it has been started, it ran already, or only at the next login
 */
async function bringUp(
  context: Context,
  open: OpenService,
  state: Installed['state'],
  restart: boolean,
): Promise<{ server: ServerFile | null; started: 'now' | 'was running' | 'next login' }> {
  const { service, machine, home } = open;
  const changed = state !== 'current';
  // The service's own server ends, so one that still answers is another one. launchd starts no agent that it has loaded.
  const isStopped = changed || restart || (await runningServer(home)) === null;
  if (isStopped && (await ask(machine, service.stop)).ok)
    await until(context, async () => (await runningServer(home)) === null);
  if (changed) await service.write();
  let enabled: Ran = { ok: true, out: '', err: '' };
  for (const line of service.enable) enabled = await ask(machine, line);
  await accepted(open, enabled, state === 'none');
  const before = await runningServer(home);
  if (before === null && service.start !== null)
    return { server: await start(context, open, state === 'none'), started: 'now' };
  return { server: before, started: before && !isStopped ? 'was running' : 'next login' };
}

export async function uninstallService(context: Context): Promise<Result> {
  const open = await openService(context);
  refuseSudo(context, open.machine);
  const { file } = open.service;
  const removed = await removeService(open);
  const server = await runningServer(open.home);
  const stop = commandLine(context, 'stop');
  return {
    value: { installed: false, removed, file, server },
    text: [removed ? `Removed ${file}` : 'The service was not installed.'],
    notes: server ? [`A server is still running for this home (pid ${server.pid}). To stop it: ${stop}`] : [],
  };
}

export async function showService(context: Context): Promise<Result> {
  const { service, home } = await openService(context);
  const [{ state, why, remedy }, server] = await Promise.all([installed(service), runningServer(home)]);
  const { file, log = commandLine(context, 'logs') } = service;
  const command = (words: readonly string[]) => commandLine(context, ...words);
  const problems = why && remedy ? [{ message: why, remedy: remedyText(remedy, command) }] : [];
  const isInstalled = state === 'current' || state === 'older';
  const rows = [
    ['service', isInstalled ? `installed, ${file}` : 'not installed'],
    ['running', server ? `yes, pid ${server.pid}, ${server.baseUrl}` : 'no'],
    ['log', log],
    ...problems.map((problem) => ['to do', `${problem.message} ${problem.remedy}`]),
  ];
  return {
    value: { installed: isInstalled, running: server !== null, file, log, server, problems },
    text: [{ rows }],
    exit: problems.length > 0 ? EXIT.failed : EXIT.done,
  };
}

function requireOwn(found: Installed): Installed {
  if (found.state !== 'not ours') return found;
  const remedy = `Nothing was changed. ${found.remedy?.text}`;
  throw new RelayError('SERVICE_FAILED', found.why ?? found.state, { remedy });
}

async function ask(machine: Machine, line: Service['start']): Promise<Ran> {
  const [program, ...args] = line ?? [];
  return program === undefined ? { ok: true, out: '', err: '' } : machine.run(program, args, STOP_MS);
}

/** Throws if the system refused. A new service is then removed again: without its manager, a system never starts it. */
async function accepted({ service, machine }: OpenService, ran: Ran, isNew: boolean): Promise<void> {
  if (!ran.ok && isNew) {
    await ask(machine, service.stop);
    await service.remove();
  }
  const nothing = isNew ? 'Nothing was installed. ' : '';
  const remedy = `${nothing}Run this where you signed in yourself, not through su or ssh. To see why: ${service.log}`;
  requireOk(ran, 'The system did not start the service', remedy);
}

/** Starts the service. Returns null if its server does not answer yet. */
async function start(context: Context, open: OpenService, isNew: boolean) {
  const { service, machine, home } = open;
  let ran = await ask(machine, service.start);
  // launchd may still be ending the old agent.
  for (let tries = 1; !ran.ok && tries < service.tries; tries++) {
    await context.clock.sleep(LOOK_AGAIN_MS, context.signal);
    ran = await ask(machine, service.start);
  }
  await accepted(open, ran, isNew);
  await until(context, async () => (await runningServer(home)) !== null);
  const server = await runningServer(home);
  if (server !== null || (await startingServer(home)) !== null) return server;
  const message = 'The service is installed, but the server that it started does not answer.';
  throw new RelayError('SERVICE_FAILED', message, { remedy: `To see why: ${service.log}` });
}

async function until({ clock, signal }: Context, isDone: () => Promise<boolean>): Promise<void> {
  const end = clock.monotonic() + PATIENCE_MS;
  while (!(await isDone()) && clock.monotonic() < end) await clock.sleep(LOOK_AGAIN_MS, signal);
}

/**
 * Refuses a service that could not run. Throws `SERVICE_FAILED`, or `SETTINGS_INVALID` if the settings are unusable without this
 * shell's environment, which the service does not get.
 */
function requireInstallable(context: Context, { machine, named }: OpenService): void {
  refuseSudo(context, machine);
  const missing = machine.program.find((path) => !existsSync(path));
  const temporary = temporaryWord(machine.program);
  if (missing !== undefined || temporary !== null) {
    const why = missing ? `${missing} does not exist.` : `${temporary} is a temporary copy.`;
    const remedy = 'Install relay in a permanent place, then run this again from there.';
    throw new RelayError('SERVICE_FAILED', why, { remedy });
  }
  loadSettings({ env: withoutSettings(context.env), flags: named === null ? {} : { home: named } });
}

/** Refuses `sudo`: root has another keychain and another home, and would own files that the person needs. */
function refuseSudo({ env }: Context, { uid }: Machine): void {
  if (uid !== 0 || !env.SUDO_USER) return;
  const remedy = 'Run this again without sudo.';
  throw new RelayError('SERVICE_FAILED', 'A service that runs as root cannot reach your keychain.', {
    remedy,
  });
}

/** The variables of settings that the service, which has another environment, does not get. */
function leftBehind(context: Context): string[] {
  const own = inspectSettings(context.loadOptions()).settings;
  const env = withoutSettings(context.env);
  const theirs = inspectSettings({ env, flags: { home: own.home } }).settings;
  return SETTING_KEYS.filter((key) => key !== 'home' && own.origins[key] === 'environment')
    .filter((key) => String(own[key]) !== String(theirs[key]))
    .map((key) => SETTINGS[key].env);
}

function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = SETTING_KEYS.map((key) => SETTINGS[key].env);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}
