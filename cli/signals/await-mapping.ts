import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt } from '../../core/json/members.ts';
import { fetchReply, type Reply } from '../api/answer.ts';
import type { Server } from '../api/http.ts';
import { withQuery } from '../api/print-page.ts';
import type { Io } from '../io/io.ts';

const TIMEOUT_MS = 30_000;
const TRIES = 60;
const PAUSE_MS = 250;
const NOT_FOUND = 404;

/** What became of a delivery after it was accepted. */
export type Mapped =
  | { readonly kind: 'signals'; readonly signals: readonly JsonValue[] }
  | { readonly kind: 'dead'; readonly letter: JsonObject }
  /** A quarter of a minute passed: the worker stands, or every event was known already. */
  | { readonly kind: 'waiting' }
  | Extract<Reply, { kind: 'problem' }>;

interface Delivery {
  readonly deliveryId: string;
  readonly namespace: string;
}

async function look(server: Server, { deliveryId, namespace }: Delivery, io: Io): Promise<Mapped> {
  const get = (path: string, query: Readonly<Record<string, string>>): Promise<Reply> => {
    const request = { method: 'GET', path: withQuery(path, query), timeoutMs: TIMEOUT_MS } as const;
    return fetchReply(server, { ...request, headers: { accept: 'application/json' } }, io);
  };
  const signals = await get('signals', { delivery_id: deliveryId, namespace });
  if (signals.kind === 'problem') return signals;
  const items = listAt(signals.value, 'items');
  if (items.length > 0) return { kind: 'signals', signals: items };
  const letter = await get(`dead-letters/${encodeURIComponent(deliveryId)}`, { namespace });
  if (letter.kind === 'result') return { kind: 'dead', letter: letter.value };
  return letter.status === NOT_FOUND ? { kind: 'waiting' } : letter;
}

/** Waits until a delivery is mapped, a quarter of a minute at most. */
export async function awaitMapping(server: Server, delivery: Delivery, io: Io): Promise<Mapped> {
  let found = await look(server, delivery, io);
  for (let tries = 1; found.kind === 'waiting' && tries < TRIES; tries += 1) {
    await io.clock.sleep(PAUSE_MS, io.signal);
    found = await look(server, delivery, io);
  }
  return found;
}
