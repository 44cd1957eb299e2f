/** Rules of the structure that no linter knows. Reports everything that is wrong. */
import { wrongReads } from './environment.ts';
import { wrongImports } from './imports.ts';
import { crowdedPlaces } from './layout.ts';
import { lostMutants } from './mutants.ts';
import { missingFiles } from './paths.ts';
import { longSentences } from './sentences.ts';
import { missingTests } from './testNames.ts';
import { strangeWords } from './words.ts';
import { strayWriters } from './writers.ts';

const wrong = [
  ...wrongImports(),
  ...strayWriters(),
  ...wrongReads(),
  ...crowdedPlaces(),
  ...missingFiles(),
  ...strangeWords(),
  ...longSentences(),
  ...lostMutants(),
  ...missingTests(),
];
for (const sentence of wrong) console.log(sentence);
process.exitCode = wrong.length === 0 ? 0 : 1;
