import type { ReconcileScope } from '../../adapters/kube/controller.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { OwnWrites } from '../../adapters/kube/own-writes.ts';
import type { Store } from '../../adapters/kube/port.ts';
import type { StatusOwner, StatusWriter } from '../../adapters/kube/status-writer.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { VaultReport } from '../../core/orb/compile-orbiset.ts';
import { SECRET_IN_URL, vaultStatus, type EntryInUrl } from '../../core/orb/vault-status.ts';
import { withTransitions } from '../../core/reconcile/conditions.ts';
import { done, type Outcome } from '../../core/reconcile/outcome.ts';
import { conditionsOf, generationOf } from '../../core/reconcile/read-object.ts';
import type { VaultReach } from './url-secret-index.ts';

/** The result for the vault of one generation of an Orbiset. */
export interface OrbisetReport extends VaultReach {
  readonly uid: string;
  readonly generation: number;
  readonly report: VaultReport;
}

export interface VaultReporterDeps {
  readonly feed: { readonly report: (key: string) => OrbisetReport | undefined };
  /** Entries that URLs carry; undefined: not every Orb is known yet. @param key `namespace/name` */
  readonly inUrls: (key: string, reach: VaultReach) => readonly EntryInUrl[] | undefined;
  readonly store: Pick<Store, 'get' | 'offer'>;
  readonly writes: Pick<OwnWrites, 'note'>;
  readonly writer: StatusWriter;
  readonly clock: Pick<Clock, 'now'>;
}

/** The part of an Orbiset's status that the API owns (security.md §6.1). */
export const VAULT_REPORT = {
  fieldManager: 'orb-api-vault',
  members: ['vault'],
  conditions: ['VaultReady', 'TrailingNewline', 'UnscrubbableSecret', SECRET_IN_URL],
} as const satisfies Partial<StatusOwner>;

/**
 * Writes the state of a vault into the status of its Orbiset (security.md §6.1). Its controller must run in only one
 * replica. A report about another generation is skipped, because the next report follows soon. `SecretInUrl` stays as it
 * is until every Orb is known, so that a start does not remove it for a moment.
 */
export function createVaultReporter({
  feed,
  inUrls,
  store,
  writes,
  writer,
  clock,
}: VaultReporterDeps): (key: string, scope: Pick<ReconcileScope, 'signal'>) => Promise<Outcome> {
  const owner: StatusOwner = { ...VAULT_REPORT, kind: KINDS.orbiset, store, writes };
  return async (key, { signal }) => {
    const orbiset = store.get(key);
    const known = feed.report(key);
    if (orbiset === undefined || known === undefined) return done;
    const generation = generationOf(orbiset);
    if (known.uid !== orbiset.metadata.uid || known.generation !== generation) return done;
    const found = inUrls(key, known);
    const before = conditionsOf(orbiset);
    const place = { namespace: orbiset.metadata.namespace ?? '' };
    const { vault, conditions } = vaultStatus(known.report, found ?? [], place);
    const stamped = withTransitions(conditions, before, { generation, now: clock.now() });
    const kept = found === undefined ? before.filter(({ type }) => type === SECRET_IN_URL) : [];
    await writer.write(owner, orbiset, { vault, conditions: [...stamped, ...kept] }, signal);
    return done;
  };
}
