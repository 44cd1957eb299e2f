/**
 * What the owner has chosen on the page since the server started. A choice is stored in `config.json` for the next start; this
 * server remembers it, and does not read that file again.
 */
import { type Settings, storeSetting } from '../../config/settings.ts';

type Choice = 'covers';

const made = new WeakMap<Settings, Map<Choice, string>>();

/** Returns the text of the choice; undefined if none was made since the start. */
export function chosen(settings: Settings, key: Choice): string | undefined {
  return made.get(settings)?.get(key);
}

/** @throws RelayError `SETTINGS_INVALID`, `HOME_UNUSABLE` */
export function choose(settings: Settings, key: Choice, text: string): void {
  storeSetting({ env: {}, flags: { home: settings.home } }, key, text);
  made.set(settings, new Map(made.get(settings)).set(key, text));
}
