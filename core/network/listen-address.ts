import { parseIp } from './ip-address.ts';

/** A TCP address to listen on; with port 0 the system chooses a free port. */
export interface ListenAddress {
  /** Name or IP address; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

const PORT = /^[0-9]{1,5}$/;
const MAX_PORT = 65_535;
const NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)$/i;
/** Text that an operating system reads as part of an address: it reads `127.1` and `0x7f.1` as 127.0.0.1. */
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/i;
const ZONE = /^[^%]+(?:%[a-z0-9._-]{1,15})?$/i;

function parseHost(text: string): string | undefined {
  if (text.startsWith('[') && text.endsWith(']')) {
    const inner = text.slice(1, -1);
    return inner.includes(':') && ZONE.test(inner) && parseIp(inner) !== undefined ? inner : undefined;
  }
  const [, lastLabel] = NAME.exec(text) ?? [];
  if (lastLabel === undefined) return undefined;
  return !NUMBER.test(lastLabel) || parseIp(text) !== undefined ? text : undefined;
}

/**
 * Parses `HOST:PORT`, `[IPV6]:PORT` or `PORT`. A port is 0 to 65535 in digits: `1e3`, `+80` and `0x50` are refused.
 * `:80` is refused too: for some programs it means every interface, for others this machine.
 * @param defaultHost host for the form `PORT`
 * @returns undefined when the text has none of the three forms
 */
export function parseListenAddress(text: string, defaultHost: string): ListenAddress | undefined {
  const colon = text.lastIndexOf(':');
  const host = colon === -1 ? defaultHost : parseHost(text.slice(0, colon));
  const digits = text.slice(colon + 1);
  if (host === undefined || !PORT.test(digits)) return undefined;
  const port = Number(digits);
  return port <= MAX_PORT ? { host, port } : undefined;
}

/** `HOST:PORT`, with brackets around an IPv6 address; `parseListenAddress` reads it back. */
export const formatAddress = ({ host, port }: ListenAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** @param scheme protocol of the server at this address */
export const urlOf = (address: ListenAddress, scheme: 'http' | 'https' = 'http'): string =>
  `${scheme}://${formatAddress(address)}`;
