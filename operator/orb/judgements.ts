import { judgeManifest, type JudgedManifest } from '../../core/orb/plan-manifest.ts';
import { keyOf, type KubeObject } from '../../core/reconcile/kube-object.ts';

/** Verdicts on manifests, so that a generation is compiled once and not with every look of two controllers. */
export interface Judgements {
  readonly of: (orb: KubeObject) => JudgedManifest;
  /** The Orb is gone. */
  readonly forget: (key: string) => void;
}

interface Entry {
  readonly version: string;
  readonly verdict: JudgedManifest;
}

/** A generation of an object; one without is judged each time. */
function versionOf({ metadata: { uid, generation } }: KubeObject): string | undefined {
  return uid === undefined || generation === undefined ? undefined : `${uid} ${generation}`;
}

export function createJudgements(allowedOrigins: readonly string[]): Judgements {
  const entries = new Map<string, Entry>();
  const of = (orb: KubeObject): JudgedManifest => {
    const version = versionOf(orb);
    const key = keyOf(orb.metadata);
    const known = entries.get(key);
    if (known !== undefined && known.version === version) return known.verdict;
    const verdict = judgeManifest(orb, allowedOrigins);
    if (version !== undefined) entries.set(key, { version, verdict });
    return verdict;
  };
  return { of, forget: (key) => void entries.delete(key) };
}
