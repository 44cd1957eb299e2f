/** The loopback addresses of this machine: IPv6 may be switched off, as in many containers. */
import { networkInterfaces } from 'node:os';

export const HAS_IPV6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

/** Names that a relay here answers to. */
export const NAMES = HAS_IPV6 ? ['127.0.0.1', 'localhost', '[::1]'] : ['127.0.0.1', 'localhost'];

/** Those of `addresses` that a program can listen on here. */
export function available(addresses: readonly string[]): string[] {
  return addresses.filter((address) => HAS_IPV6 || !address.includes(':'));
}
