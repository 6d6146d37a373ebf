import { lookup } from 'node:dns/promises';
import { connect } from 'node:tls';
import type { ListenAddress } from '../../core/network/listen-address.ts';

// Whether something beside the platform answers: nothing is sent, and nothing of the answer is used.

const abortable = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

/** Addresses of a name, as the system's DNS gives them. @throws Error no address, or the signal ended it */
export const addressesOf = async (name: string, signal: AbortSignal): Promise<readonly string[]> =>
  (await Promise.race([lookup(name, { all: true }), abortable(signal)])).map(({ address }) => address);

/** Whether a name has an address. */
export const hasAddress = (name: string, signal: AbortSignal): Promise<boolean> =>
  addressesOf(name, signal).then(
    (found) => found.length > 0,
    () => false,
  );

/** Whether a server completes a TLS handshake; its certificate is not judged, because nothing is sent to it. */
export const shakesHands = ({ host, port }: ListenAddress, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, rejectUnauthorized: false });
    const end = (reached: boolean): void => {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve(reached);
    };
    const stop = (): void => end(false);
    socket
      .once('secureConnect', () => end(true))
      .once('error', stop)
      .once('close', stop);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
