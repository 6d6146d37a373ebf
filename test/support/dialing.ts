import { createDialer, type DialerOptions } from '../../adapters/egress/dialer.ts';
import type { Dialer, DialResult, OutboundRequest, UrlGuard } from '../../adapters/egress/port.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { rawTlsServer, someLimits, type RawServer, type Script } from './egress.ts';
import { issue, makeCa } from './tls.ts';

/** The origin of `provided`, and the authority of its certificate. */
export const ORIGIN = 'https://api.example.com';
export const ca = makeCa();
export const leaf = issue(ca, { names: ['api.example.com'] });

export const neverAborted = (): AbortSignal => new AbortController().signal;
export const allowAnyUrl: UrlGuard = () => null;

export const aDialer = (changes: Partial<DialerOptions> = {}): Dialer =>
  createDialer({ exceptions: [], ca: [ca.certificate], clock: systemClock, ...changes });

/** A dialer that sends the traffic for `ORIGIN` to a server. */
export const stubbed = (server: RawServer): Dialer =>
  aDialer({ exceptions: [{ kind: 'stub', origin: ORIGIN, address: '127.0.0.1', port: server.port }] });

export const dial = (dialer: Dialer, request: OutboundRequest, limits = someLimits()): Promise<DialResult> =>
  dialer.dial(request, limits, allowAnyUrl, neverAborted());

/** The relevant part of a result, as one text to compare. */
export const briefResult = (result: DialResult): string =>
  result.kind === 'answered'
    ? `${result.status} ${Buffer.from(result.body).toString('latin1')}`
    : `${result.failure.kind} ${result.failure.code} sent=${result.sent} status=${result.status}`;

/** A provider behind a stub, and a dialer that connects to it. */
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

/** Answers every request with the same bytes. */
export const answersWith =
  (bytes: string | Uint8Array, end = false): Script =>
  (socket) => {
    socket.write(bytes);
    if (end) socket.end();
  };

/** A script for the first request, and another for the following requests. */
export const firstThen =
  (first: Script, later: Script): Script =>
  (socket, request, index) =>
    (index === 0 ? first : later)(socket, request, index);

/** Waits two turns of the event loop: undici frees a connection one turn after its answer. */
export const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
