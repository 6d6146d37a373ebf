import { isJsonObject } from '../json/json-value.ts';
import type { Finding } from './finding.ts';

/** What an Orbiset says about policies (`spec.policies`). */
export interface OrbisetPolicies {
  readonly defaultEffect: 'allow' | 'deny';
  /** True for every policy of its namespace. */
  readonly requireReady: boolean;
}

/** What an Orbiset says when it says nothing. */
const DEFAULT_POLICIES: OrbisetPolicies = { defaultEffect: 'allow', requireReady: false };

const isMember = (name: string, value: unknown): boolean =>
  name === 'defaultEffect'
    ? value === 'allow' || value === 'deny'
    : name === 'requireReady' && typeof value === 'boolean';

/**
 * `spec.policies` of an Orbiset, in whatever shape it is stored, with defaults filled in.
 * @returns undefined when it can't be read: no run may start then, because it would run as if there were no rule
 */
export function policiesOf(spec: unknown): OrbisetPolicies | undefined {
  if (!isJsonObject(spec) || !Object.hasOwn(spec, 'policies')) return DEFAULT_POLICIES;
  const { policies } = spec;
  if (!isJsonObject(policies)) return undefined;
  if (!Object.entries(policies).every(([name, value]) => isMember(name, value))) return undefined;
  const { defaultEffect, requireReady } = policies;
  return { defaultEffect: defaultEffect === 'deny' ? 'deny' : 'allow', requireReady: requireReady === true };
}

/** The finding about `spec.policies` that can't be read: `policies-unreadable`; its pointer is relative to the object. */
export const policyFindings = (spec: unknown): readonly Finding[] =>
  policiesOf(spec) !== undefined
    ? []
    : [
        {
          code: 'policies-unreadable',
          pointer: '/spec/policies',
          detail:
            'Only defaultEffect (allow or deny) and requireReady (true or false) stand here; rules stand in OrbPolicy objects. Remove the rest: until then every run of this Orbiset is refused (503 policy-unavailable).',
          severity: 'error',
        },
      ];
