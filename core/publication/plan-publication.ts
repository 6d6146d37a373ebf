import { isJsonObject } from '../json/json-value.ts';
import { checkSchema } from '../manifest/check-schema.ts';
import { judgePublished } from '../orb/plan-manifest.ts';
import { withTransitions } from '../reconcile/conditions.ts';
import { readyEvents } from '../reconcile/finding-events.ts';
import { explainFindings, findingLines } from '../reconcile/explain-findings.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import type { Plan } from '../reconcile/plan.ts';
import { conditionOf, conditionsOf, generationOf, handledReconcileAt, specOf } from '../reconcile/read-object.ts';
import { conditionsFor, outcomeOf, type Verdict } from '../reconcile/verdict.ts';
import { publicationHolder } from './publication-holder.ts';
import { checkedSpec } from './stored-publication.ts';

/** Inputs for the status of a publication. */
export interface PublicationSnapshot {
  readonly publication: KubeObject;
  /** Publications of the same namespace and `orb_id`; the publication itself may be among them. */
  readonly duplicates: readonly KubeObject[];
  /** Origins that pass the host lints. */
  readonly allowedOrigins: readonly string[];
}

/** Checks the same schema as `kubectl apply`, for objects stored before the schema existed. */
function specIsInvalid(publication: KubeObject): Verdict | undefined {
  if (!isJsonObject(publication.spec)) {
    return { kind: 'stalled', reason: 'SpecInvalid', message: 'spec: Write manifest and test_results.' };
  }
  const { namespace = 'default', name } = publication.metadata;
  const envelope = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPublication', metadata: { name, namespace } };
  const checked = checkSchema('orbpublication', { ...envelope, spec: checkedSpec(publication) });
  if (checked.ok) return undefined;
  return {
    kind: 'stalled',
    reason: 'SpecInvalid',
    message: explainFindings(checked.findings, ''),
    lines: findingLines(checked.findings, ''),
  };
}

type JudgedManifest = ReturnType<typeof judgePublished>;

function faultOf(snapshot: PublicationSnapshot, manifest: JudgedManifest): Verdict | undefined {
  const spec = specIsInvalid(snapshot.publication);
  if (spec !== undefined) return spec;
  if (manifest.kind === 'invalid') {
    const { reason, message, faultLines: lines } = manifest;
    return { kind: 'stalled', reason, message, lines };
  }
  const holder = publicationHolder(snapshot.publication, snapshot.duplicates);
  if (holder === undefined) return undefined;
  const message = `The older publication ${holder.metadata.name} has this orb_id: delete one of the two.`;
  return { kind: 'stalled', reason: 'OrbIdConflict', message };
}

/** Whether the publishing pipeline may take a publication: what it can't see of it has no fault. */
export function mayBePublished(snapshot: PublicationSnapshot): boolean {
  const manifest = judgePublished(snapshot.publication, snapshot.allowedOrigins);
  const fault = faultOf(snapshot, manifest);
  return fault === undefined || fault.reason === 'ManifestInvalid';
}

const isSuspended = (publication: KubeObject): boolean => specOf(publication)['suspended'] === true;

/** Reasons of `Published=False` that end without a change of the object, when its organisation changes. */
const WAITS_FOR_ORG: ReadonlySet<string> = new Set(['NamespaceNotOwned', 'NamespaceUnverified']);

/** Reason of `Published=False` while the ledger gives no answer. */
export const LEDGER_AWAY = 'LedgerUnavailable';

/** What follows from the result of the publishing pipeline. */
function evaluated(publication: KubeObject): Verdict {
  const published = conditionOf(publication, 'Published');
  if (published?.observedGeneration !== generationOf(publication)) {
    const message = 'The publication is valid and waits for its evaluation by the API.';
    return { kind: 'awaiting', ready: 'False', reason: 'AwaitingEvaluation', message };
  }
  const { status, reason, message } = published;
  if (status === 'True') return { kind: 'ready', reason: 'Published', message };
  if (reason === LEDGER_AWAY) return { kind: 'awaiting', ready: 'False', reason, message };
  return { kind: WAITS_FOR_ORG.has(reason) ? 'unready' : 'stalled', reason, message };
}

function verdictOf(snapshot: PublicationSnapshot, manifest: JudgedManifest): Verdict {
  const fault = faultOf(snapshot, manifest);
  if (fault !== undefined) return fault;
  if (!isSuspended(snapshot.publication)) return evaluated(snapshot.publication);
  const message = 'spec.suspended is true: runs of this version are refused until it is false.';
  return { kind: 'unready', reason: 'Suspended', message };
}

/**
 * Status of a publication as the manager `orb-operator` owns it. Whether it is published is said by the API, in the
 * condition `Published` (trust.md §8). Until there is one of this generation, it is `Ready=False` and `Reconciling=True`:
 * kstatus reads this as *InProgress*, and the message says why.
 * @param now ms since epoch
 */
export function planPublication(snapshot: PublicationSnapshot, now: number): Plan {
  const { publication, allowedOrigins } = snapshot;
  const manifest = judgePublished(publication, allowedOrigins);
  const verdict = verdictOf(snapshot, manifest);
  const before = conditionsOf(publication);
  const generation = generationOf(publication);
  const conditions = conditionsFor(verdict);
  const warning = verdict.kind === 'stalled' || verdict.kind === 'unready';
  return {
    status: {
      observedGeneration: generation,
      ...handledReconcileAt(publication),
      ...(manifest.kind === 'valid' ? { manifestDigest: manifest.digest } : {}),
      conditions: withTransitions(conditions, before, { generation, now }),
    },
    events: readyEvents(publication, verdict, before, { action: 'Evaluate', warning }),
    outcome: outcomeOf(verdict),
  };
}
