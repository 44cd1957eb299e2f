/** Chooses how this platform starts the server at login. */
import { RelayError } from '../domain/errors.ts';
import { launchdManager } from './launchdManager.ts';
import type { ServiceFacts, ServiceManager } from './manager.ts';
import { runKeyManager } from './runKeyManager.ts';
import { systemdManager } from './systemdManager.ts';

/** @throws RelayError `SERVICE_FAILED` on an unsupported platform */
export function serviceManager(facts: ServiceFacts): ServiceManager {
  switch (facts.platform) {
    case 'linux':
      return systemdManager(facts);
    case 'darwin':
      return launchdManager(facts);
    case 'win32':
      return runKeyManager(facts);
    default:
      throw new RelayError('SERVICE_FAILED', `relay cannot start at login on ${facts.platform}.`, {
        remedy: { text: 'Run {command} from your own startup files.', command: ['serve'] },
      });
  }
}
