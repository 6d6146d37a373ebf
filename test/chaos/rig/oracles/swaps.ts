import { metadataOf, textOf } from '../json.ts';
import { at, isRecord } from '../../../../hack/control-plane/json.ts';

/** One swap as in `status.failover.history`. */
export interface SeenSwap {
  readonly seq: number;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly epoch: number;
  readonly receiptId: string;
}

/** All swaps of one Orb in the order of their numbers, and the current state in its status. */
export interface SwapsOfOrb {
  /** `namespace/name` */
  readonly orb: string;
  readonly swapSeq: number;
  readonly activeProvider: string;
  readonly swaps: readonly SeenSwap[];
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

function seenSwap(entry: unknown): SeenSwap {
  const text = (name: string): string => textOf(at(entry, name)) ?? '';
  return {
    seq: numberOf(at(entry, 'seq')),
    epoch: numberOf(at(entry, 'epoch')),
    from: text('from'),
    to: text('to'),
    reason: text('reason'),
    receiptId: text('receiptId'),
  };
}

const isSame = (one: SeenSwap, other: SeenSwap): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Collects the swaps of Orbs over all their states: the status keeps only the newest twenty. */
export class SwapWitness {
  readonly #orbs = new Map<string, { latest: unknown; readonly swaps: Map<number, SeenSwap> }>();
  readonly #faults = new Set<string>();

  /** @param orb any state of an Orb; the states of one Orb must come in order */
  saw(orb: unknown): void {
    const { namespace, name, uid } = metadataOf(orb);
    const key = `${textOf(namespace) ?? ''}/${textOf(name) ?? ''} ${textOf(uid) ?? ''}`;
    const known = this.#orbs.get(key) ?? { latest: orb, swaps: new Map<number, SeenSwap>() };
    known.latest = orb;
    this.#orbs.set(key, known);
    const history = at(orb, 'status', 'failover', 'history');
    for (const entry of Array.isArray(history) ? history.filter(isRecord) : []) {
      const swap = seenSwap(entry);
      const before = known.swaps.get(swap.seq);
      if (before !== undefined && !isSame(before, swap))
        this.#faults.add(`${key}: swap ${swap.seq} was ${JSON.stringify(before)}, then ${JSON.stringify(swap)}`);
      known.swaps.set(swap.seq, swap);
    }
  }

  orbs(): readonly SwapsOfOrb[] {
    return [...this.#orbs].map(([key, { latest, swaps }]) => ({
      orb: key.split(' ')[0] ?? '',
      swapSeq: numberOf(at(latest, 'status', 'failover', 'swapSeq') ?? 0),
      activeProvider: textOf(at(latest, 'status', 'failover', 'activeProvider')) ?? '',
      swaps: [...swaps.values()].toSorted((one, other) => one.seq - other.seq),
    }));
  }

  /** Faults in written swaps: a swap must never change. */
  faults(): readonly string[] {
    return [...this.#faults];
  }
}

/** Checks: numbers 1 … n once, each swap starts where the previous swap ended, epochs never go back. */
function chainFaults({ orb, swapSeq, activeProvider, swaps }: SwapsOfOrb): readonly string[] {
  const numbers = swaps.map(({ seq }) => seq);
  const expected = Array.from({ length: swapSeq }, (_, index) => index + 1);
  const pairs = swaps.slice(1).map((swap, index) => [swaps[index], swap] as const);
  const last = swaps.at(-1);
  return [
    ...(numbers.join() === expected.join() ? [] : [`${orb}: swapSeq ${swapSeq}, swaps ${numbers.join(' ')}`]),
    ...(last === undefined || last.to === activeProvider
      ? []
      : [`${orb}: ${activeProvider} after a swap to ${last.to}`]),
    ...swaps.filter(({ from, to }) => from === to).map(({ seq }) => `${orb}: swap ${seq} goes nowhere`),
    ...pairs.flatMap(([before, after]) => [
      ...(before?.to === after.from
        ? []
        : [`${orb}: swap ${after.seq} leaves ${after.from}, the one before went to ${before?.to}`]),
      ...((before?.epoch ?? 0) <= after.epoch
        ? []
        : [`${orb}: the epoch of swap ${after.seq} is of an earlier leader`]),
    ]),
  ];
}

/** The number of occurrences of an Event; its series counts from the second occurrence on. */
const timesOf = (event: unknown): number => {
  const count = at(event, 'series', 'count');
  return typeof count === 'number' ? count : 1;
};

const SWAPPED = 'ProviderChanged';

/** Checks: exactly one Event for each swap, sent once, and no Event for a swap that does not exist. */
function eventFaults(orbs: readonly SwapsOfOrb[], events: readonly unknown[]): readonly string[] {
  const ofSwaps = new Map(
    orbs.flatMap(({ orb, swaps }) => swaps.map(({ seq, receiptId }) => [receiptId, `${orb} swap ${seq}`])),
  );
  const reported = new Map<string, number>();
  const stray: string[] = [];
  for (const event of events) {
    if (at(event, 'reason') !== SWAPPED) continue;
    const name = textOf(metadataOf(event)['name']) ?? '';
    const receiptId = /rcpt-(.+)$/.exec(name)?.[1];
    const id = receiptId === undefined ? '' : `rcpt_${receiptId}`;
    if (ofSwaps.has(id)) reported.set(id, (reported.get(id) ?? 0) + timesOf(event));
    else stray.push(`the Event ${name} reports no swap: ${textOf(at(event, 'note')) ?? ''}`);
  }
  const wrong = [...ofSwaps].flatMap(([id, what]) =>
    reported.get(id) === 1 ? [] : [`${what}: ${reported.get(id) ?? 0} Events`],
  );
  return [...wrong, ...stray];
}

/**
 * Oracle h (reliability.md §3), and what failover.md §13 S22 requires of Events.
 * @param events of the Orbs' namespaces
 */
export const checkSwaps = (orbs: readonly SwapsOfOrb[], events: readonly unknown[]): readonly string[] => [
  ...orbs.flatMap(chainFaults),
  ...eventFaults(orbs, events),
];
