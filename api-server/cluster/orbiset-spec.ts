import type { LastOrbiset } from '../../adapters/catalog/last-orbisets.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { checkDocument } from '../../core/manifest/documents.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { OrbisetSpec } from '../../crds/orbiset.ts';

/** What an Orbiset asks for. */
export interface ReadSpec {
  readonly spec: OrbisetSpec;
  /** This very generation is valid; false: it is the last valid one. */
  readonly isValid: boolean;
}

/**
 * Whether a spec suspends, in whatever shape it is stored. What can't be understood suspends: a kill switch that was meant
 * must hold (security.md S30).
 */
function suspends(spec: unknown): boolean {
  if (!isJsonObject(spec)) return true;
  const { suspended } = spec;
  return suspended !== undefined && suspended !== false;
}

/** @returns undefined: this generation is not valid */
function checkedSpec({ metadata, spec, unsafeIntegers = [] }: KubeObject): OrbisetSpec | undefined {
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

/**
 * The spec to run by: this generation's, else the last valid one of the same object, with this generation's suspension.
 * @param last what was valid before, in memory or in the ledger
 * @returns undefined: there never was a valid one
 */
export function specToRun(orbiset: KubeObject, last: LastOrbiset | undefined): ReadSpec | undefined {
  const spec = checkedSpec(orbiset);
  if (spec !== undefined) return { spec, isValid: true };
  if (last === undefined || last.uid !== orbiset.metadata.uid) return undefined;
  return { spec: { ...last.document.spec, suspended: suspends(orbiset.spec) }, isValid: false };
}
