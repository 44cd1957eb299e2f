import { wrongImports } from './check-imports.ts';

const wrong = wrongImports();
for (const sentence of wrong) console.log(sentence);
process.exitCode = wrong.length === 0 ? 0 : 1;
