/** Finding the server that runs for a home: its own, or else the demo's. */
import { join } from 'node:path';
import type { Clock, Random } from '../base/clock.ts';
import { keyOptions, type Settings } from '../config/settings.ts';
import type { LocalApi, ServerFile } from '../domain/localApi.ts';
import { createLocalClient } from '../local/localClient.ts';
import { loadMasterKey } from '../secrets/masterKey.ts';
import { deriveLocalToken } from '../secrets/seal.ts';
import { readServerFile } from '../store/home/serverFile.ts';
import { type Io, note } from './terminal/output.ts';

/** What is needed of the command's context, which imports this file. */
interface Asking {
  io: Io;
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  version: string;
  settings(request?: { demo: boolean }): Promise<Settings>;
}

export interface Connection {
  local: LocalApi;
  baseUrl: string;
  pid: number;
  version: string;
  demo: boolean;
}

/**
 * The running server with a client for it, or null. The file of a killed server counts as none. Whatever else listens at the
 * address has to prove itself before it is told anything (`local/localClient.ts`).
 */
export async function findServer(context: Asking): Promise<Connection | null> {
  const settings = await context.settings();
  const own = await readServerFile(settings.home);
  if (own) return connectTo(context, settings, own);
  const demo = await readServerFile(join(settings.home, 'demo'));
  if (!demo) return null;
  note(context.io, 'Using the running demo.');
  return connectTo(context, await context.settings({ demo: true }), demo);
}

async function connectTo(context: Asking, settings: Settings, file: ServerFile): Promise<Connection> {
  const { key } = await loadMasterKey({
    ...keyOptions(settings),
    allowCreate: false,
    clock: context.clock,
  });
  const { baseUrl, pid, version } = file;
  if (version !== context.version) {
    note(
      context.io,
      `The running server is version ${version}, this is ${context.version}: restart the server.`,
    );
  }
  const token = deriveLocalToken(key);
  const local = createLocalClient({ baseUrl, token, signal: context.signal, random: context.random });
  return { local, baseUrl, pid, version, demo: settings.demo };
}
