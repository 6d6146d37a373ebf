import type { SeriesContext } from '../../core/failover/figures-from-series.ts';
import type { FailoverFigures } from '../../core/failover/figures.ts';
import type { BreakerState } from '../../core/failover/metrics.ts';
import type { FailoverPin } from '../../core/failover/types.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { Pin } from '../../crds/orb.ts';

/** The Orb resource that a pin is about. */
export interface OrbPlace {
  readonly namespace: string;
  /** Of the resource. */
  readonly name: string;
  readonly orbId: OrbId;
}

/** A pin that this API sets: everything is said. */
export type NewPin = Required<Omit<Pin, 'reason'>> & Pick<Pin, 'reason'>;

/** Who keeps the pins can't be asked, or the Orb went away meanwhile. */
export type NoPin =
  | { readonly kind: 'gone' }
  /** `maybe`: it was asked to write, and nobody knows whether it did. */
  | { readonly kind: 'away'; readonly maybe: boolean };

export type PinSet =
  | {
      readonly kind: 'set';
      /** What stood there; undefined: nothing that can be read. */
      readonly replaced: FailoverPin | undefined;
      /** Others who had written it, and will again. */
      readonly owners: readonly string[];
    }
  | NoPin;

export type PinRemoved =
  | {
      readonly kind: 'removed';
      readonly removed: FailoverPin | undefined;
      /** Set by somebody while this one was being removed: it stays. */
      readonly left: FailoverPin | undefined;
      readonly owners: readonly string[];
    }
  | NoPin;

/**
 * Where pins are kept (failover.md §8): `Orb.spec.pin` on a cluster, the ledger in standalone. What is written reaches the
 * catalogue of this process by itself, on a cluster with the next event of the watch. A caller who goes away breaks nothing
 * off; each call has an end of its own.
 */
export interface PinStore {
  /** Must replace whatever pin is there, whoever wrote it. Durable when it answers `set`. */
  readonly set: (orb: OrbPlace, pin: NewPin) => Promise<PinSet>;
  /** Must leave no pin, but for one that was set meanwhile. None is no error. */
  readonly remove: (orb: OrbPlace) => Promise<PinRemoved>;
}

/** What this process alone knows of the providers of an Orb. */
export interface ReplicaView {
  /** By provider; one that is absent is closed. */
  readonly breakers: (namespace: string, orbId: OrbId) => Readonly<Record<string, BreakerState>>;
  /** By provider: ms since epoch until which it is left alone. */
  readonly cooling: (namespace: string, orbId: OrbId) => Readonly<Record<string, number>>;
}

/** The Orb whose figures are asked for. */
export interface FiguresWish extends SeriesContext {
  readonly namespace: string;
  readonly orbId: OrbId;
}

/** What the last evaluation of an Orb saw; undefined when nobody can say. Never rejects. */
export type FiguresSource = (orb: FiguresWish) => Promise<FailoverFigures | undefined>;
