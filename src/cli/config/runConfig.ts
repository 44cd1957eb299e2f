/** Shows and changes settings. A secret is only shown as set or not set. */
import { didYouMean } from '../../base/nearest.ts';
import {
  inspectSettings,
  redirectUriFor,
  removeSetting,
  type Settings,
  storeSetting,
} from '../../config/settings.ts';
import { type Problem, settingsError } from '../../config/sources.ts';
import { findSetting, SETTING_KEYS, SETTINGS, type SettingKey } from '../../config/table.ts';
import { secretText } from '../../config/types.ts';
import { RelayError } from '../../domain/errors.ts';
import { isKeyFailure } from '../../domain/failureClass.ts';
import type { Context } from '../context.ts';
import { noteOtherHome } from '../findServer.ts';
import { note, printColumns, printJson, printLine } from '../terminal/output.ts';
import { askSecret } from '../terminal/prompt.ts';

/**
 * Returns the setting with that name, as written in `config.json` or in the environment.
 * @throws RelayError `USAGE` with similar names
 */
function requireSetting(name: string): SettingKey {
  const key = findSetting(name);
  if (key) return key;
  throw new RelayError('USAGE', `There is no setting "${name}".`, {
    remedy: {
      text: `${didYouMean(name, SETTING_KEYS) ?? ''} {command} shows all.`.trim(),
      command: ['config', 'list'],
    },
  });
}

/**
 * Prints the settings that can be used, and marks the others. Then throws `SETTINGS_INVALID` if there are others. If
 * `config.json` cannot be read, nothing is known about its settings, so nothing is printed.
 */
export async function listSettings(context: Context): Promise<void> {
  await noteOtherHome(context);
  const { settings, problems } = inspectSettings(context.loadOptions());
  if (problems.some(({ key }) => key === 'config.json')) throw settingsError(problems);
  const stored = await storedSecrets(context);
  // The redirect URI depends on the port. With port 0, `effective` shows none.
  const known = problems.some(({ key }) => key === 'port') ? { ...settings, port: 0 } : settings;
  const all = SETTING_KEYS.map((key) => {
    const view = viewOf(known, key, stored);
    const problem = problems.find((one) => one.key === key);
    return problem ? markedView(view, problem) : view;
  });
  if (context.json) printJson(context.io, { path: settings.configPath, settings: all });
  else {
    const rows = all.map((view) => [
      view.key,
      textOf(view),
      view.source === 'default' || view.source === 'state' ? '' : originOf(view, settings),
    ]);
    printColumns(context.io, rows);
  }
  if (problems.length > 0) throw settingsError(problems);
}

/** Returns the view of a setting that cannot be used, without the default that stands in its place. */
function markedView(view: View, { origin, message }: Problem): View {
  return { ...view, value: null, source: origin, set: origin !== 'default', problem: message };
}

export async function getSetting(context: Context, name: string): Promise<void> {
  await noteOtherHome(context);
  const key = requireSetting(name);
  const settings = await context.settings();
  const isStored = key === 'mcpApiKey' || key === 'providerClientSecret';
  const view = viewOf(settings, key, isStored ? await storedSecrets(context) : {});
  if (context.json) return printJson(context.io, view);
  printLine(context.io, view.secret ? textOf(view) : String(view.value ?? ''));
}

/** Works even if `config.json` is unusable, since people then need to find that file. */
export function printPath(context: Context): void {
  const { configPath: path } = inspectSettings(context.loadOptions()).settings;
  if (context.json) printJson(context.io, { path });
  else printLine(context.io, path);
}

interface View {
  key: SettingKey;
  env: string;
  /** null for a secret, and if nothing is set. */
  value: string | number | boolean | readonly string[] | null;
  source: string;
  secret: boolean;
  set: boolean;
  /** The default in words. */
  fallback: string;
  /** Why the value cannot be used; missing if it can. */
  problem?: string;
}

/** For each setting that is a secret: whether the state holds its value. A secret is missing if that is not known. */
type Stored = Partial<Record<SettingKey, boolean>>;

/**
 * Finds out which secrets the state holds. Returns `{}` if the state cannot be opened, so that the other settings can still be
 * shown.
 */
async function storedSecrets(context: Context): Promise<Stored> {
  try {
    const report = await context.withLocal((local) => local.status(), { ownHome: true });
    // If the state cannot be opened, nothing is known about it. If only the key fails, relay still sees what the state holds.
    if (report.problem && !isKeyFailure(report.problem)) return {};
    // A running server of an earlier version does not report the secrets.
    return report.secrets ?? {};
  } catch {
    context.signal.throwIfAborted();
    return {};
  }
}

function viewOf(settings: Settings, key: SettingKey, stored: Stored): View {
  const { env, secret, fallbackText } = SETTINGS[key];
  const value = effective(settings, key);
  const inState = value === null && stored[key] === true;
  const source = inState ? 'state' : settings.origins[key];
  const isAbsent = key === 'providerClientSecret' && stored[key] === false;
  const fallback = isAbsent ? 'optional' : fallbackText.replaceAll('`', '');
  return { key, env, value: secret ? null : value, source, secret, set: value !== null || inState, fallback };
}

