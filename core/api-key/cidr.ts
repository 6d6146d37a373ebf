/** A block of addresses, IPv4 or IPv6; both are compared as bytes. */
export interface Cidr {
  /** 4 or 16 bytes; those after the prefix are zero. */
  readonly network: Uint8Array;
  /** 0–32 or 0–128. */
  readonly prefix: number;
}

const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;
const MAPPED = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

function parseIpv4(text: string): Uint8Array | undefined {
  const octets = text.split('.');
  const good = octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255);
  return good ? Uint8Array.from(octets, Number) : undefined;
}

/** Groups on one side of `::`; the last may be an IPv4 address. */
function groupBytes(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const bytes: number[] = [];
  for (const [index, part] of parts.entries()) {
    const embedded = index === parts.length - 1 && part.includes('.') ? parseIpv4(part) : undefined;
    if (embedded === undefined && !GROUP.test(part)) return undefined;
    const group = Number.parseInt(part, 16);
    bytes.push(...(embedded ?? [group >> 8, group & 0xff]));
  }
  return bytes;
}

function parseIpv6(text: string): Uint8Array | undefined {
  const [head = '', tail, ...more] = text.split('::');
  const front = groupBytes(head);
  const back = tail === undefined ? [] : groupBytes(tail);
  // An IPv4 part must be the end of the address.
  if (front === undefined || back === undefined || more.length > 0 || (tail !== undefined && head.includes('.')))
    return undefined;
  const zeros = 16 - front.length - back.length;
  if (tail === undefined ? zeros !== 0 : zeros < 2) return undefined;
  return Uint8Array.from([...front, ...new Uint8Array(zeros), ...back]);
}

/** The bytes of an IP address; IPv4-mapped IPv6 is IPv4, a zone is ignored. @returns undefined: not an address */
export function parseAddress(text: string): Uint8Array | undefined {
  if (!text.includes(':')) return parseIpv4(text);
  const bytes = parseIpv6(text.split('%', 1)[0] ?? '');
  return bytes !== undefined && MAPPED.every((byte, index) => bytes[index] === byte) ? bytes.subarray(12) : bytes;
}

/** The byte with only its first `bits` bits (≤ 0: none, ≥ 8: all). */
const masked = (byte: number, bits: number): number => (bits >= 8 ? byte : bits <= 0 ? 0 : byte & (0xff00 >> bits));

const sameNetwork = (address: Uint8Array, { network, prefix }: Cidr): boolean =>
  address.length === network.length &&
  network.every((byte, index) => masked(address[index] ?? 0, prefix - 8 * index) === byte);

/**
 * @returns undefined unless it is `ADDRESS/PREFIX` with every bit after the prefix zero (`10.1.0.0/8` is a mistake); a block
 *   of IPv4-mapped addresses is refused, as nobody knows which prefix it means
 */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length = '', ...more] = text.split('/');
  const network = parseAddress(address);
  if (network === undefined || more.length > 0 || !OCTET.test(length)) return undefined;
  if (network.length === 4 && address.includes(':')) return undefined;
  const cidr = { network, prefix: Number(length) };
  return cidr.prefix <= 8 * network.length && sameNetwork(network, cidr) ? cidr : undefined;
}

/** True when the address is in one of the blocks; an IPv6 block never holds an IPv4 address. */
export function inCidrs(address: string, cidrs: readonly Cidr[]): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && cidrs.some((cidr) => sameNetwork(bytes, cidr));
}
