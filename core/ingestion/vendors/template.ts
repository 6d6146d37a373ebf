import type { Severity, SignalKind, SignalStatus } from '../mapping/signal.ts';
import type { VerificationScheme } from '../verification/scheme.ts';

/** CEL expressions over `payload` and `item`; the first that gives a value that is not null counts. */
type Alternatives = readonly string[];

/** A status with the kind that it means; absent: the vendor's usual kind. */
export interface StatusWord {
  readonly status: SignalStatus;
  readonly kind?: SignalKind;
}

/** Fields that a mapping fills. */
export interface FieldSources {
  readonly status: Alternatives;
  readonly severity?: Alternatives;
  readonly title: Alternatives;
  readonly description?: Alternatives;
  /** Absent, or without a value: the digest of the body. */
  readonly fingerprint?: Alternatives;
  /** A text whose SHA-256 is the fingerprint when `fingerprint` has no value. */
  readonly fingerprintText?: Alternatives;
  readonly startsAt?: Alternatives;
  readonly endsAt?: Alternatives;
  readonly occurredAt?: Alternatives;
  readonly labels?: Alternatives;
  /** A text or a list of texts. */
  readonly names?: Alternatives;
  readonly link?: Alternatives;
  readonly runbook?: Alternatives;
  readonly dashboard?: Alternatives;
  readonly metricName?: Alternatives;
  readonly metricValue?: Alternatives;
  readonly metricUnit?: Alternatives;
  readonly metricThreshold?: Alternatives;
}

export type FieldName = keyof FieldSources;

/** How payloads become events: data alone. */
export interface Mapping {
  /** Expression that gives a list, one event for each item; absent: the payload is one event. */
  readonly items?: string;
  readonly fields: FieldSources;
  readonly kind: SignalKind;
  /** Words of the vendor in lower case. */
  readonly statuses: Readonly<Record<string, StatusWord>>;
  /** Status of every other word; absent: such a payload is refused with `schema`. */
  readonly otherStatus?: SignalStatus;
  readonly severities: Readonly<Record<string, Severity>>;
  /** Severity without a known word. */
  readonly otherSeverity: Severity;
  /** The template that the payload must name in `orb_template`. */
  readonly orbTemplate?: string;
  /** A member of the vendor's own payload, which is accepted in place of the template. */
  readonly ownMember?: string;
  /** A payload that is a list is one event for each of its items. Not together with `items`. */
  readonly isBatch?: true;
}

/** What the platform knows of a vendor. */
export interface VendorTemplate {
  readonly parser: 'json' | 'form';
  readonly mediaTypes: readonly string[];
  readonly scheme: VerificationScheme;
  /** Expression of an id inside the signed body; absent: a signed header, or the digest of the body. */
  readonly deliveryId?: string;
  readonly mapping: Mapping;
  /** Text to paste at the vendor; absent where the vendor has a form of its own. */
  readonly payload?: string;
}
