import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { version } from '../../package.json' with { type: 'json' };

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

/** `THIRD-PARTY-LICENSES.txt` of a target, as its bundle has it. */
export function noticesIn(target: string): string {
  const name = 'THIRD-PARTY-LICENSES.txt';
  const files = unzipSync(readFileSync(join(DIST, `relay-${version}-${target}.mcpb`)), {
    filter: (file) => file.name === name,
  });
  return Buffer.from(files[name] ?? '').toString('utf8');
}
