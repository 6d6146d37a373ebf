import { isJsonObject } from '../json/json-value.ts';
import { checkSchema } from '../manifest/check-schema.ts';
import { judgePublished } from '../orb/plan-manifest.ts';
import { withTransitions } from '../reconcile/conditions.ts';
import { explainFindings } from '../reconcile/explain-findings.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import type { Plan } from '../reconcile/plan.ts';
import { conditionsOf, generationOf, handledReconcileAt, specOf } from '../reconcile/read-object.ts';
import { changeEvent, conditionsFor, outcomeOf, type Verdict } from '../reconcile/verdict.ts';

/** Inputs for the status of a publication. */
export interface PublicationSnapshot {
  readonly publication: KubeObject;
  /** Origins that pass the host lints. */
  readonly allowedOrigins: readonly string[];
}

/** Checks the same schema as `kubectl apply`, for objects stored before the schema existed. */
function specIsInvalid({ metadata, spec }: KubeObject): Verdict | undefined {
  if (!isJsonObject(spec)) {
    return { kind: 'stalled', reason: 'SpecInvalid', message: 'spec: Write manifest and test_results.' };
  }
  const { namespace = 'default', name } = metadata;
  const envelope = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPublication', metadata: { name, namespace } };
  const checked = checkSchema('orbpublication', { ...envelope, spec });
  if (checked.ok) return undefined;
  return { kind: 'stalled', reason: 'SpecInvalid', message: explainFindings(checked.findings, '') };
}

const isSuspended = (publication: KubeObject): boolean => specOf(publication)['suspended'] === true;

/**
 * Status of a publication as the manager `orb-operator` owns it, up to the evaluation, which other components do. Until
 * then it is `Ready=False` and `Reconciling=True`. kstatus reads this as *InProgress*, and the message says why.
 * @param now ms since epoch
 */
export function planPublication({ publication, allowedOrigins }: PublicationSnapshot, now: number): Plan {
  const manifest = judgePublished(publication, allowedOrigins);
  const verdict = specIsInvalid(publication) ?? judged(publication, manifest);
  const before = conditionsOf(publication);
  const generation = generationOf(publication);
  const conditions = conditionsFor(verdict);
  const warning = verdict.kind !== 'awaiting';
  return {
    status: {
      observedGeneration: generation,
      ...handledReconcileAt(publication),
      ...(manifest.kind === 'valid' ? { manifestDigest: manifest.digest } : {}),
      conditions: withTransitions(conditions, before, { generation, now }),
    },
    events: conditions
      .filter(({ type }) => type === 'Ready')
      .flatMap((condition) => changeEvent(before, condition, { action: 'Evaluate', warning })),
    outcome: outcomeOf(verdict),
  };
}

function judged(publication: KubeObject, manifest: ReturnType<typeof judgePublished>): Verdict {
  if (manifest.kind === 'invalid') return { kind: 'stalled', reason: manifest.reason, message: manifest.message };
  if (isSuspended(publication)) {
    const message = 'spec.suspended is true: runs of this version are refused until it is false.';
    return { kind: 'unready', reason: 'Suspended', message };
  }
  const message =
    'The publication is valid and waits for its evaluation: test_results and test_suites are stored and not evaluated yet.';
  return { kind: 'awaiting', ready: 'False', reason: 'AwaitingEvaluation', message };
}
