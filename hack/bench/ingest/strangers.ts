import { seededRandom } from '../../../test/chaos/seeded-random.ts';
import { median } from '../../../test/support/rank.ts';
import type { Row } from '../table.ts';
import { Sender, type Delivery } from './sender.ts';
import type { Receiver } from './sources.ts';
import type { StoredPayloads } from './stored-payloads.ts';

/** What a request is about: what a stranger could tell apart by time. */
const KINDS = ['wrong source', 'wrong signature', 'good'] as const;
type Kind = (typeof KINDS)[number];

/** Times of one kind, ms. */
export interface Spread {
  readonly kind: Kind;
  readonly mean: number;
  readonly deviation: number;
  readonly median: number;
  readonly count: number;
}

const STATUSES: Readonly<Record<Kind, readonly number[]>> = {
  'wrong source': [404],
  'wrong signature': [401],
  good: [200, 202],
};
/** Form of an id that no source has. */
const UNKNOWN = '/ingest/src_00000000000000000000000000';

function deliveryOf(kind: Kind, path: string, good: Pick<Delivery, 'body' | 'headers'>): Delivery {
  if (kind === 'good') return { path, ...good };
  const headers = { 'x-grafana-alerting-signature': '0'.repeat(64) };
  return { path: kind === 'wrong source' ? UNKNOWN : path, body: good.body, headers };
}

function spreadOf(kind: Kind, times: readonly number[]): Spread {
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (times.length - 1);
  return { kind, mean, deviation: Math.sqrt(variance), median: median(times), count: times.length };
}

/**
 * Sends requests of each kind with one body over one connection, one after the other in random order. All but the first
 * good one are repeats, which write nothing.
 */
export async function measureStrangers(
  { server, path }: Receiver,
  requests: number,
  stored: StoredPayloads,
): Promise<readonly Spread[]> {
  const sender = new Sender(server.port, 1);
  const good = stored.at(0);
  const random = seededRandom(17);
  const times = new Map<Kind, number[]>(KINDS.map((kind) => [kind, []]));
  const warm = Math.ceil(requests / 10);
  for (let number = -warm; number < requests; number += 1) {
    const kind = KINDS[Math.floor(random() * KINDS.length)] ?? 'good';
    const { status, ms } = await sender.send(deliveryOf(kind, path, good));
    if (!STATUSES[kind].includes(status)) throw new Error(`${kind}: ${status}`);
    if (number >= 0) times.get(kind)?.push(ms);
  }
  sender.close();
  return KINDS.map((kind) => spreadOf(kind, times.get(kind) ?? []));
}

export function strangerRows(spreads: readonly Spread[]): readonly Row[] {
  const rows = spreads.map(({ kind, mean, deviation, median: middle, count }) => ({
    what: `${kind}: mean ± deviation of ${count}; median, ms`,
    measured: `${mean.toFixed(3)} ± ${deviation.toFixed(3)}; ${middle.toFixed(3)}`,
  }));
  const [source, signature] = spreads;
  if (source === undefined || signature === undefined) return rows;
  const error = Math.sqrt(source.deviation ** 2 / source.count + signature.deviation ** 2 / signature.count);
  const difference = source.mean - signature.mean;
  return [
    ...rows,
    {
      what: 'wrong source − wrong signature: difference of means ± its standard error, ms',
      measured: `${difference.toFixed(3)} ± ${error.toFixed(3)}`,
    },
  ];
}
