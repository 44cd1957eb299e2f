/** What the single executable does when it starts itself as the keychain's helper. */
import { runKeychainHelper } from '../../../src/secrets/keychainHelper.ts';

runKeychainHelper();
