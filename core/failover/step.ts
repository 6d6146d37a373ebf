import type { EventSpec } from '../reconcile/event-spec.ts';
import { decide } from './decide.ts';
import { evidenceOf, type EvidenceOrigin } from './evidence.ts';
import { providerChanged } from './events.ts';
import { withEvidence } from './record-swap.ts';
import { writeFailoverStatus } from './status-codec.ts';
import {
  NO_MEMORY,
  type FailoverInput,
  type FailoverMemory,
  type FailoverOutput,
  type FailoverStatus,
  type SwapRecord,
} from './types.ts';

/** What a loop remembers of one Orb between two evaluations; lost on a restart. */
export interface StepMemory {
  readonly rules: FailoverMemory;
  /** Ms since epoch: since when nothing could be decided on; null while something can. */
  readonly unusableSince: number | null;
  /** No provider worked, and that was told. */
  readonly isDown: boolean;
}

export const FIRST_STEP: StepMemory = { rules: NO_MEMORY, unusableSince: null, isDown: false };

/** One evaluation of one Orb. */
export interface StepInput {
  readonly input: Omit<FailoverInput, 'memory'>;
  readonly memory: StepMemory;
  /** Of the look that `input.metrics` is from; null when the look failed. */
  readonly origin: EvidenceOrigin | null;
}

/** `unknown`: no figures, or a pin that nothing else is asked beside. */
export type ProvidersHealth = 'up' | 'down' | 'unknown';

export interface FailoverStep {
  readonly output: FailoverOutput;
  /** What is to be written, with the evidence of the swap. */
  readonly status: FailoverStatus;
  /** False: `status` says what was there before, so there is nothing to write. */
  readonly isChanged: boolean;
  /** Newest entry of `status.history` when it is of this step. */
  readonly swap: SwapRecord | undefined;
  /** Whether a provider that works is the active one. */
  readonly health: ProvidersHealth;
  /** To be told when `status` was written. */
  readonly events: readonly EventSpec[];
  /** Holds from the next step on: at once when there is nothing to write, else when it was written. */
  readonly memory: StepMemory;
}

/** Names of all providers with an execution, as the rules take them: those that may be chosen without a pin come first. */
export const resolvedNames = (order: readonly string[], providers: Iterable<string>): readonly string[] => [
  ...new Set([...order, ...providers]),
];

const textOf = (status: FailoverStatus): string => JSON.stringify(writeFailoverStatus(status));

/** The swap that `next` has and `before` has not. */
export function newSwap(before: FailoverStatus | null, next: FailoverStatus): SwapRecord | undefined {
  const newest = next.history.at(-1);
  return newest !== undefined && newest.seq > (before?.swapSeq ?? 0) ? newest : undefined;
}

/** The Event of a swap is known by its receipt: each swap has one, whoever tells of it and how often. */
export const swapEvents = (events: readonly EventSpec[], swap: SwapRecord | undefined): readonly EventSpec[] =>
  swap === undefined
    ? events
    : events.map((event) => (event.reason === 'ProviderChanged' ? { ...event, id: swap.receiptId } : event));

const TOLD_AGAIN_MS = 600_000;

/**
 * Events of the swaps of late, for a leader that finds them: those before it may have ended, one after the other, before they
 * told. Told again, each is the same Event.
 */
export const untoldSwaps = (status: FailoverStatus | null, now: number): readonly EventSpec[] =>
  (status?.history ?? [])
    .filter(({ at }) => Math.abs(now - at) <= TOLD_AGAIN_MS)
    .flatMap((swap) => swapEvents([providerChanged(swap.from, swap.to, swap.reason)], swap));

/** Nothing can be said of the active provider's latency: with two series of it, as with none that can be read (§13, S18). */
const isBlind = (verdict: FailoverOutput['verdict']): boolean =>
  verdict.kind === 'unavailable' || (verdict.kind === 'inconclusive' && verdict.why === 'multiple-series');

/** Of the unbroken row of evaluations that had nothing to go by. */
function unusableSince({ input, memory }: StepInput, { verdict }: FailoverOutput): number | null {
  if (!isBlind(verdict)) return null;
  const { metrics, now } = input;
  const since = metrics.state === 'unusable' ? metrics.since : now;
  return Math.min(memory.unusableSince ?? since, since);
}

function healthOf({ verdict, explain: { rule } }: FailoverOutput): ProvidersHealth {
  if (verdict.kind === 'unavailable' || rule === 'pinned') return 'unknown';
  return rule === 'all-down' ? 'down' : 'up';
}

/**
 * One evaluation as both loops make it, that of the operator and that of standalone: the rules, and what a swap was decided
 * on. Total and pure. When the write of `status` fails, nothing of the step happened: the next one begins with the old memory.
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
    isChanged: persisted === null || textOf(persisted) !== textOf(status),
    swap,
    health,
    events: swapEvents(news, swap),
    memory: { rules: output.memory, unusableSince: unusableSince(step, output), isDown },
  };
}
