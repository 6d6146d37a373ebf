import { isIPv4, isIPv6 } from 'node:net';

type Range = readonly [prefix: Uint8Array, bits: number];

const V4_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

/** 16-bit groups of one half of an IPv6 address. */
const groups = (half: string): readonly string[] => (half === '' ? [] : half.split(':'));

/** `::ffff:1.2.3.4` → `::ffff:102:304`. */
function withoutDots(ip: string): string {
  const colon = ip.lastIndexOf(':');
  const [a = 0, b = 0, c = 0, d = 0] = ip
    .slice(colon + 1)
    .split('.')
    .map(Number);
  return `${ip.slice(0, colon + 1)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function bytesOfV6(ip: string): Uint8Array {
  const [head = '', tail] = (ip.includes('.') ? withoutDots(ip) : ip).split('::');
  const before = groups(head);
  const after = groups(tail ?? '');
  const gap = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array<string>(gap).fill('0'), ...after].map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 255]));
}

/** 16 bytes, IPv4 as `::ffff:a.b.c.d`; null for what is no address, and for zone ids. Decisions are made on bytes, never on text. */
export function bytes(ip: string): Uint8Array | null {
  if (isIPv4(ip)) return Uint8Array.from([...V4_PREFIX, ...ip.split('.').map(Number)]);
  return isIPv6(ip) && !ip.includes('%') ? bytesOfV6(ip) : null;
}

/** Whether the first `bits` bits are equal. */
function inside(address: Uint8Array, [prefix, bits]: Range): boolean {
  const whole = bits >> 3;
  for (let at = 0; at < whole; at += 1) if (address[at] !== prefix[at]) return false;
  const mask = (0xff00 >> (bits & 7)) & 0xff;
  return ((address[whole] ?? 0) & mask) === ((prefix[whole] ?? 0) & mask);
}

function range(cidr: string): Range {
  const [ip = '', length = ''] = cidr.split('/');
  const prefix = bytes(ip);
  if (prefix === null) throw new RangeError(`no address range: ${cidr}`);
  return [prefix, Number(length) + (isIPv4(ip) ? 96 : 0)];
}

const NAT64 = range('64:ff9b::/96');
const V4_MAPPED = range('::ffff:0:0/96');
const GLOBAL = range('2000::/3');

// security.md §3.2. Outside ::ffff:0:0/96 and 2000::/3 everything is refused without being listed.
const DENY: readonly Range[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier NAT; Alibaba metadata 100.100.100.200
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local; cloud metadata
  '172.16.0.0/12',
  '192.0.0.0/24', // Oracle metadata 192.0.0.192
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32', // Azure host: globally routable space that libraries call unicast
  '2001::/23', // Teredo, ORCHID
  '2001:db8::/32',
  '2002::/16', // 6to4
  '2620:4f:8000::/48',
  '3fff::/20',
].map(range);

/** Whether the guarded dialer may connect to this address (security.md §3.2). A NAT64 address is judged by the IPv4 in it. */
export function allowed(ip: string): boolean {
  const given = bytes(ip);
  if (given === null) return false;
  const address = inside(given, NAT64) ? Uint8Array.from([...V4_PREFIX, ...given.slice(12)]) : given;
  if (!inside(address, V4_MAPPED) && !inside(address, GLOBAL)) return false;
  return !DENY.some((denied) => inside(address, denied));
}
