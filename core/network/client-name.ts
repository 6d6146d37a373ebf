import { parseIp } from './ip-address.ts';

/** Bytes of an IPv6 address that name a network: its owner has all addresses below. */
const NETWORK_BYTES = 8;

/**
 * One name for each IPv4 address and for each IPv6 network (/64), however it is written. All that are no addresses
 * have one name.
 */
export function clientName(address: string): string {
  const bytes = parseIp(address);
  if (bytes === undefined) return '';
  return (bytes.length === 4 ? bytes : bytes.subarray(0, NETWORK_BYTES)).join('.');
}
