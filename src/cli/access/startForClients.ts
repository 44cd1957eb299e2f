/** Starts a server for `relay stdio`, in a process of its own that other programs of the home find and that outlives this one. */
import { spawn } from 'node:child_process';
import { readJson } from '../../base/parsing.ts';
import { RelayError, toldError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';

export interface Starting {
  /** Why the server could not start; null while it may still answer. Another server that holds the home is no reason. */
  failed: RelayError | null;
}

export async function startForClients(context: Context): Promise<Starting> {
  const { program } = await context.machine();
  const [command = '', ...words] = program;
  const { home, demo } = context;
  // Other clients use that server too, so its tools are not this client's.
  const { RELAY_TOOLSETS: _, RELAY_READ_ONLY: __, ...env } = context.env;
  const named = [...(home === undefined ? [] : ['--home', home]), ...(demo ? ['--demo'] : [])];
  const starting: Starting = { failed: null };
  const child = spawn(command, [...words, ...named, 'serve', '--until-unused', '--json'], {
    ...{ env, detached: true, windowsHide: true },
    // The reason of a failed start is one line of JSON. Later messages are in the log of the home.
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told = (told + text).slice(-100_000);
  });
  child.once('error', (error) => {
    starting.failed = new RelayError('NO_SERVER', `No server could be started: ${error.message}.`);
  });
  child.once('close', () => {
    starting.failed ??= reasonIn(told);
  });
  child.unref();
  (child.stderr as { unref?: () => void }).unref?.();
  return starting;
}

function reasonIn(told: string): RelayError | null {
  const last = readJson(told.trim().split('\n').at(-1) ?? '') as { error?: { code?: unknown } } | undefined;
  if (last?.error) return last.error.code === 'ALREADY_RUNNING' ? null : toldError(last.error);
  return new RelayError('NO_SERVER', 'The server ended while it started.');
}
