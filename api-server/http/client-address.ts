import type { IncomingMessage } from 'node:http';
import { addressGroup } from '../../core/network/address-group.ts';
import { inCidrs, type Cidr } from '../../core/network/cidr.ts';
import { clientAddress } from '../../core/network/client-address.ts';

/** Addresses of callers, as far as they can be known. */
export interface ClientAddresses {
  /** For CIDRs of API keys and of signal sources. Empty when it is unknown. */
  readonly of: (request: IncomingMessage) => string;
  /** The address whose bounds count for a request. Undefined: it may be that of many callers, so none counts. */
  readonly bounded: (request: IncomingMessage) => string | undefined;
  /** Whether the connections of this peer are those of one caller, so that their number is bounded. */
  readonly isOwn: (peer: string) => boolean;
}

const peerOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? '';

/** Node joins repeated headers by commas. */
const forwardedOf = ({ headers }: IncomingMessage): string | undefined => headers['x-forwarded-for']?.toString();

/**
 * @param trusted proxies whose `X-Forwarded-For` counts; empty: the address is that of the socket
 * @param isBehindProxy callers come through a proxy. Unless it is trusted, all callers share its address
 */
export function clientAddresses(trusted: readonly Cidr[], isBehindProxy: boolean): ClientAddresses {
  const of: ClientAddresses['of'] =
    trusted.length === 0 ? peerOf : (request) => clientAddress(peerOf(request), forwardedOf(request), trusted);
  if (isBehindProxy && trusted.length === 0) return { of, bounded: () => undefined, isOwn: () => false };
  const bounded: ClientAddresses['bounded'] = (request) => {
    const address = of(request);
    // A trusted proxy that names no client stands for many.
    return address === '' || inCidrs(address, trusted) ? undefined : addressGroup(address);
  };
  return { of, bounded, isOwn: (peer) => peer !== '' && !inCidrs(peer, trusted) };
}
