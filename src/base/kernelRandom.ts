/** Random bytes from the kernel's own device, for a program that must start quickly: loading `node:crypto` takes time. */
import { closeSync, openSync, readSync } from 'node:fs';
import { type Random, systemRandom } from './clock.ts';

/** Uses Node's own source if the system has no such device, as on Windows. */
export const kernelRandom: Random = {
  bytes: (count) => fromDevice(count) ?? systemRandom.bytes(count),
  uuid: () => uuidOf(kernelRandom.bytes(16)),
  fraction: systemRandom.fraction,
};

function fromDevice(count: number): Buffer | null {
  let device: number | null = null;
  try {
    device = openSync('/dev/urandom', 'r');
    const bytes = Buffer.alloc(count);
    return readSync(device, bytes) === count ? bytes : null;
  } catch {
    return null;
  } finally {
    if (device !== null) closeSync(device);
  }
}

/** Version 4 (RFC 9562, 5.4). */
function uuidOf(bytes: Buffer): string {
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
