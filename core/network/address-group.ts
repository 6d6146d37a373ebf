import { parseIp } from './ip-address.ts';

const NETWORK_BYTES = 8;

/**
 * The part of an address that bounds count. An IPv4 address counts whole. Of an IPv6 address the first 64 bits count:
 * one host can use all addresses below them. All texts that are no addresses have one group.
 */
export function addressGroup(address: string): string {
  const bytes = parseIp(address);
  if (bytes === undefined) return '';
  if (bytes.length === 4) return bytes.join('.');
  return `${Array.from(bytes.subarray(0, NETWORK_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('')}/64`;
}
