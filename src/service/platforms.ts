/** Starting the server at login: which way this system has. */
import { RelayError } from '../domain/errors.ts';
import { launchdManager } from './launchdManager.ts';
import type { ServiceFacts, ServiceManager } from './manager.ts';
import { runKeyManager } from './runKeyManager.ts';
import { systemdManager } from './systemdManager.ts';

/** @throws RelayError `SERVICE_FAILED` on a system without a known way */
export function serviceManager(facts: ServiceFacts): ServiceManager {
  switch (facts.platform) {
    case 'linux':
      return systemdManager(facts);
    case 'darwin':
      return launchdManager(facts);
    case 'win32':
      return runKeyManager(facts);
    default:
      throw new RelayError('SERVICE_FAILED', `No way to start at login is known for ${facts.platform}.`, {
        remedy: 'Let your own start-up files run `relay serve`.',
      });
  }
}
