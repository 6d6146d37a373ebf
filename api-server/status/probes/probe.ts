import type { PlatformAnswer, PlatformClient } from '../../../adapters/platform-api/client.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import type { CheckFailure } from '../../../core/status/service-state.ts';

/** What one try of a check found. */
export type Found =
  | { readonly kind: 'good'; readonly code: 'policy-denied' | null }
  | { readonly kind: 'failed'; readonly code: CheckFailure }
  /** It could not be made: what it needs is not there. */
  | { readonly kind: 'left-out' };

/** A check. The signal is its deadline. It may reject: that is a failure `internal`. */
export type Probe = (signal: AbortSignal) => Promise<Found>;

export const GOOD: Found = { kind: 'good', code: null };
export const LEFT_OUT: Found = { kind: 'left-out' };
export const failed = (code: CheckFailure): Found => ({ kind: 'failed', code });

/** What the run of a round came to. */
export type RoundRun =
  | { readonly kind: 'done'; readonly receiptId: string; readonly isDenied: boolean }
  | { readonly kind: 'failed' }
  | { readonly kind: 'left-out' };

/** What checks remember from one round to the next. */
export interface ProbeMemory {
  /** Receipt of the last run of an earlier round. */
  lastReceipt: string | null;
  /** Size of the last checkpoint that was seen. */
  treeSize: number;
  /** Runs of the canary that the API's metrics counted, as the last round saw it; null: not seen yet. */
  countedRuns: number | null;
  /** The canary's signal source was there once. */
  hasSeenSource: boolean;
}

export const newProbeMemory = (): ProbeMemory => ({
  lastReceipt: null,
  treeSize: 0,
  countedRuns: null,
  hasSeenSource: false,
});

/** Names of the objects that the checks use. */
export const CANARY = { orbiset: 'orb-canary', orbId: 'orbs.canary@1.0.0', source: 'orb-canary' } as const;

/** What every check may use. */
export interface ProbeParts {
  readonly api: PlatformClient;
  /** Metrics of the API. */
  readonly metrics: PlatformClient;
  /** Metrics of the processes that may run the swap loop; undefined: the loop is not looked at. */
  readonly loops?: () => Promise<readonly PlatformClient[]>;
  /** Secret of the canary's signal source (`whsec_…`); undefined: there is none. */
  readonly sourceSecret?: () => Promise<string | undefined>;
  readonly platformNamespace: string;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly memory: ProbeMemory;
}

/** Members of a JSON answer; empty for any other. */
export function membersOf(answer: PlatformAnswer): JsonObject {
  if (answer.kind === 'failed') return {};
  try {
    const value: unknown = JSON.parse(answer.body.toString('utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

const SERVER_ERRORS = 500;
const REFUSALS: readonly number[] = [401, 403];

/** The failure that an answer means which is not the expected one. A route that the process does not have is left out. */
export function failureOf(answer: PlatformAnswer): Found {
  if (answer.kind === 'failed') return failed(answer.code);
  const { code } = membersOf(answer);
  if (code === 'route-not-found') return LEFT_OUT;
  if (code === 'authentication-unavailable' || code === 'overloaded') return failed(code);
  if (REFUSALS.includes(answer.status)) return failed('refused');
  return failed(answer.status >= SERVER_ERRORS ? 'server-error' : 'unexpected-status');
}

export const hasStatus = (answer: PlatformAnswer, status: number): boolean =>
  answer.kind === 'answered' && answer.status === status;
