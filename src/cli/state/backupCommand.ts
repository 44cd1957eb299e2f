import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import { capital, counted, sizeText } from '../../base/lists.ts';
import type { Settings } from '../../config/settings.ts';
import type { SavedState } from '../../domain/localApi.ts';
import type { Backup } from '../../store/backup.ts';
import { answering, type Result } from '../command.ts';
import { commandLine, quotedPath } from '../commandLine.ts';
import type { Context } from '../context.ts';

interface BackupFlags {
  force?: boolean;
}

const EXAMPLES = `
The copy does not include the master key that decrypts the tokens.

Examples:
  $ relay backup ~/relay.backup
  $ relay backup ~/relay.backup --force
  $ relay restore ~/relay.backup`;

export function backupCommand(context: Context): Command {
  return new Command('backup')
    .description('Copy the state to a file; tokens stay encrypted')
    .argument('<file>', 'File to write')
    .option('--force', 'Overwrite an earlier copy')
    .addHelpText('after', EXAMPLES)
    .action(answering(context, (file: string, flags: BackupFlags) => runBackup(context, file, flags)));
}

/** Copies the state, after a running server has saved its last changes. */
async function runBackup(context: Context, file: string, { force = false }: BackupFlags): Promise<Result> {
  const { backUpHome } = await import('../../server/restore/restoreState.ts');
  const { isoOf } = await import('../../base/clock.ts');
  const state = await findState(context);
  context.signal.throwIfAborted();
  const backup = await backUpHome({ source: state.path, home: state.settings.home, file, force });
  const { rows, left, ...facts } = backup;
  const { settings, keySource } = state;
  const leftOut = left.map(
    ({ companion: { path, holds }, why }) =>
      `${capital(holds)} are not in the copy: ${basename(path)} cannot be used (${why}).`,
  );
  return {
    value: {
      ...facts,
      savedAt: isoOf(backup.savedAt),
      keySource,
      demo: settings.demo,
      memory: Object.keys(rows).length === 0 ? null : rows,
      memoryProblem: leftOut[0] ?? null,
    },
    text: [copiedLine(backup)],
    notes: [...(await newerProblem(backup)), ...leftOut, ...(await whatIsMissing(context, backup, state))],
  };
}

interface StateToCopy {
  /** The state file. */
  path: string;
  /** Settings of the home that the state belongs to. */
  settings: Settings;
  keySource: SavedState['keySource'];
}

/** The state of a running demo is copied only if there is no real state. */
async function findState(context: Context): Promise<StateToCopy> {
  const { stateFilePath } = await import('../../store/store.ts');
  const { runningServer } = await import('../findServer.ts');
  const { exists } = await import('../../base/files.ts');
  const settings = await context.settings();
  const path = await stateFilePath(settings.home);
  const isThere = await exists(path);
  const asks = !isThere || (await runningServer(settings.home)) !== null;
  const running = asks ? await context.running() : null;
  if (!running || (running.demo && isThere)) {
    return { path, settings, keySource: await keySourceOf(settings) };
  }
  const saved = await running.local.saveState();
  const its = running.demo ? await context.settings({ demo: true }) : settings;
  return { path: saved.path, settings: its, keySource: saved.keySource };
}

async function keySourceOf(settings: Settings): Promise<StateToCopy['keySource']> {
  const { keyOptions } = await import('../../config/settings.ts');
  const { keySource } = await import('../../secrets/masterKey.ts');
  return keySource(keyOptions(settings));
}

function copiedLine({ path, sizeBytes, keptPlaylists, rows }: Backup): string {
  const content = [
    keptPlaylists > 0 && counted(keptPlaylists, 'kept playlist'),
    rows.versions !== undefined && counted(rows.versions, 'playlist version'),
    rows.plays !== undefined && counted(rows.plays, 'play'),
  ].filter(Boolean);
  const counts = content.length === 0 ? '' : `, with ${content.join(', ')}`;
  return `Copied the state to ${path} (${sizeText(sizeBytes)})${counts}.`;
}

/** Warns about a newer schema. This program may be able to use it, but only restores copies whose schema it knows. */
async function newerProblem({ schemaVersion }: Backup): Promise<string[]> {
  const { MIGRATIONS } = await import('../../generated/sql.ts');
  const { newestOf } = await import('../../store/sql/migrate.ts');
  if (schemaVersion <= newestOf(MIGRATIONS)) return [];
  return ['A newer relay has changed this state, so only that relay can restore the copy.'];
}

/** Says what else is needed to restore everything, one line each. */
async function whatIsMissing(
  context: Context,
  { path }: Backup,
  { settings, keySource }: StateToCopy,
): Promise<string[]> {
  const others = besides(settings);
  const restore = commandLine({ ...context, demo: true }, 'restore', quotedPath(path, context.platform));
  return [
    ...(settings.demo ? [`This is the state of the demo. To restore it: ${restore}`] : []),
    `The copy does not include the key that decrypts the login. ${await keyAdvice(settings, keySource)}`,
    ...(others.length === 0 ? [] : [`Also not in the copy: ${others.join(', ')}.`]),
  ];
}

async function keyAdvice({ home }: Settings, source: StateToCopy['keySource']): Promise<string> {
  if (source === 'environment') return 'Keep RELAY_ENCRYPTION_KEY too.';
  if (source === 'file') {
    const { exists } = await import('../../base/files.ts');
    const path = (await import('../../secrets/masterKey.ts')).keyFilePath(home);
    // A server that is not running now may get its key from elsewhere.
    return (await exists(path))
      ? `Keep ${path} too.`
      : 'Keep RELAY_ENCRYPTION_KEY or the entry in the keychain too.';
  }
  const { keychainAccount } = await import('../../secrets/keychain.ts');
  return `Keep the entry ${await keychainAccount(home)} of "relay" in this system's keychain too.`;
}

/** Files that the person wrote, which the copy does not include. */
function besides({ configPath, oauthClientsFile }: Settings): string[] {
  return [configPath, oauthClientsFile].filter((path) => path !== null && existsSync(path)) as string[];
}
