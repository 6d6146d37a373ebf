import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { App } from '../http/server.ts';
import { StartError } from './start-error.ts';

/** A TCP address to listen on; port 0 takes a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Whether only this machine reaches the address. */
export const isLoopback = ({ host }: ListenAddress): boolean => LOOPBACK.has(host);

/**
 * Reads `HOST:PORT`, `[::1]:PORT` or `PORT` (on 127.0.0.1).
 * @returns undefined: it is none of them
 */
export function parseAddress(text: string): ListenAddress | undefined {
  const colon = text.lastIndexOf(':');
  const host = colon <= 0 ? '127.0.0.1' : text.slice(0, colon);
  const digits = text.slice(colon + 1);
  const port = Number(digits);
  if (!/^\d{1,5}$/.test(digits) || port > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port };
}

/**
 * Runs what begins to listen.
 * @throws StartError somebody has the address, or it is none of this machine
 */
export async function claim<T>({ host, port }: ListenAddress, flag: string, listening: () => Promise<T>): Promise<T> {
  try {
    return await listening();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    const hint = code === 'EADDRINUSE' ? `: something listens there already; choose another by ${flag}` : '';
    throw new StartError(`can't listen on ${host}:${port} (${code})${hint}`, 1, { cause: error });
  }
}

/** @param scheme of what listens there */
export const urlOf = (host: string, port: number, scheme: 'http' | 'https' = 'http'): string =>
  `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** @returns the URL, with the port that was taken */
export async function listen({ server, scheme }: App, { host, port }: ListenAddress): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return urlOf(host, typeof address === 'object' && address !== null ? address.port : port, scheme);
}
