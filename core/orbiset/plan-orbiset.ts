import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { checkDocument } from '../manifest/documents.ts';
import { withTransitions, type WantedCondition } from '../reconcile/conditions.ts';
import { explainFindings } from '../reconcile/explain-findings.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import type { Plan } from '../reconcile/plan.ts';
import { conditionOf, conditionsOf, generationOf, handledReconcileAt, specOf } from '../reconcile/read-object.ts';
import { changeEvent, conditionsFor, outcomeOf, type Verdict } from '../reconcile/verdict.ts';
import {
  bindingCommand,
  bindsTheApi,
  hasWantedContent,
  isForeign,
  VAULT_READER,
  type ApiIdentity,
  type VaultMode,
} from './vault-reader.ts';

/** Inputs for the status of an Orbiset. */
export interface OrbisetSnapshot extends ApiIdentity {
  readonly orbiset: KubeObject;
  readonly mode: VaultMode;
  /** RoleBindings of the namespace: the one named `orb-vault-reader`. With mode `tenant`: all that name the API. */
  readonly bindings: readonly KubeObject[];
  /** Entries of `spec.orbs` that exist neither in this namespace nor in the platform's. */
  readonly unknownOrbs: readonly string[];
}

type Check = (snapshot: OrbisetSnapshot) => Verdict | undefined;

const plain = (spec: unknown): JsonValue => (isJsonObject(spec) ? spec : {});

/** Checks the same schema as `kubectl apply`, for objects stored before the schema existed. */
const specIsInvalid: Check = ({ orbiset }) => {
  const { namespace = 'default', name } = orbiset.metadata;
  const envelope = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orbiset', metadata: { name, namespace } };
  const checked = checkDocument({ ...envelope, spec: plain(orbiset.spec) });
  if (checked.ok && isJsonObject(orbiset.spec)) return undefined;
  const message = checked.ok ? 'spec: Write one; {} is enough.' : explainFindings(checked.findings, '');
  return { kind: 'stalled', reason: 'SpecInvalid', message };
};

/** A person suspended the Orbiset. Nothing else matters while that holds. */
const isSuspended: Check = ({ orbiset }) =>
  specOf(orbiset)['suspended'] === true
    ? { kind: 'unready', reason: 'Suspended', message: 'spec.suspended is true: runs are refused until it is false.' }
    : undefined;

function hasBoundSecrets(orbiset: KubeObject): boolean {
  const { vault } = specOf(orbiset);
  const secrets = isJsonObject(vault) ? vault['secrets'] : undefined;
  return Array.isArray(secrets) && secrets.length > 0;
}

/** With `rbac.vault=tenant` only the tenant creates the RoleBinding. */
const tenantBindingIsMissing: Check = (snapshot) => {
  const { orbiset, mode, bindings, platformNamespace, apiAccount } = snapshot;
  if (mode !== 'tenant' || !hasBoundSecrets(orbiset)) return undefined;
  if (bindings.some((binding) => bindsTheApi(binding, snapshot))) return undefined;
  const { namespace = '' } = orbiset.metadata;
  const message = `The namespace ${namespace} has no RoleBinding that lets the ServiceAccount ${apiAccount} of ${platformNamespace} get, list and watch the Secrets of the vault. Create one: ${bindingCommand(namespace, snapshot)}`;
  return { kind: 'unready', reason: 'RoleBindingMissing', message };
};

/** Another writer's RoleBinding has the name that ours needs. */
const bindingIsForeign: Check = (snapshot) => {
  const { orbiset, mode, bindings, platformNamespace, apiAccount } = snapshot;
  const [binding] = bindings;
  if (mode !== 'operator' || binding === undefined || !isForeign(binding, snapshot)) return undefined;
  const { namespace = '' } = orbiset.metadata;
  const message = `The RoleBinding ${VAULT_READER} of the namespace ${namespace} grants something else than the ClusterRole ${VAULT_READER} to the ServiceAccount ${apiAccount} of ${platformNamespace}. Delete it, and the operator creates the right one: kubectl -n ${namespace} delete rolebinding ${VAULT_READER}`;
  return { kind: 'unready', reason: 'RoleBindingForeign', message };
};

/** The operator creates it within moments; until then the API can read nothing. */
const bindingIsOutstanding: Check = (snapshot) =>
  snapshot.mode === 'operator' && !snapshot.bindings.some((binding) => hasWantedContent(binding, snapshot))
    ? {
        kind: 'awaiting',
        ready: 'Unknown',
        reason: 'AwaitingVaultReport',
        message: `The RoleBinding ${VAULT_READER} does not exist yet.`,
      }
    : undefined;

