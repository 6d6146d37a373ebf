import type { ProviderView } from '../runtime/failover/orb-failovers.ts';
import type { SeriesContext } from '../../core/failover/evaluation-from-series.ts';
import type { EvaluationSummary } from '../../core/failover/evaluation-summary.ts';
import type { BreakerState } from '../../core/failover/metrics.ts';
import type { FailoverPin } from '../../core/failover/types.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { Pin } from '../../crds/orb.ts';

/** The Orb resource of a pin. */
export interface OrbPlace {
  readonly namespace: string;
  /** Name of the resource. */
  readonly name: string;
  readonly orbId: OrbId;
}

/** A pin that this API sets: all members except `reason` are required. */
export type NewPin = Required<Omit<Pin, 'reason'>> & Pick<Pin, 'reason'>;

/** The store of the pins can't be reached, or the Orb was removed meanwhile. */
export type PinUnavailable =
  | { readonly kind: 'gone' }
  /** `maybe`: a write was sent, and it may or may not have happened. */
  | { readonly kind: 'away'; readonly maybe: boolean };

export type PinSet =
  | {
      readonly kind: 'set';
      /** The previous pin; undefined: there was no pin that can be read. */
      readonly replaced: FailoverPin | undefined;
      /** Other writers of the previous pin, which will write it again. */
      readonly owners: readonly string[];
    }
  | PinUnavailable;

export type PinRemoved =
  | {
      readonly kind: 'removed';
      readonly removed: FailoverPin | undefined;
      /** Set by another writer during the removal: it stays. */
      readonly left: FailoverPin | undefined;
      readonly owners: readonly string[];
    }
  | PinUnavailable;

/**
 * The store of pins (failover.md §8): `Orb.spec.pin` on a cluster, the ledger in standalone. A written pin reaches the
 * catalogue of this process by itself, on a cluster with the next event of the watch. A caller that goes away aborts
 * nothing; each call has a time limit of its own.
 */
export interface PinStore {
  /** Must replace any existing pin, also of another writer. Durable when it answers `set`. */
  readonly set: (orb: OrbPlace, pin: NewPin) => Promise<PinSet>;
  /** Must leave no pin, except a pin that was set meanwhile. Removing a pin that does not exist succeeds. */
  readonly remove: (orb: OrbPlace) => Promise<PinRemoved>;
}

/** State of an Orb's providers that only this process knows. */
export interface ReplicaView {
  /** By provider; the breaker of an absent provider is closed. */
  readonly breakers: (namespace: string, orbId: OrbId) => Readonly<Record<string, BreakerState>>;
  /** By provider: end of the time without requests, ms since epoch. */
  readonly cooling: (namespace: string, orbId: OrbId) => Readonly<Record<string, number>>;
  /** By provider, with breaker and last failure; none for an Orb that was never called here. */
  readonly providers: (namespace: string, orbId: OrbId) => Readonly<Record<string, ProviderView>>;
}

/** The Orb whose metrics are requested. */
export interface EvaluationRequest extends SeriesContext {
  readonly namespace: string;
  readonly orbId: OrbId;
}

/** The metrics of the last evaluation of an Orb; undefined when they are not available. Never rejects. */
export type EvaluationSource = (orb: EvaluationRequest) => Promise<EvaluationSummary | undefined>;
