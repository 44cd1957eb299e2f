import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A directory that is removed after the test. On a busy machine, a save of the state may still be under way then. */
export function temporaryHome(context: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'relay-test-'));
  context.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  return home;
}
