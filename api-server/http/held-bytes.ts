import type { IncomingMessage } from 'node:http';
import { ByteBudget, type Holder } from '../../adapters/http/byte-budget.ts';
import type { BodyBounds, BodyReason } from './body.ts';
import type { ClientAddresses } from './client-address.ts';
import type { Exchange } from './exchange.ts';
import type { Refusal, ServerLimits } from './server-limits.ts';

/** Bytes that callers make the server hold: bodies that have not arrived whole, and answers that are not read. */
export interface HeldBytes {
  /** The bounds of a request's body, for its key and address. */
  readonly ofBody: (exchange: Exchange) => BodyBounds;
  /** Counts a request that was cut because of its small chunks. */
  readonly smallChunks: () => void;
  /** Counts an answer that its caller has not taken. Cuts the connection when there are too many. */
  readonly ofAnswer: (request: IncomingMessage, bytes: number) => { readonly close: () => void };
  readonly load: () => { readonly bodyBytes: number; readonly unreadBytes: number };
}

/** Stands for all callers without key whose address is not known. */
const UNKNOWN = 'unknown';

/** @param refused called for each request that a bound ended */
export function createHeld(
  limits: ServerLimits,
  addresses: ClientAddresses,
  refused: (refusal: Refusal) => void,
): HeldBytes {
  const bodies = new ByteBudget<BodyReason>(limits.partBytes, 'body-bytes');
  const answers = new ByteBudget<'unread-bytes'>(limits.unreadBytes, 'unread-bytes');
  const holdersOf = ({ request, caller }: Exchange): readonly Holder<BodyReason>[] => {
    const address = addresses.bounded(request);
    const [perKey, perAddress] = [limits.partBytesPerKey, limits.partBytesPerAddress];
    const holders: Holder<BodyReason>[] = [];
    if (caller !== undefined) {
      holders.push({ name: `caller ${caller.id}`, limitBytes: perKey, reason: 'body-bytes-per-key' });
    }
    if (address !== undefined) {
      holders.push({ name: `address ${address}`, limitBytes: perAddress, reason: 'body-bytes-per-address' });
    }
    return holders.length > 0 ? holders : [{ name: UNKNOWN, limitBytes: 0, reason: 'body-bytes' }];
  };
  const smallChunks = (): void => refused('body-chunks');
  const ofBody: HeldBytes['ofBody'] = (exchange) => ({
    hold: (cut) =>
      bodies.open(holdersOf(exchange), (reason) => {
        refused(reason);
        cut(reason);
      }),
    smallChunks,
  });
  const ofAnswer: HeldBytes['ofAnswer'] = (request, bytes) => {
    const name = addresses.bounded(request) ?? UNKNOWN;
    const account = answers.open([{ name, limitBytes: 0, reason: 'unread-bytes' }], (reason) => {
      refused(reason);
      request.socket.destroy();
    });
    account.grow(bytes);
    return account;
  };
  return { ofBody, smallChunks, ofAnswer, load: () => ({ bodyBytes: bodies.bytes, unreadBytes: answers.bytes }) };
}
