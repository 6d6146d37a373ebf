import {
  summaryOf,
  type EvaluationTime,
  type EvaluationSummary,
  type ProviderHealth,
} from '../../core/failover/evaluation-summary.ts';
import type { FailoverOutput } from '../../core/failover/types.ts';

interface OrbKey {
  readonly namespace: string;
  readonly orbId: string;
}

/** Metrics of the last evaluation of each Orb, for a process that both evaluates and answers. */
export interface LastEvaluations {
  readonly set: (orb: OrbKey, output: FailoverOutput, at: EvaluationTime) => void;
  /** Breakers and probes are those at the time of the call; undefined before the first evaluation. */
  readonly get: (orb: OrbKey) => EvaluationSummary | undefined;
  readonly remove: (orb: OrbKey) => void;
}

interface Kept {
  readonly output: Pick<FailoverOutput, 'verdict' | 'memory' | 'explain'>;
  readonly at: EvaluationTime;
}

const keyOf = ({ namespace, orbId }: OrbKey): string => `${namespace}/${orbId}`;

/** @param series the metrics of this process */
export function createLastEvaluations(series: {
  readonly health: (namespace: string, orbId: string) => ReadonlyMap<string, ProviderHealth>;
}): LastEvaluations {
  const kept = new Map<string, Kept>();
  return {
    set: (orb, { verdict, memory, explain }, at) =>
      void kept.set(keyOf(orb), { output: { verdict, memory, explain }, at }),
    get: (orb) => {
      const last = kept.get(keyOf(orb));
      if (last === undefined) return undefined;
      return summaryOf(last.output, last.at, Object.fromEntries(series.health(orb.namespace, orb.orbId)));
    },
    remove: (orb) => void kept.delete(keyOf(orb)),
  };
}
