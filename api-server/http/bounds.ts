import { ConnectionPlaces } from '../../adapters/http/connection-places.ts';
import { PipelineQueue } from '../../adapters/http/pipeline-queue.ts';
import type { ClientAddresses } from './client-address.ts';
import { Connections } from './connections.ts';
import { createHeld, type HeldBytes } from './held-bytes.ts';
import type { RefusalPace } from './refusal-pace.ts';
import { ConnectionRefuser } from './refuse-connection.ts';
import type { Refusal, ServerLimits } from './server-limits.ts';

/** What strangers make the server hold at present. */
export interface HttpLoad {
  /** Those that have not begun too. */
  readonly connections: number;
  /** Bytes of bodies that have not arrived whole, or wait for their turn. */
  readonly bodyBytes: number;
  /** Bytes of answers that callers have not read. */
  readonly unreadBytes: number;
  /** Refusals that wait for their turn. */
  readonly waitingRefusals: number;
}

/** The parts of a server that bound what strangers make it hold (security.md S6). */
export interface Bounds {
  readonly held: HeldBytes;
  readonly turns: PipelineQueue;
  readonly connections: Connections;
  readonly refuser: ConnectionRefuser;
  readonly load: () => HttpLoad;
}

/** @param refused called for each connection and request that a bound ended */
export function createBounds(
  limits: ServerLimits,
  addresses: ClientAddresses,
  pace: RefusalPace,
  refused: (refusal: Refusal) => void,
): Bounds {
  const held = createHeld(limits, addresses, refused);
  const waiting = { perConnection: limits.waitingPerConnection, together: limits.waiting };
  const turns = new PipelineQueue(waiting, () => refused('waiting-requests'));
  const most = { together: limits.connections, perAddress: limits.connectionsPerAddress };
  const places = new ConnectionPlaces(most, refused);
  const connections = new Connections({ turns, places, isOwn: addresses.isOwn });
  const refuser = new ConnectionRefuser(connections, refused);
  const load = (): HttpLoad => ({ connections: connections.size, ...held.load(), waitingRefusals: pace.waiting });
  return { held, turns, connections, refuser, load };
}
