import { Counter, Gauge, type Registry } from 'prom-client';
import type { HttpLoad } from './bounds.ts';
import { REFUSALS, type Refusal } from './server-limits.ts';

/** Metrics of the HTTP side's bounds (security.md S6). @returns counts a refusal */
export function createHttpMetrics(registry: Registry): {
  readonly refused: (refusal: Refusal) => void;
  readonly observe: (load: () => HttpLoad) => void;
} {
  const registers = [registry];
  const refusals = new Counter({
    name: 'orb_http_refusals_total',
    help: 'Connections and requests that a bound or a rule of HTTP ended, by reason.',
    labelNames: ['reason'],
    registers,
  });
  // They exist with 0 before the first one.
  for (const reason of REFUSALS) refusals.inc({ reason }, 0);
  const gauge = (name: string, help: string, read: () => number): void => {
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(read()) });
  };
  const observe = (load: () => HttpLoad): void => {
    gauge('orb_http_connections', 'Open connections to the API.', () => load().connections);
    gauge(
      'orb_http_body_bytes',
      'Bytes of bodies that have not arrived whole, or wait for their turn.',
      () => load().bodyBytes,
    );
    gauge('orb_http_unread_bytes', 'Bytes of answers that callers have not read.', () => load().unreadBytes);
    gauge('orb_http_waiting_refusals', 'Refusals that wait for their turn.', () => load().waitingRefusals);
  };
  return { refused: (reason) => refusals.inc({ reason }), observe };
}
