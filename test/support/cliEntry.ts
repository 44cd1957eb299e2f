/** The program as a process, without a build: what `bin/relay.mjs` does with the bundle. */
import { main } from '../../src/main.ts';

process.exitCode = await main(process.argv);
