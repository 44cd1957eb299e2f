/** The script of a single executable. */
import { main } from './main.ts';

// An executable is its own keychain helper, since it cannot run a script with `-e` as Node can.
if (process.env.RELAY_KEYCHAIN_HELPER === '1') {
  import('./secrets/keychainHelper.ts').then(({ runKeychainHelper }) => runKeychainHelper());
} else {
  main(process.argv).then((code) => {
    process.exitCode = code;
  });
}
