/** Prints relay's home and the folders for its unpacked addon, as this process has them. */
import { writeSync } from 'node:fs';
import { loadSettings } from '../../../src/config/settings.ts';
import { addonFolders } from '../../../src/secrets/keyringAddon.ts';

writeSync(1, JSON.stringify([loadSettings({ env: process.env }).home, ...addonFolders()]));
