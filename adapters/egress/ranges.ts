import { inCidr, parseCidr, type Cidr } from '../../core/network/cidr.ts';
import { parseIp } from '../../core/network/ip-address.ts';

function range(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new RangeError(`no address range: ${text}`);
  return cidr;
}

const NAT64 = range('64:ff9b::/96');
const GLOBAL = range('2000::/3');

// security.md §3.2. IPv6 addresses outside 2000::/3 are not listed: they are refused unless they hold an IPv4 address.
const DENY: readonly Cidr[] = [
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

/**
 * Whether the guarded dialer may connect to this address (security.md §3.2). Mapped and NAT64 addresses are judged by
 * the IPv4 address in them. An address with a zone is refused, because a zone names an interface of this machine.
 */
export function allowed(ip: string): boolean {
  const given = ip.includes('%') ? undefined : parseIp(ip);
  if (given === undefined) return false;
  const address = inCidr(given, NAT64) ? given.subarray(12) : given;
  if (address.length !== 4 && !inCidr(address, GLOBAL)) return false;
  return !DENY.some((denied) => inCidr(address, denied));
}
