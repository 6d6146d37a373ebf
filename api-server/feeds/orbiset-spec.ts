import type { LastOrbiset } from '../../adapters/catalog/last-orbisets.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { checkDocument } from '../../core/manifest/documents.ts';
import { policiesOf } from '../../core/manifest/policies.ts';
import { narrowVault } from '../../core/orb/narrow-vault.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { specOf } from '../../core/reconcile/read-object.ts';
import type { OrbisetSpec } from '../../crds/orbiset.ts';

/** The settings of an Orbiset. */
export interface OrbisetSettings {
  readonly spec: OrbisetSpec;
  /** True: this exact generation is valid. False: it is the last valid one. */
  readonly isValid: boolean;
  /** What this generation says about policies can't be read; `spec.policies` is absent then. */
  readonly hasUnreadablePolicies: boolean;
}

/**
 * Whether a spec suspends, in whatever shape it is stored. A value that can't be parsed suspends: a kill switch must
 * hold (security.md S30). Example: `suspended: "yes"` suspends.
 */
function suspends(spec: unknown): boolean {
  if (!isJsonObject(spec)) return true;
  const { suspended } = spec;
  return suspended !== undefined && suspended !== false;
}

/** @returns undefined: this generation is not valid */
function checkedSpec({ metadata, unsafeIntegers = [] }: KubeObject, spec: unknown): OrbisetSpec | undefined {
  if (!isJsonObject(spec) || unsafeIntegers.some((pointer) => pointer.startsWith('/spec/'))) return undefined;
  const { namespace = '', name } = metadata;
  const checked = checkDocument({
    apiVersion: 'orbs.dev/v1alpha1',
    kind: 'Orbiset',
    metadata: { namespace, name },
    spec,
  });
  return checked.ok && checked.value.kind === 'Orbiset' ? checked.value.spec : undefined;
}

/** An Orbiset whose only fault is its policies stays known: its runs get their own refusal. */
function specWithoutPolicies(orbiset: KubeObject): OrbisetSpec | undefined {
  const { policies: _, ...rest } = specOf(orbiset);
  return checkedSpec(orbiset, rest);
}

/** The last valid spec of the same object, without the rights on secrets that this generation does not name. */
function lastSpec(orbiset: KubeObject, last: LastOrbiset | undefined): OrbisetSpec | undefined {
  if (last === undefined || last.uid !== orbiset.metadata.uid) return undefined;
  const { vault, ...rest } = last.document.spec;
  return vault === undefined ? rest : { ...rest, vault: narrowVault(vault, specOf(orbiset)['vault']) };
}

/**
 * The spec that decides on runs: this generation's, else the last valid one of the same object. Suspension and policies
 * are always those of this generation. A right on a secret needs both: taking it away counts at once.
 * @param last the last valid spec, from memory or from the ledger
 * @returns undefined: no generation was ever valid
 */
export function specToRun(orbiset: KubeObject, last: LastOrbiset | undefined): OrbisetSettings | undefined {
  const spec = checkedSpec(orbiset, orbiset.spec);
  if (spec !== undefined) return { spec, isValid: true, hasUnreadablePolicies: false };
  const usable = lastSpec(orbiset, last) ?? specWithoutPolicies(orbiset);
  if (usable === undefined) return undefined;
  const policies = policiesOf(orbiset.spec);
  const { policies: _, ...rest } = usable;
  return {
    spec: { ...rest, suspended: suspends(orbiset.spec), ...(policies === undefined ? {} : { policies }) },
    isValid: false,
    hasUnreadablePolicies: policies === undefined,
  };
}
