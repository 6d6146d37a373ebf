import type { ReconcileScope } from '../../adapters/kube/controller.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { OwnWrites } from '../../adapters/kube/own-writes.ts';
import type { Store } from '../../adapters/kube/port.ts';
import type { StatusOwner, StatusWriter } from '../../adapters/kube/status-writer.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { VaultReport } from '../../core/orb/compile-orbiset.ts';
import { vaultStatus } from '../../core/orb/vault-status.ts';
import { withTransitions } from '../../core/reconcile/conditions.ts';
import { done, type Outcome } from '../../core/reconcile/outcome.ts';
import { conditionsOf, generationOf } from '../../core/reconcile/read-object.ts';

/** The result for the vault of one generation of an Orbiset. */
export interface OrbisetReport {
  readonly uid: string;
  readonly generation: number;
  readonly report: VaultReport;
}

export interface VaultReporterDeps {
  readonly feed: { readonly report: (key: string) => OrbisetReport | undefined };
  readonly store: Pick<Store, 'get' | 'offer'>;
  readonly writes: Pick<OwnWrites, 'note'>;
  readonly writer: StatusWriter;
  readonly clock: Pick<Clock, 'now'>;
}

const CONDITIONS = ['VaultReady', 'TrailingNewline', 'UnscrubbableSecret'];

/**
 * Writes the state of a vault into the status of its Orbiset (security.md §6.1). Its controller must run in only one
 * replica. A report about another generation is skipped, because the next report follows soon.
 */
export function createVaultReporter({
  feed,
  store,
  writes,
  writer,
  clock,
}: VaultReporterDeps): (key: string, scope: Pick<ReconcileScope, 'signal'>) => Promise<Outcome> {
  const owner: StatusOwner = {
    kind: KINDS.orbiset,
    fieldManager: 'orb-api-vault',
    members: ['vault'],
    conditions: CONDITIONS,
    store,
    writes,
  };
  return async (key, { signal }) => {
    const orbiset = store.get(key);
    const told = feed.report(key);
    if (orbiset === undefined || told === undefined) return done;
    const generation = generationOf(orbiset);
    if (told.uid !== orbiset.metadata.uid || told.generation !== generation) return done;
    const { vault, conditions } = vaultStatus(told.report, { namespace: orbiset.metadata.namespace ?? '' });
    const stamped = withTransitions(conditions, conditionsOf(orbiset), { generation, now: clock.now() });
    await writer.write(owner, orbiset, { vault, conditions: stamped }, signal);
    return done;
  };
}
