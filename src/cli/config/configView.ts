/** Shows settings. A secret is only shown as set or not set. */
import type { Settings } from '../../config/settings.ts';
import type { SettingKey } from '../../config/table.ts';
import { RelayError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { columns, printJson, printLine } from '../terminal/output.ts';

/** The setting of that name, as in `config.json` or in the environment. Throws `USAGE` with the nearest names. */
export async function requireSetting(name: string): Promise<SettingKey> {
  const { findSetting, SETTING_KEYS } = await import('../../config/table.ts');
  const key = findSetting(name);
  if (key) return key;
  const { didYouMean } = await import('../../base/nearest.ts');
  throw new RelayError('USAGE', `There is no setting "${name}".`, {
    remedy: {
      text: `${didYouMean(name, SETTING_KEYS) ?? ''} {command} shows all.`.trim(),
      command: ['config', 'list'],
    },
  });
}

export async function runConfigList(context: Context): Promise<void> {
  const settings = await context.settings();
  const { SETTING_KEYS } = await import('../../config/table.ts');
  const stored = await storedSecrets(context);
  const all = await Promise.all(SETTING_KEYS.map((key) => viewOf(settings, key, stored)));
  if (context.json) return printJson(context.io, { path: settings.configPath, settings: all });
  const rows = all.map((view) => [
    view.key,
    textOf(view),
    view.source === 'default' || view.source === 'state' ? '' : originOf(view, settings),
  ]);
  for (const line of columns(rows)) printLine(context.io, line);
}

export async function runConfigGet(context: Context, name: string): Promise<void> {
  const key = await requireSetting(name);
  const settings = await context.settings();
  const isStored = key === 'mcpApiKey' || key === 'providerClientSecret';
  const view = await viewOf(settings, key, isStored ? await storedSecrets(context) : {});
  if (context.json) return printJson(context.io, view);
  printLine(context.io, view.secret ? textOf(view) : String(view.value ?? ''));
}

/** Works with an unusable `config.json` too: people need to find it. */
export async function runConfigPath(context: Context): Promise<void> {
  const { inspectSettings } = await import('../../config/settings.ts');
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
}

/** True for each secret that the state holds, by the name of its setting; missing if not known. */
type Stored = Partial<Record<SettingKey, boolean>>;

/** Empty if the state cannot be opened, so that the other settings can still be shown. */
async function storedSecrets(context: Context): Promise<Stored> {
  try {
    const report = await context.withLocal((local) => local.status(), { ownHome: true });
    // A running server of an earlier version does not report them.
    return report.secrets ?? {};
  } catch {
    context.signal.throwIfAborted();
    return {};
  }
}

async function viewOf(settings: Settings, key: SettingKey, stored: Stored): Promise<View> {
  const { SETTINGS } = await import('../../config/table.ts');
  const { env, secret, fallbackText } = SETTINGS[key];
  const value = await effective(settings, key);
  const inState = value === null && stored[key] === true;
  const source = inState ? 'state' : settings.origins[key];
  const isAbsent = key === 'providerClientSecret' && stored[key] === false;
  const fallback = isAbsent ? 'optional' : fallbackText.replaceAll('`', '');
  return { key, env, value: secret ? null : value, source, secret, set: value !== null || inState, fallback };
}

/** The redirect URI follows the port unless it is set. */
async function effective(settings: Settings, key: SettingKey): Promise<View['value']> {
  if (key !== 'providerRedirectUri' || settings.port === 0) return settings[key];
  const { redirectUriFor } = await import('../../config/settings.ts');
  return redirectUriFor(settings, settings.port);
}

function textOf(view: View): string {
  if (view.source === 'state') return 'set, kept encrypted in the state';
  if (view.secret) return view.set ? 'set' : `not set (${view.fallback})`;
  return view.value === null ? `not set (${view.fallback})` : String(view.value);
}

function originOf({ key, env, source }: View, settings: Settings): string {
  if (source === 'environment') return `from ${env}`;
  return source === 'flag' ? `from --${key}` : `from ${settings.configPath}`;
}
