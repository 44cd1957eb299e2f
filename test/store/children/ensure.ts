/** Prepares the home given as its last argument and prints `usable`, or the code and the message of the error. */
import { RelayError } from '../../../src/domain/errors.ts';
import { ensureHome } from '../../../src/store/home/home.ts';

ensureHome(process.argv.at(-1) ?? '').then(
  () => console.log('usable'),
  (error: unknown) =>
    console.log(error instanceof RelayError ? `${error.code} ${error.message}` : String(error)),
);
