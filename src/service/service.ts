/** Starts relay at login: a systemd user unit, a launchd agent, or a value under the Run key of Windows. */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, posix, resolve } from 'node:path';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { childEnv, systemProgram } from '../base/childProcess.ts';
import { readRegularFile, replaceFile } from '../base/files.ts';
import { makeDirectories } from '../base/filesSync.ts';
import { directoryIn, homeDirectory } from '../base/userDirectories.ts';
import { messageOf, RelayError, systemCodeOf } from '../domain/errors.ts';
import type { Remedy } from '../domain/remedy.ts';

/** The result of running a program. Never an exception: `err` is its stderr, or the reason why it could not be run. */
export type Ran = { ok: boolean; out: string; err: string };

export interface Machine {
  /** The command line of this program: the executable, or Node and the script. Absolute paths. */
  program: readonly string[];
  homeDir: string;
  /** Number of the user; null on Windows, which has no such number. */
  uid: number | null;
  /** Runs a program without a shell, for at most `timeoutMs` (default 10 s). Never rejects. */
  run(command: string, args: readonly string[], timeoutMs?: number): Promise<Ran>;
}

/** What a service is made from: the machine, and the command that the service runs, with absolute paths. */
type Facts = Pick<NodeJS.Process, 'platform' | 'env'> & { machine: Machine; command: readonly string[] };
type Line = readonly [program: string, ...args: string[]];

/** One way to start relay at login: a place, a text, and what the system is asked to do with it. */
export interface Service {
  /** The file, or the value in the registry. */
  file: string;
  text: string;
  /** What only a text of relay's contains. */
  marker: string;
  /** Lets the system start it at login. The last line has to succeed. */
  enable: readonly Line[];
  /** Starts it now; null if the system does that at login only. */
  start: Line | null;
  /** How often starting is tried, since launchd does not wait until it has ended the old agent. */
  tries: number;
  /** Ends it, and no longer lets the system start it. */
  stop: Line | null;
  /** The command that shows why the server ended, if the system keeps a log. */
  log?: string;
  read(): Promise<string | null>;
  write(): Promise<unknown>;
  remove(): Promise<unknown>;
}

const WRITTEN = 'Written by `relay service install`, which replaces it.';
const MOVE = 'Move the program or its home to another path, then run this again.';

/** @throws RelayError `SERVICE_FAILED` on an unsupported platform, or for a command that cannot be written down */
export function serviceFor(facts: Facts): Service {
  const unusable = facts.command.find((word) => /\p{Cc}/u.test(word));
  if (unusable !== undefined) throw failure(`${JSON.stringify(unusable)} contains a control character`, MOVE);
  const kind = { linux: systemdUnit, darwin: launchdAgent, win32: runKey }[facts.platform as 'linux'];
  if (kind) return kind(facts);
  const remedy = { text: 'Run {command} from your own startup files.', command: ['serve'] };
  throw failure(`relay cannot start at login on ${facts.platform}`, remedy);
}

/**
 * A user unit rather than a system unit, because only the user's own processes reach the keychain. After exit codes 2 (settings)
 * and 5 (newer program needed), nothing helps until the user acts. Code 3 is not among them: a keychain that is locked at login is
 * often unlocked a moment later. Stricter rules need a mount namespace, which some systems deny to users.
 */
function systemdUnit({ platform, env, machine, command }: Facts): Service {
  const config = directoryIn({ platform, env }, 'XDG_CONFIG_HOME') ?? posix.join(machine.homeDir, '.config');
  const file = posix.join(config, 'systemd', 'user', 'relay.service');
  const ask = (...words: string[]): Line => ['systemctl', '--user', ...words, 'relay.service'];
  return {
    ...inFile(
      file,
      `# ${WRITTEN}
# Your own changes go into \`systemctl --user edit relay\`.
[Unit]
Description=relay, Spotify for AI clients
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart=${execStart(command)}
Restart=on-failure
RestartSec=10
RestartPreventExitStatus=2 5
TimeoutStopSec=60
KillMode=mixed
NoNewPrivileges=yes
UMask=0077

[Install]
WantedBy=default.target
`,
    ),
    // After too many failures, systemd starts the unit only once they are reset. `enable` reads the changed file.
    enable: [ask('reset-failed'), ask('enable')],
    start: ask('restart'),
    stop: ask('disable', '--now'),
    tries: 1,
    log: 'journalctl --user -u relay -n 20',
  };
}

