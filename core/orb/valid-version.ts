import { isDigest, type Digest } from '../json/digest.ts';
import { isJsonObject } from '../json/json-value.ts';
import { parseOrbId, type OrbId } from '../manifest/orb-id.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { generationOf, statusOf } from '../reconcile/read-object.ts';

/**
 * The last valid version of an Orb as `status.lastValid` holds it, whether it runs or not. After a broken edit,
 * operator and API continue with it, also after a restart of both (design.md §2).
 */
export interface ValidVersion {
  readonly digest: Digest;
  readonly orbId: OrbId;
  /** Names that have an execution, 1 to 17. The provider that is used without a pin comes first. */
  readonly providers: readonly string[];
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** @returns undefined when there never was a valid version, or when the status can't be read (security.md S29) */
export function validVersionOf(orb: KubeObject): ValidVersion | undefined {
  const { lastValid } = statusOf(orb);
  if (!isJsonObject(lastValid)) return undefined;
  const { digest, orbId, providers } = lastValid;
  const id = parseOrbId(isText(orbId) ? orbId : '');
  if (!isText(digest) || !isDigest(digest) || !id.ok || !Array.isArray(providers)) return undefined;
  return { digest, orbId: id.value, providers: providers.filter(isText) };
}

/** Whether the operator has judged this generation. If so, `validVersionOf` is its result. */
export const isJudged = (orb: KubeObject): boolean => statusOf(orb)['observedGeneration'] === generationOf(orb);
