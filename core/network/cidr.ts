import { parseIp } from './ip-address.ts';

/** A block of addresses, IPv4 or IPv6; both are compared as bytes. */
export interface Cidr {
  /** 4 or 16 bytes; those after the prefix are zero. */
  readonly network: Uint8Array;
  /** 0–32 or 0–128. */
  readonly prefix: number;
}

const LENGTH = /^(?:0|[1-9]\d{0,2})$/;

/** The byte with only its first `bits` bits kept (≤ 0: no bits, ≥ 8: all bits). */
const masked = (byte: number, bits: number): number => (bits >= 8 ? byte : bits <= 0 ? 0 : byte & (0xff00 >> bits));

/** Whether an address, as bytes, is in a block; an IPv6 block never holds an IPv4 address. */
export const inCidr = (address: Uint8Array, { network, prefix }: Cidr): boolean =>
  address.length === network.length &&
  network.every((byte, index) => masked(address[index] ?? 0, prefix - 8 * index) === byte);

/**
 * @returns undefined unless the text is `ADDRESS/PREFIX` with zero bits after the prefix (`10.1.0.0/8` is a mistake).
 *   A block of IPv4-mapped addresses is refused, because its prefix is ambiguous
 */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length = '', ...more] = text.split('/');
  const network = parseIp(address);
  if (network === undefined || more.length > 0 || !LENGTH.test(length)) return undefined;
  if (network.length === 4 && address.includes(':')) return undefined;
  const cidr = { network, prefix: Number(length) };
  return cidr.prefix <= 8 * network.length && inCidr(network, cidr) ? cidr : undefined;
}

/** True when the address is in one of the blocks. */
export function inCidrs(address: string, cidrs: readonly Cidr[]): boolean {
  const bytes = parseIp(address);
  return bytes !== undefined && cidrs.some((cidr) => inCidr(bytes, cidr));
}