/**
 * systemd.service(5), "Command lines": the path of the program may have no quote, backslash or dollar sign. Of other words a
 * percent and a dollar sign are doubled.
 */
function execStart(command: readonly string[]): string {
  const [program = ''] = command;
  if (/["'\\$]/.test(program)) throw failure(`systemd cannot start ${program}`, MOVE);
  return command
    .map((word) => {
      const literal = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
      return /^[\w@%+=:,./$-]+$/.test(literal) ? literal : `"${literal.replace(/["\\]/g, '\\$&')}"`;
    })
    .join(' ');
}

/**
 * launchd.plist(5), launchctl(1). After every exit code but 0, launchd restarts the server, even if that cannot help, so
 * `ThrottleInterval` limits it to two restarts a minute. Without `ProcessType`, launchd would slow down a process without a window.
 */
function launchdAgent({ machine, command }: Facts): Service {
  const file = posix.join(machine.homeDir, 'Library', 'LaunchAgents', 'relay.server.plist');
  const log = posix.join(machine.homeDir, 'Library', 'Logs', 'relay.log');
  const domain = `gui/${machine.uid ?? ''}`;
  const target = `${domain}/relay.server`;
  const escaped = (word: string) =>
    word.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const string = (word: string) => `<string>${escaped(word)}</string>`;
  return {
    ...inFile(
      file,
      `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${WRITTEN} -->
<plist version="1.0">
<dict>
  <key>Label</key> <string>relay.server</string>
  <key>ProgramArguments</key>
  <array>${command.map(string).join(' ')}</array>
  <key>RunAtLoad</key> <true/>
  <key>KeepAlive</key> <dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key> <integer>30</integer>
  <key>ExitTimeOut</key> <integer>60</integer>
  <key>ProcessType</key> <string>Interactive</string>
  <key>StandardErrorPath</key> ${string(log)}
</dict>
</plist>
`,
    ),
    enable: [['launchctl', 'enable', target]],
    start: ['launchctl', 'bootstrap', domain, file],
    stop: ['launchctl', 'bootout', target],
    tries: 20,
    log: 'tail ~/Library/Logs/relay.log',
  };
}

/**
 * https://learn.microsoft.com/windows/win32/setupapi/run-and-runonce-registry-keys: a command has at most 260 characters.
 * `start /min`: otherwise the console window of the server would cover the desktop at each login. Windows does not supervise it.
 */
function runKey({ env, machine, command }: Facts): Service {
  const marker = 'cmd.exe /d /c start "relay" /min ';
  // Microsoft's C runtime: in quotes, a backslash is special only before a quotation mark.
  const quoted = (word: string) => (/^[\w\\:./-]+$/.test(word) ? word : `"${word.replace(/\\+$/, '$&$&')}"`);
  const text = marker + command.map(quoted).join(' ');
  if (command.some((word) => word.includes('"')) || /%[^%]+%/.test(text) || text.length > 260)
    throw failure(`Windows would cut or change the command to start at login: ${text}`, MOVE);
  const key = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;
  const ask = (verb: string, ...words: string[]) =>
    machine.run(systemProgram('reg.exe', env), [verb, key, '/v', 'relay', ...words]);
  const change = async (verb: string, ...words: string[]) =>
    requireOk(await ask(verb, ...words, '/f'), 'Windows did not change the Run key');
  return {
    file: `${key}\\relay`,
    text,
    marker,
    enable: [],
    start: null,
    stop: null,
    tries: 1,
    read: async () =>
      /^\s*relay\s+REG_(?:EXPAND_)?SZ\s+(.*?)\s*$/m.exec((await ask('query')).out)?.[1] ?? null,
    write: () => change('add', '/t', 'REG_SZ', '/d', text),
    remove: () => change('delete'),
  };
}

function inFile(file: string, text: string) {
  const changing = (work: Promise<unknown>) =>
    work.catch((error) => {
      const remedy = 'Check the disk, and the owner of the file and its directory, then run this again.';
      throw failure(`${file} cannot be changed: ${messageOf(error)}`, remedy);
    });
  const isThere = () => lstat(file).then(Boolean, () => false);
  const readText = async () => (await readRegularFile(file, 1024 * 1024)).bytes.toString('utf8');
  const replace = async () => {
    makeDirectories(dirname(file));
    await replaceFile(file, text, { mode: 0o644 });
  };
  return {
    file,
    text,
    marker: WRITTEN,
    // What cannot be read, such as a link to nothing, counts as someone else's.
    read: async () => ((await isThere()) ? readText().catch(() => '') : null),
    write: () => changing(replace()),
    remove: () => changing(rm(file, { force: true })),
  };
}

/** Throws if a program failed, with the system's own message, since only that message says what to fix. */
export function requireOk({ ok, err }: Ran, what: string, remedy = 'Correct this, then try again.'): void {
  if (!ok) throw failure(`${what}: ${err.replace(/[\s.]+$/, '') || 'no reason given'}`, remedy);
}

function failure(why: string, remedy: Remedy | string): RelayError {
  return new RelayError('SERVICE_FAILED', `${why}.`, { remedy });
}

/** The machine that this process runs on. */
export function systemMachine(): Machine {
  const program = startedAs(process.argv0, process.execPath, childEnv().PATH);
  const script = isSea() ? [] : [ownScript(dirname(fileURLToPath(import.meta.url)))];
  const uid = process.getuid?.() ?? null;
  return { program: [program, ...script], homeDir: homeDirectory(process), uid, run };
}

/**
 * Returns the path by which the program was started, which often is a link that survives upgrades; the program's own if that
 * path does not lead to it. fnm's links live as long as one shell.
 */
export function startedAs(name: string, path: string, search = ''): string {
  if (process.platform === 'win32') return path;
  const folders = search
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !/fnm_multishells/.test(folder));
  const names = name.includes('/') ? [resolve(name)] : folders.map((folder) => join(folder, name));
  return names.find((one) => existsSync(one) && realpathSync(one) === realpathSync(path)) ?? path;
}

/** Finds relay's script from the bundle and from source, whatever name the program was started by. */
function ownScript(folder: string): string {
  const script = join(folder, 'bin', 'relay.mjs');
  return existsSync(script) || dirname(folder) === folder ? script : ownScript(dirname(folder));
}

function run(command: string, args: readonly string[], timeout = 10_000): Promise<Ran> {
  const options = { env: childEnv(), windowsHide: true, timeout, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile(command, [...args], options, (error, out, err) => {
      const why = error?.killed ? `${command} did not answer within ${timeout / 1_000} s` : error?.message;
      const missing = systemCodeOf(error) === 'ENOENT' ? `${command} was not found` : why;
      resolve({ ok: error === null, out, err: err.trim() || (missing ?? '') });
    });
  });
}

