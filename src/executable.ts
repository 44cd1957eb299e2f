/**
 * Entry of the single executable. It starts itself once more as the keychain's helper, since it has no `-e` to run a
 * script with.
 */
import { main } from './main.ts';

if (process.env.RELAY_KEYCHAIN_HELPER === '1') {
  import('./secrets/keychainHelper.ts').then(({ runKeychainHelper }) => runKeychainHelper());
} else {
  main(process.argv).then((code) => {
    process.exitCode = code;
  });
}
