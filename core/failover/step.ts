import type { EventSpec } from '../reconcile/event-spec.ts';
import { decide } from './decide.ts';
import { evidenceOf, type EvidenceOrigin } from './evidence.ts';
import { providerChanged } from './events.ts';
import { withEvidence } from './record-swap.ts';
import {
  NO_MEMORY,
  type FailoverInput,
  type FailoverMemory,
  type FailoverOutput,
  type FailoverStatus,
  type SwapRecord,
} from './types.ts';

/** Memory of a loop about one Orb between two evaluations; lost on a restart. */
export interface StepMemory {
  readonly rules: FailoverMemory;
  /** Since when the metrics don't allow a decision, ms since epoch; null while they do. */
  readonly unusableSince: number | null;
  /** No provider worked, and the Event about it was made. */
  readonly isDown: boolean;
}

export const FIRST_STEP: StepMemory = { rules: NO_MEMORY, unusableSince: null, isDown: false };

/** One evaluation of one Orb. */
export interface StepInput {
  readonly input: Omit<FailoverInput, 'memory'>;
  readonly memory: StepMemory;
  /** Origin of `input.metrics`; null when the query failed. */
  readonly origin: EvidenceOrigin | null;
}

/** `unknown`: there are no metrics, or a pin decided without looking at health. */
export type ProvidersHealth = 'up' | 'down' | 'unknown';

export interface FailoverStep {
  readonly output: FailoverOutput;
  /** The status to be written, with the evidence of the swap. */
  readonly status: FailoverStatus;
  /** The swap of this step: the newest entry of `status.history`. Undefined when this step made no swap. */
  readonly swap: SwapRecord | undefined;
  /** Whether the active provider works. */
  readonly health: ProvidersHealth;
  /** Events to emit after `status` was written. */
  readonly events: readonly EventSpec[];
  /** Memory for the next step. It is valid at once when there is nothing to write, else after the write. */
  readonly memory: StepMemory;
}

/** Names of all providers with an execution, for the rules. Those that may be chosen without a pin come first. */
export const resolvedNames = (order: readonly string[], providers: Iterable<string>): readonly string[] => [
  ...new Set([...order, ...providers]),
];

/** The swap that is in `next` but not in `before`. */
export function newSwap(before: FailoverStatus | null, next: FailoverStatus): SwapRecord | undefined {
  const newest = next.history.at(-1);
  return newest !== undefined && newest.seq > (before?.swapSeq ?? 0) ? newest : undefined;
}

/** Gives the Event of a swap the id of its receipt, so that repeated Events of one swap are the same Event. */
export const swapEvents = (events: readonly EventSpec[], swap: SwapRecord | undefined): readonly EventSpec[] =>
  swap === undefined
    ? events
    : events.map((event) => (event.reason === 'ProviderChanged' ? { ...event, id: swap.receiptId } : event));

const REPORT_AGAIN_MS = 600_000;

/**
 * Events of recent swaps, for a new leader: earlier leaders may have ended before they emitted them. A repeated Event
 * has the same id.
 */
export const unreportedSwaps = (status: FailoverStatus | null, now: number): readonly EventSpec[] =>
  (status?.history ?? [])
    .filter(({ at }) => Math.abs(now - at) <= REPORT_AGAIN_MS)
    .flatMap((swap) => swapEvents([providerChanged(swap.from, swap.to, swap.reason)], swap));

/**
 * Whether the latency of the active provider is unknown. That holds when no series can be read, and when there are two
 * series (failover.md §13, S18).
 */
const hasNoMetrics = (verdict: FailoverOutput['verdict']): boolean =>
  verdict.kind === 'unavailable' || (verdict.kind === 'inconclusive' && verdict.why === 'multiple-series');

/** Start of the unbroken row of evaluations without usable metrics, ms since epoch; null when this one has metrics. */
function unusableSince({ input, memory }: StepInput, { verdict }: FailoverOutput): number | null {
  if (!hasNoMetrics(verdict)) return null;
  const { metrics, now } = input;
  const since = metrics.state === 'unusable' ? metrics.since : now;
  return Math.min(memory.unusableSince ?? since, since);
}

function healthOf({ verdict, explain: { rule } }: FailoverOutput): ProvidersHealth {
  if (verdict.kind === 'unavailable' || rule === 'pinned') return 'unknown';
  return rule === 'all-down' ? 'down' : 'up';
}

/**
 * One evaluation of the loop: applies the rules and records the evidence of a swap. Total and pure. When the write of
 * `status` fails, the step has no effect: the next step begins with the old memory.
 */
export function stepFailover(step: StepInput): FailoverStep {
  const { memory, origin } = step;
  const input: FailoverInput = { ...step.input, memory: memory.rules };
  const output = decide(input);
  const evidence = origin === null ? null : evidenceOf(output, input, origin);
  const status = evidence === null ? output.next : withEvidence(output.next, evidence);
  const { persisted } = input;
  const swap = newSwap(persisted, status);
  const health = healthOf(output);
  const isDown = health === 'unknown' ? memory.isDown : health === 'down';
  const news = output.events.filter(({ reason }) => reason !== 'AllProvidersDown' || !memory.isDown);
  return {
    output,
    status,
    swap,
    health,
    events: swapEvents(news, swap),
    memory: { rules: output.memory, unusableSince: unusableSince(step, output), isDown },
  };
}
