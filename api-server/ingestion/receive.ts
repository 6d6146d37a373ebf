import { freeBytes } from '../../adapters/memory/free-bytes.ts';
import { LedgerError, type Ledger } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { newId } from '../../core/receipt/ids.ts';
import { problem } from '../http/problem.ts';
import { refuse, type Reply, type RouteRequest, type Step } from '../http/route.ts';
import { acknowledgement } from './acknowledgement.ts';
import { deliveryKeyOf, type DeliveryKey } from './delivery-key.ts';
import { keptHeaders } from './kept-headers.ts';
import type { IngestQueue } from './queue.ts';
import type { ReceiveMetrics } from './receive-metrics.ts';
import { tooMany, wrongSender } from './refusals.ts';
import type { IngestRates } from './source-rates.ts';
import type { SourceTraffic } from './source-traffic.ts';
import type { SignalSource, SignalSources } from './source.ts';
import { verifyNobody, verifySender } from './verify-sender.ts';

/** What receiving needs of the process. */
export interface Intake {
  readonly rates: IngestRates;
  /** Whether the process has too much work, or too little room, to take deliveries. */
  readonly isClosed: () => boolean;
  readonly metrics: ReceiveMetrics;
  readonly traffic: SourceTraffic;
  readonly queue: IngestQueue;
}

export interface ReceiveParts {
  readonly sources: SignalSources;
  readonly ledger: Pick<Ledger, 'acceptDelivery'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly random: (bytes: number) => Uint8Array;
  readonly intake: Intake;
}

/** A request to a path of ingestion, with what its method and path say. */
export interface Incoming {
  readonly request: RouteRequest;
  /** The source of the path; undefined: none, a disabled one, or one whose path is another one. */
  readonly source: SignalSource | undefined;
  /** Last segment of `/ingest/{source_id}/{token}`. */
  readonly pathToken: string | undefined;
  /** Reads the bytes that are verified and stored. */
  readonly readBytes: (request: RouteRequest, source: SignalSource | undefined) => Promise<Step<Uint8Array>>;
}

/** Deliveries that may wait to be mapped, of one source and of all (ingestion.md §6). */
const QUEUE = { perSource: 10_000, inAll: 50_000 };

interface Verified {
  readonly source: SignalSource;
  readonly body: Uint8Array;
  readonly key: DeliveryKey;
}

/** Source, body and sender. Answers to a path without source cost the same work as those to a wrong signature. */
async function verified(parts: ReceiveParts, incoming: Incoming): Promise<Step<Verified>> {
  const { request, source, pathToken } = incoming;
  const read = await incoming.readBytes(request, source);
  if (!read.ok) return read;
  const body = read.value;
  if (source === undefined) {
    verifyNobody(body);
    return refuse(problem(request, 'source-not-found'));
  }
  const receivedAt = parts.clock.now();
  const sender = verifySender(source, request, { body, pathToken, now: receivedAt });
  if (sender.kind === 'unreadable') return refuse(problem(request, 'secret-unreadable'));
  if (sender.kind === 'rejected') return refuse(wrongSender(request));
  if (sender.isOldSecret) parts.intake.metrics.oldSecret();
  return { ok: true, value: { source, body, key: deliveryKeyOf(source, sender.signedId, { body, receivedAt }) } };
}

/** Makes a verified delivery durable, and answers. */
async function accepted(parts: ReceiveParts, request: RouteRequest, { source, body, key }: Verified): Promise<Reply> {
  const { clock, random, ledger, intake } = parts;
  const { namespace, name, type, scheme } = source;
  const refused = intake.rates.delivery(source, clock.monotonic());
  if (refused !== undefined) return tooMany(request, type, refused);
  const now = clock.now();
  const deliveryId = newId('dlv_', now, random);
  const row = {
    deliveryId,
    tenant: namespace,
    source: `${namespace}/${name}`,
    deliveryKey: key.text,
    receivedAt: now,
    headers: keptHeaders(request.headerPairs, scheme),
    raw: body,
  };
  const result = await ledger.acceptDelivery(row, QUEUE);
  if (result.kind === 'full') return problem(request, 'overloaded', { detail: 'Too many deliveries wait.' });
  if (result.kind === 'accepted') {
    intake.queue.wake();
    return acknowledgement(source, body, { deliveryId, duplicate: false });
  }
  intake.metrics.duplicate(type, key.by);
  intake.traffic.count(row.source, 'duplicates');
  return acknowledgement(source, body, { deliveryId: result.deliveryId, duplicate: true });
}

async function answer(parts: ReceiveParts, incoming: Incoming): Promise<Reply> {
  const { request, source } = incoming;
  const refused = parts.intake.rates.request(request.address, parts.clock.monotonic());
  if (refused !== undefined) return tooMany(request, source?.type, refused);
  if (parts.intake.isClosed()) return problem(request, 'overloaded');
  const delivery = await verified(parts, incoming);
  if (!delivery.ok) return delivery.reply;
  try {
    return await accepted(parts, request, delivery.value);
  } finally {
    freeBytes(delivery.value.body);
  }
}

const FIRST_ERROR = 400;
const FIRST_FAULT = 500;
const UNAVAILABLE = 503;
const SECOND_MS = 1000;

/**
 * Takes one delivery in the order of ingestion.md §6: rate of the client, source, headers, body, sender, rate of the
 * source, one durable row. Nothing parses the body for its meaning before the answer.
 * @throws LedgerError the row is not known to be durable
 */
export async function receive(parts: ReceiveParts, incoming: Incoming): Promise<Reply> {
  const { clock, intake } = parts;
  const { source } = incoming;
  const began = clock.monotonic();
  const reply = await answer(parts, incoming).catch((error: unknown) => {
    intake.metrics.answered(source?.type, error instanceof LedgerError ? UNAVAILABLE : FIRST_FAULT);
    throw error;
  });
  const { status } = reply;
  intake.metrics.answered(source?.type, status);
  if (source !== undefined && status < FIRST_ERROR)
    intake.metrics.acknowledged(source.type, (clock.monotonic() - began) / SECOND_MS);
  if (source !== undefined && status >= FIRST_ERROR && status < FIRST_FAULT)
    intake.traffic.count(`${source.namespace}/${source.name}`, 'rejected');
  return reply;
}
