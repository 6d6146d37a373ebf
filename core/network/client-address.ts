import { inCidr, type Cidr } from './cidr.ts';
import { parseIp } from './ip-address.ts';

const BRACKETED = /^\[([^\]]*)\](?::\d{1,5})?$/;
const WITH_PORT = /^([\d.]+):\d{1,5}$/;

/** An entry of `X-Forwarded-For`, without the port that some proxies add. */
function withoutPort(entry: string): string {
  const text = entry.trim();
  return BRACKETED.exec(text)?.[1] ?? WITH_PORT.exec(text)?.[1] ?? text;
}

const isIn = (address: Uint8Array, cidrs: readonly Cidr[]): boolean => cidrs.some((cidr) => inCidr(address, cidr));

/**
 * The address of the client behind trusted proxies: the right-most one of `X-Forwarded-For` that is no trusted proxy.
 * What stands left of it is the client's own word, and never counts. When all entries are trusted proxies, the first
 * of them called.
 * @param peer address of the socket
 * @param forwarded values of all `X-Forwarded-For` headers, joined by commas in the order of the wire
 * @returns empty when the entry that decides is no IP address: it is in no block
 */
export function clientAddress(peer: string, forwarded: string | undefined, trusted: readonly Cidr[]): string {
  const socket = parseIp(peer);
  if (forwarded === undefined || socket === undefined || !isIn(socket, trusted)) return peer;
  let client = peer;
  for (const entry of forwarded.split(',').toReversed()) {
    client = withoutPort(entry);
    const bytes = parseIp(client);
    if (bytes === undefined) return '';
    if (!isIn(bytes, trusted)) return client;
  }
  return client;
}
