import { once } from 'node:events';
import { createServer, type ListenOptions, type Server } from 'node:net';
import { errorCode } from '../../core/errors/error-code.ts';
import { formatAddress, type ListenAddress } from '../../core/network/listen-address.ts';
import { listenerOf, processText } from './process-text.ts';
import { StartError } from './start-error.ts';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user may not use the port'],
  ['EADDRNOTAVAIL', 'this machine does not have the address'],
  ['ENOTFOUND', 'the name has no address'],
  ['EAI_AGAIN', 'the name has no address at the moment'],
]);

/** Whose process holds a port, after a `kill -9` perhaps a forgotten one. */
function takenText(port: number): string {
  const pid = listenerOf(port);
  return pid === undefined ? 'something listens there already' : `${processText(pid)} listens there already: stop it`;
}

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
    const reason = code === 'EADDRINUSE' ? takenText(address.port) : REASONS.get(code);
    const next = `${reason === undefined ? '' : `${reason}${reason.endsWith(': stop it') ? ', or ' : '; '}`}choose another address by ${flag}`;
    throw new StartError(`can't listen on ${formatAddress(address)} (${code}): ${next}`, 1, { cause: error });
  }
}

/**
 * @param options `reusePort`: other listeners of this user that say so too may have the same port
 * @returns the address, with the actual port. @throws Error the address can't be listened on
 */
export async function listenOn(
  server: Server,
  { host, port }: ListenAddress,
  options: Pick<ListenOptions, 'reusePort'> = {},
): Promise<ListenAddress> {
  server.listen({ ...options, port, host });
  await once(server, 'listening');
  const address = server.address();
  return { host, port: typeof address === 'object' && address !== null ? address.port : port };
}

/** An address that a program is about to listen on, and the flag that names it. */
export interface WantedAddress {
  readonly address: ListenAddress;
  readonly flag: string;
}

async function faultOf({
  address,
  flag,
}: WantedAddress): Promise<{ readonly flag: string; readonly error: StartError } | undefined> {
  const server = createServer();
  try {
    await withListenErrors(address, flag, () => listenOn(server, address));
    server.close();
    await once(server, 'close');
    return undefined;
  } catch (error) {
    if (error instanceof StartError) return { flag, error };
    throw error;
  }
}

/**
 * Checks the addresses of a program before anything starts. Another process may still take one afterwards.
 * @throws StartError (1) names every address that can't be listened on, a line each, and the flags that take free ports
 */
export async function checkFree(wanted: readonly WantedAddress[]): Promise<void> {
  const checked = await Promise.all(wanted.map(faultOf));
  const faults = checked.filter((fault) => fault !== undefined);
  if (faults.length === 0) return;
  const free = `free ports: ${faults.map(({ flag }) => `${flag} 127.0.0.1:0`).join(' ')}`;
  const [first = '', ...others] = faults.map(({ error }) => error.message);
  const lines = others.length === 0 ? [`${first} (${free})`] : [first, ...others, free];
  throw new StartError(lines.join('\n'), 1, { cause: faults[0]?.error });
}

/** Listens on a free port of loopback. @returns the port */
export const listenOnLoopback = async (server: Server): Promise<number> =>
  (await listenOn(server, { host: '127.0.0.1', port: 0 })).port;
