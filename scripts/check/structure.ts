/** Rules of the structure that no linter knows. Says everything that is wrong, not only the first. */
import { isAllowed } from './allowance.ts';
import { wrongReads } from './environment.ts';
import { wrongImports } from './imports.ts';
import { crowdedPlaces } from './layout.ts';
import { missingFiles } from './paths.ts';
import { strangeWords } from './words.ts';
import { strayWriters } from './writers.ts';

const words = strangeWords();
const wrong = [
  ...wrongImports(),
  ...strayWriters(),
  ...wrongReads(),
  ...crowdedPlaces(),
  ...missingFiles(),
  ...words.filter(({ path }) => !isAllowed('words', path)).map(({ sentence }) => sentence),
];
for (const sentence of wrong) console.log(sentence);
const waiting = words.filter(({ path }) => isAllowed('words', path)).length;
if (waiting > 0) console.log(`${waiting} more words are in files that scripts/check/allowance.ts lists`);
process.exitCode = wrong.length === 0 ? 0 : 1;
