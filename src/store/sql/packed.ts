/** Text that a column holds compressed. */
import { inflateRawSync } from 'node:zlib';

/** Far more than relay writes: a few bytes of a foreign file may stand for gigabytes. */
const MAX_UNPACKED = 64 * 1024 * 1024;

/** @throws Error if the bytes are damaged, or stand for more than 64 MiB */
export function unpacked(bytes: Uint8Array): string {
  return inflateRawSync(bytes, { maxOutputLength: MAX_UNPACKED }).toString('utf8');
}
