import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { capital, counted, sizeText } from '../../base/lists.ts';
import type { Settings } from '../../config/settings.ts';
import type { SavedState } from '../../domain/localApi.ts';
import type { Restored } from '../../server/restore/restoreState.ts';
import { leaf, type Result } from '../command.ts';
import { commandLine, quotedPath } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { note } from '../terminal/output.ts';
import { requireYes } from '../terminal/prompt.ts';
import { timeText } from '../terminal/time.ts';

const EXAMPLES = `
The copy does not include the master key that decrypts the tokens.

Examples:
  $ relay backup ~/relay.backup
  $ relay backup ~/relay.backup --force
  $ relay restore ~/relay.backup`;

export function backupCommand(context: Context): Command {
  return leaf(context, 'backup', 'Copy the state to a file; tokens stay encrypted', runBackup, EXAMPLES)
    .argument('<file>', 'File to write')
    .option('--force', 'Overwrite an earlier copy');
}

/** Copies the state, after a running server has saved its last changes. */
async function runBackup(
  context: Context,
  file: string,
  { force = false }: { force?: boolean },
): Promise<Result> {
  const { backUpHome } = await import('../../server/restore/restoreState.ts');
  const { isoOf } = await import('../../base/clock.ts');
  const state = await findState(context);
  context.signal.throwIfAborted();
  const { settings, keySource } = state;
  const backup = await backUpHome({ source: state.path, home: settings.home, file, force });
  const { rows, left, ...facts } = backup;
  const leftOut = left.map(
    ({ companion: { path, holds }, why }) =>
      `${capital(holds)} are not in the copy: ${basename(path)} cannot be used (${why}).`,
  );
  const restore = commandLine({ ...context, demo: true }, 'restore', quotedPath(file, context.platform));
  const { configPath, oauthClientsFile } = settings;
  const others = [configPath, oauthClientsFile].filter((path) => path !== null && existsSync(path));
  const content = [
    backup.keptPlaylists > 0 && counted(backup.keptPlaylists, 'kept playlist'),
    rows.versions !== undefined && counted(rows.versions, 'playlist version'),
    rows.plays !== undefined && counted(rows.plays, 'play'),
  ].filter(Boolean);
  const counts = content.length === 0 ? '' : `, with ${content.join(', ')}`;
  return {
    value: {
      ...facts,
      savedAt: isoOf(backup.savedAt),
      keySource,
      demo: settings.demo,
      memory: Object.keys(rows).length === 0 ? null : rows,
      memoryProblem: leftOut[0] ?? null,
    },
    text: [`Copied the state to ${backup.path} (${sizeText(backup.sizeBytes)})${counts}.`],
    notes: [
      ...leftOut,
      ...(settings.demo ? [`This is the state of the demo. To restore it: ${restore}`] : []),
      `The copy does not include the key that decrypts the login. Keep ${await keyPlace(state)} too.`,
      ...(others.length === 0 ? [] : [`Also not in the copy: ${others.join(', ')}.`]),
    ],
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
  const { exists } = await import('../../base/files.ts');
  const settings = await context.settings();
  const path = await stateFilePath(settings.home);
  const running = await context.running({ ownHome: await exists(path) });
  if (!running) return { path, settings, keySource: await keySourceOf(settings) };
  const saved = await running.local.saveState();
  const its = running.demo ? await context.settings({ demo: true }) : settings;
  return { path: saved.path, settings: its, keySource: saved.keySource };
}

async function keySourceOf(settings: Settings): Promise<StateToCopy['keySource']> {
  const { keyOptions } = await import('../../config/settings.ts');
  const { keySource } = await import('../../secrets/masterKey.ts');
  return keySource(keyOptions(settings));
}

async function keyPlace({ settings: { home }, keySource }: StateToCopy): Promise<string> {
  if (keySource === 'environment') return 'RELAY_ENCRYPTION_KEY';
  const { keyFilePath } = await import('../../secrets/masterKey.ts');
  const { keychainAccount } = await import('../../secrets/keychain.ts');
  // A server that is not running now may get its key from elsewhere.
  if (keySource === 'file' && existsSync(keyFilePath(home))) return keyFilePath(home);
  const account = await keychainAccount(home);
  const entry = `the entry ${account} of "relay" in this system's keychain`;
  return keySource === 'file' ? `RELAY_ENCRYPTION_KEY or ${entry}` : entry;
}

const RESTORE_HELP = `
Stop the server first. The copy is checked, and the current state is kept beside
the new one. The current API key and the login of the same account stay; clients
ask for approval again.

Examples:
  $ relay restore ~/relay.backup
  $ relay --home ~/other restore ~/relay.backup`;

export function restoreCommand(context: Context): Command {
  return leaf(context, 'restore', 'Replace the state with a copy', runRestore, RESTORE_HELP)
    .argument('<file>', 'A file that `relay backup` made')
    .option('--force', 'Restore even if the key here cannot decrypt the login in the copy')
    .option('--yes', 'Replace the current state without asking');
}

/** Restores a copy, but not while a server runs: the server would overwrite the file from its memory. */
async function runRestore(
  context: Context,
  file: string,
  { force = false, yes = false }: { force?: boolean; yes?: boolean },
): Promise<Result> {
  const { clock, random, signal } = context;
  const settings = await context.settings();
  if (!yes) await confirmReplacing(context, settings.home, file);
  const { restoreState } = await import('../../server/restore/restoreState.ts');
  const restored = await restoreState({ settings, file, force, clock, random, signal });
  return {
    value: restored,
    text: [whatCameBack(restored, clock.now())],
    notes: whatFollows(restored, (...words) => commandLine(context, ...words)),
  };
}

/** Asks a person at a terminal before a state is replaced. Scripts are not asked. */
async function confirmReplacing({ io, signal, clock }: Context, home: string, file: string): Promise<void> {
  const { stat } = await import('node:fs/promises');
  const current = await stat(join(home, 'relay.db')).catch(() => null);
  if (!current || !io.terminal.stdin || !io.terminal.stderr) return;
  const saved = timeText(current.mtime.toISOString(), clock.now());
  note(
    io,
    `The state in ${home}, last saved ${saved}, will be replaced by ${file}: its jobs, kept playlists,`,
  );
  note(io, 'remembered tracks and approvals will be gone. What is replaced is kept beside the new files.');
  await requireYes(io, 'Restore?', signal);
}

function whatCameBack({ path, from, savedAt, aliases, jobs, keptPlaylists, memory }: Restored, now: number) {
  const total = Object.values(jobs).reduce((sum, count) => sum + count, 0);
  const content = [
    counted(aliases, 'remembered track'),
    counted(total, 'job'),
    keptPlaylists > 0 && counted(keptPlaylists, 'kept playlist'),
    memory.versions !== undefined && counted(memory.versions, 'playlist version'),
    memory.plays !== undefined && counted(memory.plays, 'play'),
  ];
  const made = savedAt === null ? '' : `, a copy made ${timeText(savedAt, now)}`;
  return `Restored ${path} from ${from}${made}: ${content.filter(Boolean).join(', ')}.`;
}

/** Says what the person should know or do now, one line each. */
function whatFollows(
  { keptPath, keptBeside, heldJobs, jobs, keyProblem, kept }: Restored,
  command: (...words: string[]) => string,
): string[] {
  const keys = {
    present: 'The current API key stays valid.',
    copy: `The API key comes from the copy. If you rotated it since then, do so again: ${command('key', 'rotate')}`,
    new: `The next start makes a new API key. See it with: ${command('key')}`,
  };
  const held = `${counted(heldJobs, 'job')} may have continued since the copy, and wait for you: ${command('jobs')}`;
  return [
    ...(keptPath === null ? [] : [`The previous state is kept in ${keptPath}.`]),
    ...keptBeside.map(({ holds, keptPath }) => `The previous ${holds} are kept in ${keptPath}.`),
    ...(heldJobs === 0 ? [] : [held]),
    ...(jobs.ready
      ? [`Before you commit ${counted(jobs.ready, 'ready job')}, check that the songs are not there already.`]
      : []),
    keyProblem === null ? keys[kept.apiKey] : `${keyProblem} Start over with: ${command('login')}`,
    ...(kept.login === 'present' ? ['The current Spotify login stays.'] : []),
    ...(keyProblem === null && kept.login === 'copy'
      ? [`If Spotify refuses the login from the copy: ${command('login')}`]
      : []),
    'MCP clients must be approved again, and browsers need the owner code again.',
    `Start the server with: ${command('serve')}`,
  ];
}
