/** Prints relay's home and the folder for its unpacked addon, as this process has them. */
import { writeSync } from 'node:fs';
import { ownDirectory } from '../../../src/base/ownDirectory.ts';
import { loadSettings } from '../../../src/config/settings.ts';

writeSync(1, JSON.stringify([loadSettings({ env: process.env }).home, ownDirectory('cache')]));
