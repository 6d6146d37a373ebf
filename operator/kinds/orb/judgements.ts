import type { JudgedManifest } from '../../../core/orb/plan-manifest.ts';
import { keyOf, type KubeObject } from '../../../core/reconcile/kube-object.ts';

/** Cached verdicts on manifests: a generation is compiled once, not at each reconcile and tick. */
export interface Judgements {
  readonly of: (orb: KubeObject) => JudgedManifest;
  /** Forgets a deleted Orb. */
  readonly forget: (key: string) => void;
}

interface Entry {
  readonly version: string;
  readonly verdict: JudgedManifest;
}

/** Cache key: a generation of an object. An object without generation is judged each time. */
function versionOf({ metadata: { uid, generation } }: KubeObject): string | undefined {
  return uid === undefined || generation === undefined ? undefined : `${uid} ${generation}`;
}

/** @param judge compiles and checks one manifest */
export function createJudgements(judge: (orb: KubeObject) => JudgedManifest): Judgements {
  const entries = new Map<string, Entry>();
  const of = (orb: KubeObject): JudgedManifest => {
    const version = versionOf(orb);
    const key = keyOf(orb.metadata);
    const known = entries.get(key);
    if (known !== undefined && known.version === version) return known.verdict;
    const verdict = judge(orb);
    if (version !== undefined) entries.set(key, { version, verdict });
    return verdict;
  };
  return { of, forget: (key) => void entries.delete(key) };
}
