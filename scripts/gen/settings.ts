/** Makes the manual's table of settings. */
import { SETTING_KEYS, SETTINGS } from '../../src/config/table.ts';

/** Returns the table with one row per setting, in the order of `config/table.ts`. */
export function settingsMarkdown(): string {
  const rows = SETTING_KEYS.map((key) => {
    const { env, inFile, flag, fallbackText, meaning } = SETTINGS[key];
    const flagText = flag === null ? '' : `, \`${flag}\``;
    return `| \`${env}\`${flagText} | ${inFile ? `\`${key}\`` : ''} | ${fallbackText} | ${meaning} |`;
  });
  const head = ['| environment, flag | `config.json` | default | meaning |', '|---|---|---|---|'];
  return `${[...head, ...rows].join('\n')}\n`;
}
