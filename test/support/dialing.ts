import { createDialer, type DialerOptions } from '../../adapters/egress/dialer.ts';
import type { Dialer, DialResult, OutboundRequest, UrlGuard } from '../../adapters/egress/port.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { rawTlsServer, someLimits, type RawServer, type Script } from './egress.ts';
import { issue, makeCa } from './tls.ts';

/** The origin of `provided`, and the authority that its certificate is of. */
export const ORIGIN = 'https://api.example.com';
export const ca = makeCa();
export const leaf = issue(ca, { names: ['api.example.com'] });

export const never = (): AbortSignal => new AbortController().signal;
export const anywhere: UrlGuard = () => null;

export const aDialer = (changes: Partial<DialerOptions> = {}): Dialer =>
  createDialer({ exceptions: [], ca: [ca.certificate], clock: systemClock, ...changes });

/** A dialer that sends the traffic for `ORIGIN` to a server. */
export const stubbed = (server: RawServer): Dialer =>
  aDialer({ exceptions: [{ kind: 'stub', origin: ORIGIN, address: '127.0.0.1', port: server.port }] });

export const dial = (dialer: Dialer, request: OutboundRequest, limits = someLimits()): Promise<DialResult> =>
  dialer.dial(request, limits, anywhere, never());

/** What matters of a result, for one comparison. */
export const brief = (result: DialResult): string =>
  result.kind === 'answered'
    ? `${result.status} ${Buffer.from(result.body).toString('latin1')}`
    : `${result.failure.kind} ${result.failure.code} sent=${result.sent} status=${result.status}`;

/** A provider behind a stub, and a dialer that knows it. */
export async function provided<T>(script: Script, use: (dialer: Dialer, server: RawServer) => Promise<T>): Promise<T> {
  const server = await rawTlsServer({ cert: leaf.certificate, key: leaf.key }, script);
  const dialer = stubbed(server);
  try {
    return await use(dialer, server);
  } finally {
    await dialer.destroy();
    await server.close();
  }
}

/** The same bytes for every request. */
export const says =
  (bytes: string | Uint8Array, end = false): Script =>
  (socket) => {
    socket.write(bytes);
    if (end) socket.end();
  };

/** One script for the first request, one for the others. */
export const firstThen =
  (first: Script, later: Script): Script =>
  (socket, request, index) =>
    (index === 0 ? first : later)(socket, request, index);

/** A turn of the loop and one more: undici frees a connection a turn after its answer. */
export const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