/** `older`: relay's, with another program or text. `not ours`: never replaced or removed. `why` and `remedy`: what is wrong. */
export interface Installed {
  state: 'none' | 'current' | 'older' | 'not ours';
  why?: string;
  remedy?: Remedy;
}

export async function installed({ file, text, marker, read }: Service): Promise<Installed> {
  const found = await read();
  const remedy = { text: 'Run: {command}', command: ['service', 'install'] };
  if (found === null) return { state: 'none', why: 'The service is not installed.', remedy };
  if (found === text) return { state: 'current' };
  let why = `${file} was not written by relay.`;
  let toDo = 'If you do not need it, rename or remove it, then install again.';
  if (found.includes(marker)) {
    const home = homeIn(found);
    if (home === homeIn(text))
      return { state: 'older', why: 'It was changed, or is of another relay.', remedy };
    why = `${file} starts relay for another home: ${home ?? 'the default one'}.`;
    toDo = `There can be only one service. To remove it: relay ${home ? `--home ${home} ` : ''}service uninstall`;
  }
  return { state: 'not ours', why, remedy: { text: toDo } };
}

/** Returns the home in a text of relay's, in the form that it has there; null for the default home. */
function homeIn(text: string): string | null {
  return /--home(?:<\/string>\s*<string>| )(.+?)(?:<\/string>| serve$)/m.exec(text)?.[1] ?? null;
}
