import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A directory that is removed after the test. */
export function temporaryHome(context: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'relay-test-'));
  context.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }));
  return home;
}
