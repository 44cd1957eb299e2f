/** xz, the one program that packing needs beside Node. */
import { spawnSync } from 'node:child_process';

/**
 * Packs with two threads on every machine: the result depends on whether there is one or more.
 * @throws Error when xz is not installed or fails
 */
export function xz(content: Uint8Array): Buffer {
  const { error, status, stdout } = spawnSync('xz', ['-6', '-T2', '--stdout'], {
    input: content,
    maxBuffer: 2 ** 30,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (error) {
    throw new Error('xz is needed to pack the archives (Debian: xz-utils); --no-archive leaves them out', {
      cause: error,
    });
  }
  if (status !== 0) throw new Error('xz failed');
  return stdout;
}
