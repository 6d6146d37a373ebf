import { parseIp } from './ip-address.ts';

const LOOPBACK_V4 = 127;
const LOOPBACK_V6 = 1;

function isLoopbackIp(bytes: Uint8Array): boolean {
  if (bytes.length === 4) return bytes[0] === LOOPBACK_V4;
  return bytes.every((byte, index) => byte === (index === bytes.length - 1 ? LOOPBACK_V6 : 0));
}

/**
 * Whether only this machine can reach a host: 127.0.0.0/8, `::1` in any spelling, `localhost`.
 * Examples: `127.0.0.2`, `0:0:0:0:0:0:0:1`, `::ffff:127.0.0.1`, `LOCALHOST`; not `0.0.0.0`, not `localhost.example`.
 * @param host a name or an address. An IPv6 address may be in brackets, as `URL.hostname` gives it
 */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const bytes = parseIp(host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host);
  return bytes !== undefined && isLoopbackIp(bytes);
}
