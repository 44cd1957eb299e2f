import { wrongReads } from './check-environment.ts';
import { wrongImports } from './check-imports.ts';
import { strayWriters } from './check-writers.ts';

const wrong = [...wrongImports(), ...strayWriters(), ...wrongReads()];
for (const sentence of wrong) console.log(sentence);
process.exitCode = wrong.length === 0 ? 0 : 1;
