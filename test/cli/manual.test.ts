/** The manual, `src/cli/README.md`, is written by hand. Its tables must have what the program has. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SETTING_KEYS, SETTINGS } from '../../src/config/table.ts';

const MANUAL = readFileSync(new URL('../../src/cli/README.md', import.meta.url), 'utf8');

/** The lines of a section that match, up to the next heading. */
function linesOf(heading: string, line: RegExp): string[] {
  const [section = ''] = MANUAL.split(`\n## ${heading}\n`)[1]?.split('\n## ') ?? [];
  return section.split('\n').filter((one) => line.test(one));
}

test('the manual has each setting, with its flag, its name in config.json and its default', () => {
  const rows = SETTING_KEYS.map((key) => {
    const { env, inFile, flag, fallbackText } = SETTINGS[key];
    const flagText = flag === null ? '' : `, \`${flag}\``;
    return `| \`${env}\`${flagText} | ${inFile ? `\`${key}\`` : ''} | ${fallbackText} |`;
  });
  const manual = linesOf('Settings', /^\| `/).map((line) => line.replace(/ [^|]+\|$/, ''));
  assert.deepEqual(manual, rows);
});
