import { isJsonObject } from '../json/json-value.ts';
import type { Finding } from './finding.ts';

const UNREADABLE: Readonly<Record<string, unknown>> = { unreadable: true };

/**
 * The policies in a spec, in the shape in which it is stored. `spec.policies` is reserved, because policies are not
 * applied yet. So every run of an Orbiset with policies is refused: otherwise it would run as if there were no rule.
 * @returns undefined when the spec has no policies: the member is absent or an empty object
 */
export function policiesOf(spec: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isJsonObject(spec)) return undefined;
  const policies: unknown = Object.hasOwn(spec, 'policies') ? spec['policies'] : undefined;
  if (policies === undefined) return undefined;
  if (!isJsonObject(policies)) return UNREADABLE;
  return Object.keys(policies).length === 0 ? undefined : policies;
}

/** The finding about a spec with policies: `policies-reserved`; its pointer is relative to the object. */
export const policyFindings = (spec: unknown): readonly Finding[] =>
  policiesOf(spec) === undefined
    ? []
    : [
        {
          code: 'policies-reserved',
          pointer: '/spec/policies',
          detail:
            'Policies are reserved for later: remove the member. Until then every run of this Orbiset is refused (503 policy-unavailable).',
          severity: 'error',
        },
      ];
