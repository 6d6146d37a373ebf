import { once } from 'node:events';
import type { Server } from 'node:net';
import { errorCode } from '../../core/errors/error-code.ts';
import { formatAddress, type ListenAddress } from '../../core/network/listen-address.ts';
import { StartError } from './start-error.ts';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'something listens there already'],
  ['EACCES', 'this user may not use the port'],
  ['EADDRNOTAVAIL', 'this machine does not have the address'],
  ['ENOTFOUND', 'the name has no address'],
  ['EAI_AGAIN', 'the name has no address at the moment'],
]);

/**
 * Runs a function that starts to listen.
 * @param flag that names the address
 * @throws StartError (1) the address can't be listened on: it is in use, or does not belong to this machine …
 */
export async function withListenErrors<T>(
  address: ListenAddress,
  flag: string,
  listening: () => Promise<T>,
): Promise<T> {
  try {
    return await listening();
  } catch (error) {
    const code = errorCode(error) ?? 'error';
    const reason = REASONS.get(code);
    const next = `${reason === undefined ? '' : `${reason}; `}choose another address by ${flag}`;
    throw new StartError(`can't listen on ${formatAddress(address)} (${code}): ${next}`, 1, { cause: error });
  }
}

/** @returns the address, with the actual port. @throws Error the address can't be listened on */
export async function listenOn(server: Server, { host, port }: ListenAddress): Promise<ListenAddress> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return { host, port: typeof address === 'object' && address !== null ? address.port : port };
}

/** Listens on a free port of loopback. @returns the port */
export const listenOnLoopback = async (server: Server): Promise<number> =>
  (await listenOn(server, { host: '127.0.0.1', port: 0 })).port;
