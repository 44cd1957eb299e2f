/** The loopback addresses of this machine. IPv6 may be off, as in many containers. */
import { randomInt } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { requirePort } from '../../src/server/http/ports.ts';

export const HAS_IPV6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

/** Host names under which a relay on this machine answers. */
export const NAMES = HAS_IPV6 ? ['127.0.0.1', 'localhost', '[::1]'] : ['127.0.0.1', 'localhost'];

/** Those of `addresses` on which a program on this machine can listen. */
export function available(addresses: readonly string[]): string[] {
  return addresses.filter((address) => HAS_IPV6 || !address.includes(':'));
}

/**
 * A port for a server that is started later, or twice. Systems assign higher ports (Linux from 32,768, macOS and Windows from
 * 49,152), so no connection of another test can take the port meanwhile.
 */
export async function freePort(): Promise<string> {
  for (let left = 20; ; left--) {
    const port = randomInt(16_384, 32_768);
    try {
      await requirePort(port, '127.0.0.1');
      return String(port);
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}
