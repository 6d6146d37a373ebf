import type { IncomingMessage } from 'node:http';
import type { Cidr } from '../../core/network/cidr.ts';
import { clientAddress } from '../../core/network/client-address.ts';

const peerOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? '';

/** Node joins repeated headers by commas. */
const forwardedOf = ({ headers }: IncomingMessage): string | undefined => headers['x-forwarded-for']?.toString();

/**
 * Reads the address of the client of a request: for CIDRs of API keys and of signal sources, and for rates.
 * @param trusted proxies whose `X-Forwarded-For` counts; empty: the address is that of the socket
 */
export const clientAddresses = (trusted: readonly Cidr[]): ((request: IncomingMessage) => string) =>
  trusted.length === 0 ? peerOf : (request) => clientAddress(peerOf(request), forwardedOf(request), trusted);
