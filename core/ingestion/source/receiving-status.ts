import type { JsonObject } from '../../json/json-value.ts';
import { withTransitions, type Condition, type WantedCondition } from '../../reconcile/conditions.ts';
import type { KubeObject } from '../../reconcile/kube-object.ts';
import { conditionsOf, generationOf, statusOf } from '../../reconcile/read-object.ts';
import type { Trust } from '../verification/scheme.ts';

/** The part of the status of a source that the API owns (security.md §6.1). */
export const RECEIVING_PART = {
  members: ['sourceId', 'urlPath', 'trust', 'fingerprintRule', 'lastEventAt', 'counts'],
  conditions: ['SecretsReadable', 'Receiving'],
} as const;

/** Why a secret can't be used. */
export type SecretFault = 'forbidden' | 'not-found' | 'key-missing' | 'empty' | 'malformed';

/** What came from a source so far. */
export interface SourceActivity {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: number;
  readonly deadLetters: number;
  /** ms since the epoch; undefined: nothing was accepted yet. */
  readonly lastEventAt: number | undefined;
}

/** What receives of a source. */
interface ReceivingSource {
  readonly sourceId: string;
  readonly trust: Trust;
  readonly fingerprintRule: string;
  readonly mode: 'Active' | 'Observe' | 'Disabled';
  /** The generation in force. */
  readonly generation: number;
}

/** What the API knows of a source. */
export interface ReceivingFacts {
  /** Undefined: nothing receives. */
  readonly source: ReceivingSource | undefined;
  /** The first secret that can't be used. */
  readonly unusable: { readonly fault: SecretFault; readonly secret: string; readonly key: string } | undefined;
  /** Undefined: not known yet; the status keeps what it says. */
  readonly activity: SourceActivity | undefined;
}

const condition = (type: string, isTrue: boolean, reason: string, message: string): WantedCondition => ({
  type,
  status: isTrue ? 'True' : 'False',
  reason,
  message,
});

const FAULTS = {
  forbidden: {
    reason: 'SecretForbidden',
    what: 'may not be read: an Orbiset in this namespace brings the RoleBinding orb-vault-reader',
  },
  'not-found': { reason: 'SecretNotFound', what: 'does not exist' },
  'key-missing': { reason: 'SecretKeyMissing', what: 'does not have this key' },
  empty: { reason: 'SecretEmpty', what: 'is empty under this key' },
  malformed: { reason: 'SecretMalformed', what: 'holds no key of Standard Webhooks there' },
} as const satisfies Record<SecretFault, { readonly reason: string; readonly what: string }>;

function secretsCondition(unusable: ReceivingFacts['unusable']): WantedCondition {
  if (unusable === undefined)
    return condition('SecretsReadable', true, 'SecretsReadable', 'Every secret of the source can be used.');
  const { fault, secret, key } = unusable;
  const { reason, what } = FAULTS[fault];
  return condition('SecretsReadable', false, reason, `Secret ${secret}, key ${key}: it ${what}.`);
}

const receiving = (isTrue: boolean, reason: string, message: string): WantedCondition =>
  condition('Receiving', isTrue, reason, message);

function receivingCondition(source: ReceivingSource, isUsable: boolean, generation: number): WantedCondition {
  if (source.mode === 'Disabled') return receiving(false, 'Disabled', 'Deliveries are refused.');
  if (!isUsable) return receiving(false, 'SecretUnusable', 'Deliveries are put off with 503.');
  if (source.generation === generation) return receiving(true, 'Receiving', 'Deliveries are accepted.');
  const message = `Generation ${source.generation} receives on, because this one is refused.`;
  return receiving(true, 'LastValidVersion', message);
}

const NEVER_VALID = receiving(false, 'NeverValid', 'No version of this source was ever valid.');

/** @param activity undefined: what the status says already stays */
function activityMembers(object: KubeObject, activity: SourceActivity | undefined): JsonObject {
  if (activity === undefined) {
    const { lastEventAt, counts } = statusOf(object);
    return { ...(lastEventAt === undefined ? {} : { lastEventAt }), ...(counts === undefined ? {} : { counts }) };
  }
  const { lastEventAt, ...counts } = activity;
  return { ...(lastEventAt === undefined ? {} : { lastEventAt: new Date(lastEventAt).toISOString() }), counts };
}

const sourceMembers = ({ sourceId, trust, fingerprintRule }: ReceivingSource): JsonObject => ({
  sourceId,
  urlPath: `/ingest/${sourceId}`,
  trust,
  fingerprintRule,
});

/**
 * The part of the status of a source that the API owns: where it is reached, what receives, and what came.
 * @param now ms since the epoch
 */
export function receivingStatus(
  object: KubeObject,
  { source, unusable, activity }: ReceivingFacts,
  now: number,
): JsonObject & { readonly conditions: readonly (Condition & JsonObject)[] } {
  const generation = generationOf(object);
  const wanted =
    source === undefined
      ? [NEVER_VALID]
      : [secretsCondition(unusable), receivingCondition(source, unusable === undefined, generation)];
  const conditions = withTransitions(wanted, conditionsOf(object), { generation, now });
  return {
    ...(source === undefined ? {} : sourceMembers(source)),
    ...activityMembers(object, activity),
    conditions: conditions.map((one) => ({ ...one })),
  };
}
