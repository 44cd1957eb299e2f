/** Values that an argument can have and commander does not check, so that they are loaded for completion alone. */
import type { KnownValues } from './tree.ts';

export async function completionValues(): Promise<KnownValues> {
  const { CLIENTS } = await import('../../connect/clientTable.ts');
  const { SETTING_KEYS, SETTINGS } = await import('../../config/table.ts');
  const { TOOLS } = await import('../../tools/index.ts');
  const stored = SETTING_KEYS.filter((key) => SETTINGS[key].inFile || key === 'providerClientSecret');
  return {
    'connect <client>': CLIENTS.map(({ id }) => id),
    'config get <key>': SETTING_KEYS,
    'config set <key>': stored,
    'config unset <key>': stored,
    'call <tool>': TOOLS.map(({ name }) => name),
  };
}
