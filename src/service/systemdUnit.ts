/**
 * The systemd unit. Pure. It is a user unit rather than a system unit, because only the user's own processes reach the
 * keychain.
 */
import { isAbsolute, join } from 'node:path';

export const UNIT = 'relay.service';

const MARKER = '# Written by `relay service install`, which replaces it.';
const PACKAGED = '# Your own changes go into `systemctl --user edit relay`.';

/** Returns where systemd looks for user units. A relative XDG_CONFIG_HOME is ignored. */
export function unitPaths(env: NodeJS.ProcessEnv, homeDir: string): { unit: string; link: string } {
  const own = env.XDG_CONFIG_HOME;
  const config = own && isAbsolute(own) ? own : join(homeDir, '.config');
  const folder = join(config, 'systemd', 'user');
  return { unit: join(folder, UNIT), link: join(folder, 'default.target.wants', UNIT) };
}

/**
 * Returns the whole unit. After exit codes 2 (settings) and 5 (newer program needed), nothing helps until the user acts, so
 * they prevent a restart. Code 3 does not: a keychain that is locked at login is often unlocked a moment later.
 * `TimeoutStopSec` is longer than a tool call may take. The restrictions are those that need no mount namespace, which some
 * systems deny to users.
 */
export function unitText(command: readonly string[]): string {
  return `${MARKER}\n${packagedUnitText(command)}`;
}

/**
 * Returns the unit that a package brings for all users of a machine. Each user enables it with
 * `systemctl --user enable --now relay`.
 * @internal
 */
export function packagedUnitText(command: readonly string[]): string {
  return `${PACKAGED}
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
LockPersonality=yes
RestrictRealtime=yes
UMask=0077

[Install]
WantedBy=default.target
`;
}

export function isOurUnit(text: string): boolean {
  return text.startsWith(MARKER);
}

/** True for the unit that a package brings. */
export function isPackagedUnit(text: string): boolean {
  return text.startsWith(PACKAGED);
}

/** Returns the command line in a unit; null if it has none. */
export function unitCommand(text: string): string | null {
  return /^ExecStart=(.*)$/m.exec(text)?.[1]?.trim() ?? null;
}

/**
 * Returns the value of `ExecStart`. systemd does not accept a program path with a quote, backslash or dollar sign
 * (systemd.service(5), "Command lines"), so a shell starts such a program.
 */
export function execStart(command: readonly string[]): string {
  const [program = ''] = command;
  const words = /["'\\$]/.test(program) ? ['/bin/sh', '-c', 'exec "$0" "$@"', ...command] : command;
  return words.map(systemdWord).join(' ');
}

function systemdWord(word: string): string {
  const literal = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  if (/^[\w@%+=:,./$-]+$/.test(literal)) return literal;
  return `"${literal.replace(/["\\]/g, '\\$&')}"`;
}

/** Reads the state from the output of `systemctl show`. */
export function unitState(shown: string): {
  enabled: boolean;
  running: boolean;
  failed: boolean;
  pid: number | null;
} {
  const of = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(shown)?.[1]?.trim() ?? '';
  const pid = Number(of('MainPID'));
  return {
    enabled: of('UnitFileState') === 'enabled',
    running: of('ActiveState') === 'active',
    failed: of('ActiveState') === 'failed' || of('SubState') === 'auto-restart',
    pid: pid > 0 ? pid : null,
  };
}
