import { wrongImports } from './check-imports.ts';
import { strayWriters } from './check-writers.ts';

const wrong = [...wrongImports(), ...strayWriters()];
for (const sentence of wrong) console.log(sentence);
process.exitCode = wrong.length === 0 ? 0 : 1;
