import type { JsonObject } from '../../json/json-value.ts';
import { withTransitions } from '../../reconcile/conditions.ts';
import type { KubeObject } from '../../reconcile/kube-object.ts';
import type { Plan } from '../../reconcile/plan.ts';
import { conditionOf, conditionsOf, generationOf, handledReconcileAt } from '../../reconcile/read-object.ts';
import { readyEvents } from '../../reconcile/finding-events.ts';
import { conditionsFor, outcomeOf, type Verdict } from '../../reconcile/verdict.ts';
import { judgeSource } from './judge-source.ts';

/** What the API says about the secrets of this generation; what it said about another one does not count. */
function secretsVerdict(source: KubeObject): Verdict {
  const report = conditionOf(source, 'SecretsReadable');
  if (report?.observedGeneration !== generationOf(source))
    return {
      kind: 'awaiting',
      ready: 'Unknown',
      reason: 'Pending',
      message: 'No API process has taken this version over yet.',
    };
  return report.status === 'True'
    ? { kind: 'ready', reason: 'Accepted', message: 'It receives at status.urlPath.' }
    : { kind: 'unready', reason: 'SecretUnusable', message: report.message };
}

function verdictOf(source: KubeObject, platformNamespace: string): Verdict {
  const judged = judgeSource(source, platformNamespace);
  if (judged.kind === 'refused')
    return { kind: 'stalled', reason: judged.reason, message: judged.message, lines: judged.lines };
  return judged.source.mode === 'Disabled'
    ? { kind: 'unready', reason: 'Disabled', message: 'spec.mode is Disabled: deliveries are refused.' }
    : secretsVerdict(source);
}

/**
 * Status of a source as the manager `orb-operator` owns it: whether this generation is valid. What receives is decided
 * by the API, from the same function and the ledger.
 * @param now ms since the epoch
 */
export function planSource(
  source: KubeObject,
  { platformNamespace, now }: { readonly platformNamespace: string; readonly now: number },
): Plan {
  const verdict = verdictOf(source, platformNamespace);
  const wanted = conditionsFor(verdict);
  const before = conditionsOf(source);
  const generation = generationOf(source);
  const status: JsonObject = { observedGeneration: generation, ...handledReconcileAt(source) };
  const isWarning = verdict.kind === 'stalled' || (verdict.kind === 'unready' && verdict.reason !== 'Disabled');
  return {
    status: { ...status, conditions: withTransitions(wanted, before, { generation, now }) },
    events:
      verdict.kind === 'awaiting'
        ? []
        : readyEvents(source, verdict, before, { action: 'Compile', warning: isWarning }),
    outcome: outcomeOf(verdict),
  };
}