/** Returns the value in effect. The redirect URI follows the port, unless the URI itself is set. */
function effective(settings: Settings, key: SettingKey): View['value'] {
  if (key !== 'providerRedirectUri' || settings.port === 0) return settings[key];
  return redirectUriFor(settings, settings.port);
}

function textOf(view: View): string {
  if (view.problem !== undefined) return view.set ? 'cannot be used' : 'missing';
  if (view.source === 'state') return 'set, kept encrypted in the state';
  if (view.secret) return view.set ? 'set' : `not set (${view.fallback})`;
  return view.value === null ? `not set (${view.fallback})` : String(view.value);
}

function originOf({ key, env, source }: View, settings: Settings): string {
  if (source === 'environment') return `from ${env}`;
  return source === 'flag' ? `from --${key}` : `from ${settings.configPath}`;
}

export async function setSetting(context: Context, name: string, value?: string): Promise<void> {
  await noteOtherHome(context);
  const key = requireSetting(name);
  if (key === 'providerClientSecret') return storeSecret(context, value);
  refuseOutsideFile(key);
  if (value === undefined) {
    throw new RelayError('USAGE', `The value of ${key} is missing.`, {
      remedy: { text: 'Give it: {command}.', command: ['config', 'set', key, 'VALUE'] },
    });
  }
  const settings = storeSetting(context.loadOptions(), key, value);
  const done = { key, value: settings[key], source: settings.origins[key], path: settings.configPath };
  if (context.json) printJson(context.io, done);
  else note(context.io, `Set ${key} in ${settings.configPath}`);
  for (const warning of settings.warnings) context.remark(`Warning: ${warning}`);
  noteWhatElse(context, key, settings.origins[key] === 'environment');
}

export async function unsetSetting(context: Context, name: string): Promise<void> {
  await noteOtherHome(context);
  const options = context.loadOptions();
  // The file may have a key that is not a setting, and relay refuses the file until that key is removed. Such a key may be the
  // name of a variable, or of the secret. So a key that is spelled exactly like `name` in the file is removed first.
  const isWritten = removeSetting(options, name);
  if (!isWritten && findSetting(name) === 'providerClientSecret') return forgetSecret(context);
  const key = isWritten ? name : requireSetting(name);
  const removed = isWritten || removeSetting(options, key);
  if (context.json) printJson(context.io, { key, removed });
  else note(context.io, removed ? `Removed ${key}` : `${key} was not set in the file`);
  if (removed) noteWhatElse(context, key, false);
}

/** A secret is not accepted as an argument, since arguments end up in the shell's history. */
async function storeSecret(context: Context, value: string | undefined): Promise<void> {
  if (value !== undefined) {
    throw new RelayError('USAGE', 'A secret must not be on the command line.', {
      remedy: {
        text: 'Run {command} and type it, or pipe it in.',
        command: ['config', 'set', 'providerClientSecret'],
      },
    });
  }
  const secret = await askSecret(context.io, 'Client secret: ', context.signal);
  if (secretText.read(secret) === null) {
    throw new RelayError('SETTINGS_INVALID', `providerClientSecret must be ${secretText.expects}.`, {
      remedy: 'Nothing was changed; give another value.',
    });
  }
  await context.withLocal((local) => local.setClientSecret({ value: secret }), { ownHome: true });
  if (context.json) printJson(context.io, { key: 'providerClientSecret', set: true });
  else note(context.io, 'Stored the client secret, encrypted');
  noteSecretInEnvironment(context);
}

async function forgetSecret(context: Context): Promise<void> {
  const removed = (await storedSecrets(context)).providerClientSecret !== false;
  // Called even if no secret is stored: without a state the call fails, which shows a mistyped home.
  await context.withLocal((local) => local.setClientSecret({ value: null }), { ownHome: true });
  if (context.json) printJson(context.io, { key: 'providerClientSecret', removed });
  else note(context.io, removed ? 'Forgot the client secret' : 'No client secret was stored');
  noteSecretInEnvironment(context);
}

function noteSecretInEnvironment(context: Context): void {
  if (context.env.PROVIDER_CLIENT_SECRET) {
    note(context.io, 'PROVIDER_CLIENT_SECRET in the environment overrides it.');
  }
}

function refuseOutsideFile(key: SettingKey): void {
  if (SETTINGS[key].inFile) return;
  throw new RelayError('USAGE', `${key} is not kept in config.json.`, {
    remedy: `Set ${SETTINGS[key].env} in the environment.`,
  });
}

const CLIENT_ID_STAYS =
  'A running server that was started with a client ID keeps that ID until it restarts. Any other server reads the file at each login.';

function noteWhatElse(context: Context, key: string, overridden: boolean): void {
  if (overridden) note(context.io, `${SETTINGS[key as SettingKey].env} in the environment overrides it.`);
  else
    note(
      context.io,
      key === 'providerClientId'
        ? CLIENT_ID_STAYS
        : 'A running server keeps the old value until it restarts.',
    );
}
