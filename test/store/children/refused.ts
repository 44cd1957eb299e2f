/** Tries to take the home given as its argument. Prints `held`, or the error as `CODE: message`. */
import { RelayError } from '../../../src/domain/errors.ts';
import { acquireHome } from '../../../src/store/home/lock.ts';

acquireHome(process.argv[2] ?? '', 'relay serve').then(
  () => console.log('held'),
  (error: unknown) =>
    console.log(error instanceof RelayError ? `${error.code}: ${error.message}` : String(error)),
);
