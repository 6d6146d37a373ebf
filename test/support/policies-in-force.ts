import type { Ledger } from '../../adapters/ledger/port.ts';
import { PoliciesInForce, type PoliciesDeps } from '../../api-server/policy/policies.ts';
import type { OrbPolicySpec } from '../../crds/orbpolicy.ts';
import { decide, NO_ORBISET_POLICIES } from '../../core/policy/decision/decide.ts';
import { CEL_ENGINE } from '../../core/policy/language/cel-engine.ts';
import type { KubeObject, ObjectMeta } from '../../core/reconcile/kube-object.ts';
import { recordLog, type RecordedLog } from './kube/runtime-recorders.ts';
import { someFacts, STARTED_AT } from './policies.ts';

/** Denies every run: the score of the facts of tests is 70. */
export const DENIES: OrbPolicySpec = {
  mode: 'Enforce',
  rules: [{ name: 'low', effect: 'deny', when: 'orb.score < 80' }],
};
/** Does not compile. */
export const BROKEN_POLICY: OrbPolicySpec = {
  mode: 'Enforce',
  rules: [{ name: 'low', effect: 'deny', when: 'orb.scor < 1' }],
};
/** Costs 32 260 of the 50 000 units that all policies of a tenant may cost. */
export const EXPENSIVE: OrbPolicySpec = {
  mode: 'Enforce',
  rules: Array.from({ length: 20 }, (_, index) => ({
    name: `rule-${index}`,
    effect: 'deny',
    when: "orb.labels.exists(label, label.contains('a'))",
  })),
};

/** A generation of the policy `acme/limits`. */
export const aPolicyObject = (generation: number, spec: unknown, metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbPolicy',
  metadata: {
    name: 'limits',
    namespace: 'acme',
    uid: 'uid-limits',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation,
    ...metadata,
  },
  spec,
});

/** The policies of a process. */
export interface StartedPolicies {
  readonly policies: PoliciesInForce;
  readonly log: RecordedLog;
  readonly apply: (policy: KubeObject) => Promise<void>;
  readonly remove: (name?: string, namespace?: string) => Promise<void>;
  /** The decision about a run of a namespace: `allow`, or the codes and policies of its denials. */
  readonly decided: (namespace?: string) => string;
}

const compileFailed = (): void => undefined;

/** The policies of a process over a ledger, before it has read their objects. */
export async function unreadPolicies(ledger: Ledger, deps: Partial<PoliciesDeps> = {}): Promise<PoliciesInForce> {
  const clock = { now: (): number => STARTED_AT };
  const fixed = {
    engine: CEL_ENGINE,
    platformNamespace: 'orb-system',
    clock,
    logger: recordLog().logger,
    compileFailed,
  };
  const policies = new PoliciesInForce({ ledger, ...fixed, ...deps });
  await policies.feed.open();
  return policies;
}

/** A process over a ledger, which has read every policy there was. */
export async function startPolicies(ledger: Ledger, deps: Partial<PoliciesDeps> = {}): Promise<StartedPolicies> {
  const log = recordLog();
  const policies = await unreadPolicies(ledger, { logger: log.logger, ...deps });
  policies.read();
  return {
    policies,
    log,
    apply: (policy) => policies.feed.apply(`${policy.metadata.namespace}/${policy.metadata.name}`, policy),
    remove: (name = 'limits', namespace = 'acme') => policies.feed.apply(`${namespace}/${name}`, undefined),
    decided: (namespace = 'acme') => {
      const set = policies.of(namespace);
      if (set === undefined) return 'no policy';
      const options = { orbiset: NO_ORBISET_POLICIES, namespace, kept: undefined };
      const { decision, denials } = decide(set, someFacts(), 'PreFlight', options);
      return decision === 'allow' ? 'allow' : denials.map(({ code, policy }) => `${code} ${policy}`).join(', ');
    },
  };
}
