import { NAMESPACE } from './orbs.ts';
import type { World } from './world.ts';

/** It denies nothing, and would deny each run of the Orb whose effect can't be undone: those have no key. */
const POLICY = {
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbPolicy',
  metadata: { name: 'keys-for-effects', namespace: NAMESPACE },
  spec: {
    mode: 'Audit',
    match: { phases: ['PreFlight', 'Request'] },
    rules: [{ name: 'no-key', effect: 'deny', when: 'orb.irreversible && !run.has_idempotency_key' }],
  },
};

/** Lets a policy decide about every run of the Orbs; it is in force when this resolves. */
export async function auditRuns({ team }: World): Promise<void> {
  await team.apply(POLICY);
  await team.kubectl('wait', `orbpolicy/${POLICY.metadata.name}`, '--for=condition=Ready', '--timeout=60s');
}
