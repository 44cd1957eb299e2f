#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const bundle = new URL('../dist/relay.cjs', import.meta.url);
if (!existsSync(bundle)) {
  process.stderr.write("relay is not built yet: run 'npm start' once, or 'npm run build' after 'npm ci'.\n");
  process.exit(1);
}
// `require`, since importing CommonJS makes Node read the whole bundle twice.
process.exitCode = await createRequire(import.meta.url)(fileURLToPath(bundle)).main(process.argv);
