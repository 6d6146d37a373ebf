import type { PolicyVersion } from '../../adapters/ledger/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import type { MissingPolicy } from '../../core/policy/decision/policy-set.ts';
import type { PolicyDefinition } from '../../core/policy/document/definition.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';

/** Without the version, a policy means the runs that it says, and denies them when it says so. */
export type Wanted = MissingPolicy & {
  /** Its scope is `Platform`, or can't be read. */
  readonly isForAll: boolean;
};

const ofDefinition = ({ namespace, name, spec }: PolicyDefinition): Wanted | undefined =>
  spec.mode === 'Disabled'
    ? undefined
    : {
        namespace,
        name,
        mode: spec.mode,
        requireReady: spec.requireReady,
        match: spec.match,
        isForAll: spec.scope === 'Platform',
      };

/**
 * What is known of a policy whose generation was refused and that never had a version in force. What can't be read
 * counts as what protects more.
 * @returns undefined: it is disabled
 */
export function wantedOf(policy: KubeObject, definition: PolicyDefinition | undefined): Wanted | undefined {
  if (definition !== undefined) return ofDefinition(definition);
  const { namespace = 'default', name } = policy.metadata;
  const { mode = 'Audit', requireReady = false, scope = 'Namespace' } = isJsonObject(policy.spec) ? policy.spec : {};
  if (mode === 'Disabled') return undefined;
  return {
    namespace,
    name,
    mode: mode === 'Audit' ? 'Audit' : 'Enforce',
    requireReady: requireReady !== false,
    match: undefined,
    isForAll: scope !== 'Namespace',
  };
}

/** A version was in force, and this program can't compile it: protection never ends silently (policy.md §2). */
export function wantedAfter(
  { namespace, name, mode }: Pick<PolicyVersion, 'namespace' | 'name' | 'mode'>,
  definition: PolicyDefinition | undefined,
  effective: MissingPolicy['mode'] | undefined,
): Wanted {
  return {
    namespace,
    name,
    mode: effective ?? (mode === 'Audit' ? 'Audit' : 'Enforce'),
    requireReady: true,
    match: definition?.spec.match,
    isForAll: definition?.spec.scope !== 'Namespace',
  };
}