/** A RoleBinding of that name with too few rights blocks the creation of a sufficient one. */
function widerBinding(snapshot: OrbisetSnapshot): string {
  const { orbiset, bindings, platformNamespace, apiAccount } = snapshot;
  const { namespace = '' } = orbiset.metadata;
  const isTaken = bindings.some(({ metadata }) => metadata.name === VAULT_READER);
  const removal = isTaken ? `kubectl -n ${namespace} delete rolebinding ${VAULT_READER}; ` : '';
  return `The RoleBindings of the namespace ${namespace} do not let the ServiceAccount ${apiAccount} of ${platformNamespace} get, list and watch every Secret of the vault; VaultReady says which. Widen the Role, or bind a wider one: ${removal}${bindingCommand(namespace, snapshot)}`;
}

/** Only the API can see what a Secret holds. Its report on another generation does not count. */
const vaultIsNotReady: Check = (snapshot) => {
  const { orbiset, mode } = snapshot;
  const report = conditionOf(orbiset, 'VaultReady');
  const isCurrent = report !== undefined && report.observedGeneration === generationOf(orbiset);
  if (!isCurrent || report.status === 'Unknown') {
    const message = 'The API has not reported yet whether the vault is complete.';
    return { kind: 'awaiting', ready: 'Unknown', reason: 'AwaitingVaultReport', message };
  }
  // Our RoleBinding exists (checked before), so the API looked too early and will look again.
  if (mode === 'operator' && report.reason === 'Forbidden') {
    const message = `The API could not read the Secrets yet, and tries again: the RoleBinding ${VAULT_READER} exists.`;
    return { kind: 'awaiting', ready: 'Unknown', reason: 'AwaitingVaultReport', message };
  }
  if (report.status === 'True') return undefined;
  const message = report.reason === 'Forbidden' ? widerBinding(snapshot) : report.message;
  return { kind: 'unready', reason: 'VaultIncomplete', message };
};

/** The first violation wins: first what a person wrote in this object, then what others must add. */
const checks: readonly Check[] = [
  specIsInvalid,
  isSuspended,
  tenantBindingIsMissing,
  bindingIsForeign,
  bindingIsOutstanding,
  vaultIsNotReady,
];

function verdictOf(snapshot: OrbisetSnapshot): Verdict {
  for (const check of checks) {
    const found = check(snapshot);
    if (found !== undefined) return found;
  }
  return { kind: 'ready', reason: 'Ready', message: 'Runs are accepted.' };
}

const MAX_NAMED = 10;
// An id has up to 253 characters, and a message is at most 1 KiB (security.md S10).
const MAX_NAMED_LENGTH = 700;

/** As many names as fit, at least one. */
function someOf(names: readonly string[]): string {
  const fitting = names
    .toSorted()
    .slice(0, MAX_NAMED)
    .filter((_, index, all) => index === 0 || all.slice(0, index + 1).join(', ').length <= MAX_NAMED_LENGTH);
  const more = names.length - fitting.length;
  return `${fitting.join(', ').slice(0, MAX_NAMED_LENGTH)}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A listed Orb that does not exist does not stop the others. Absent when nothing is listed. */
function orbsResolved({ orbiset, unknownOrbs, platformNamespace }: OrbisetSnapshot): readonly WantedCondition[] {
  const { orbs } = specOf(orbiset);
  if (!Array.isArray(orbs) || orbs.length === 0) return [];
  if (unknownOrbs.length === 0) {
    const message = 'Every Orb of spec.orbs exists.';
    return [{ type: 'OrbsResolved', status: 'True', reason: 'AllResolved', message }];
  }
  const message = `spec.orbs: Apply the Orb in the namespace ${platformNamespace}, or remove the entry. Missing: ${someOf(unknownOrbs)}.`;
  return [{ type: 'OrbsResolved', status: 'False', reason: 'OrbUnknown', message }];
}

/**
 * Status of an Orbiset as the manager `orb-operator` owns it (security.md §6.1). `Ready` is derived from the API's
 * `VaultReady`, the RoleBinding and the spec.
 * @param now ms since epoch
 */
export function planOrbiset(snapshot: OrbisetSnapshot, now: number): Plan {
  const { orbiset } = snapshot;
  const verdict = verdictOf(snapshot);
  const before = conditionsOf(orbiset);
  const generation = generationOf(orbiset);
  const kstatus = conditionsFor(verdict);
  const resolved = orbsResolved(snapshot);
  const isWarning = verdict.kind === 'unready' || verdict.kind === 'stalled';
  const isQuiet = verdict.kind === 'awaiting';
  const events = [
    ...kstatus
      .filter(({ type }) => type === 'Ready' && !isQuiet)
      .flatMap((condition) => changeEvent(before, condition, { action: 'Admit', warning: isWarning })),
    ...resolved
      .filter(({ status }) => status === 'False')
      .flatMap((condition) => changeEvent(before, condition, { action: 'ResolveOrbs', warning: true })),
  ];
  return {
    status: {
      observedGeneration: generation,
      ...handledReconcileAt(orbiset),
      conditions: withTransitions([...kstatus, ...resolved], before, { generation, now }),
    },
    events,
    outcome: outcomeOf(verdict),
  };
}
