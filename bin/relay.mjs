#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/program/main.mjs', import.meta.url);
if (!existsSync(program)) {
  process.stderr.write("relay is not built yet: run 'npm start' once, or 'npm run build' after 'npm ci'.\n");
  process.exit(1);
}
process.exitCode = await (await import(program)).main(process.argv);
