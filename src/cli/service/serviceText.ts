/** The text that `relay service` shows a person. Pure: facts in, lines out. */
import type { ServerFile } from '../../domain/localApi.ts';
import type { Remedy } from '../../domain/remedy.ts';
import { otherHome, removalAdvice, type ServiceStatus, type Start } from '../../service/manager.ts';
import { columns } from '../terminal/output.ts';
import type { LeftBehind } from '../usage/leftBehind.ts';

export interface Problem {
  message: string;
  /** A command in the remedy is printed without backquotes. */
  remedy: Remedy;
}

const INSTALL: Remedy = { text: 'Run: {command}', command: ['service', 'install'] };

/** Says what keeps the service from working. A problem that hides others is listed alone. */
export function problemsOf(found: ServiceStatus, logCommand: string | null): Problem[] {
  if (found.writtenBy === 'nobody') return [{ message: 'The service is not installed.', remedy: INSTALL }];
  if (found.writtenBy === 'other') {
    const remedy = { text: 'Rename or move that file, then install again.' };
    return [{ message: `${found.file} was not written by relay.`, remedy }];
  }
  const home = otherHome(found);
  if (home !== null) {
    const message = `It starts relay for another home, and there can be only one service: ${home}`;
    return [{ message, remedy: { text: removalAdvice(home) } }];
  }
  const problems: Problem[] = [];
  if (found.command !== found.wanted) {
    problems.push({ message: `It should run: ${found.wanted}`, remedy: INSTALL });
  } else if (!found.current) {
    problems.push({ message: 'It was changed, or written by another version of relay.', remedy: INSTALL });
  }
  if (!found.enabled)
    problems.push({ message: 'It is disabled, so it does not start at login.', remedy: INSTALL });
  if (found.failed) {
    const remedy: Remedy =
      logCommand === null
        ? { text: 'To see why: {command}', command: ['serve'] }
        : { text: `To see why: ${logCommand}` };
    problems.push({ message: 'Its server stopped unexpectedly.', remedy });
  }
  return problems;
}

export function serviceText(
  found: ServiceStatus,
  server: ServerFile | null,
  problems: ReadonlyArray<{ message: string; remedy: string }>,
): string[] {
  const about = found.writtenBy === 'relay' ? installedRows(found, server) : [];
  return [...columns(about), ...problems.flatMap(({ message, remedy }) => [message, `  ${remedy}`])];
}

function installedRows(found: ServiceStatus, server: ServerFile | null): string[][] {
  return [
    ['service', found.enabled ? 'installed, starts at login' : 'installed, does not start at login'],
    ['running', runningText(found, server)],
    ['file', found.file],
    ['command', found.command ?? 'none'],
  ];
}

function runningText({ running, pid, silent }: ServiceStatus, server: ServerFile | null): string {
  const where = server === null ? '' : `pid ${server.pid}, ${server.baseUrl}`;
  if (running) return where === '' ? `yes, pid ${pid}, not ready yet` : `yes, ${where}`;
  const beside = where === '' ? '' : `; another server is running: ${where}`;
  return running === null ? `unknown (${silent ?? 'the system does not say'})${beside}` : `no${beside}`;
}

export interface InstalledFacts {
  file: string;
  changed: boolean;
  started: Start;
  /** URL of the MCP endpoint; null until the server is up. */
  url: string | null;
  /** A server that was already running and is not the service's; null if there was none. */
  other: ServerFile | null;
  silent: string | null;
  left: readonly LeftBehind[];
  platform: NodeJS.Platform;
  /** The command that starts the server by hand. */
  serve: string;
}

/** `lines`: what was done. `notes`: what else the person should know. */
export function installedText(facts: InstalledFacts): { lines: string[]; notes: string[] } {
  const { file, changed, started, url } = facts;
  const done = changed ? `Installed ${file}` : `Already installed: ${file}`;
  const state =
    started === 'next login'
      ? 'It starts at the next login.'
      : url === null
        ? 'It is starting.'
        : `Running: ${url}`;
  return { lines: [done, state], notes: [...laterNotes(facts), ...leftNotes(facts)] };
}

function laterNotes({ started, other, silent, serve }: InstalledFacts): string[] {
  if (started !== 'next login') return [];
  if (other) {
    return [
      `A server is already running for this home (pid ${other.pid}), and there can be only one.`,
      'To let the service take over now, stop that server and run this again.',
    ];
  }
  const reason = silent === null ? [] : [`The service manager does not answer here: ${silent}`];
  return [...reason, `Until then, start it with: ${serve}`];
}

function leftNotes({ left, platform }: InstalledFacts): string[] {
  if (left.length === 0) return [];
  const elsewhere = platform === 'linux' ? 'set it in `systemctl --user edit relay`' : 'it cannot be stored';
  const rows = left.map(({ env, store }) => [`  ${env}`, store ?? elsewhere]);
  return ['The service does not get these settings from your environment. To keep them:', ...columns(rows)];
}
