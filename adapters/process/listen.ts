import { once } from 'node:events';
import type { Server } from 'node:net';
import { errorCode } from '../../core/errors/error-code.ts';
import { formatAddress, type ListenAddress } from '../../core/network/listen-address.ts';
import { StartError } from './start-error.ts';

/**
 * Runs a function that starts to listen.
 * @param flag that names the address
 * @throws StartError the address is in use, or does not belong to this machine
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
    const hint = code === 'EADDRINUSE' ? `: something listens there already; choose another by ${flag}` : '';
    throw new StartError(`can't listen on ${formatAddress(address)} (${code})${hint}`, 1, { cause: error });
  }
}

/** @returns the address, with the actual port. @throws Error the address can't be listened on */
export async function listenOn(server: Server, { host, port }: ListenAddress): Promise<ListenAddress> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return { host, port: typeof address === 'object' && address !== null ? address.port : port };
}
