import type { ReconcileScope } from '../../adapters/kube/controller.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { OwnWrites } from '../../adapters/kube/own-writes.ts';
import type { Store } from '../../adapters/kube/port.ts';
import type { StatusOwner, StatusWriter } from '../../adapters/kube/status-writer.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { RECEIVING_PART, receivingStatus, type ReceivingFacts } from '../../core/ingestion/source/receiving-status.ts';
import { done, type Outcome } from '../../core/reconcile/outcome.ts';
import { generationOf } from '../../core/reconcile/read-object.ts';
import type { SourceActivities } from './source-activity.ts';
import type { SourceFeed, SourceState } from './source-feed.ts';

/** The part of the status of an OrbSignalSource that the API owns (security.md §6.1). */
export const SOURCE_REPORT = {
  fieldManager: 'orb-api-ingestion',
  ...RECEIVING_PART,
} as const satisfies Partial<StatusOwner>;

export interface SourceReporterDeps {
  readonly sources: Pick<SourceFeed, 'state'>;
  readonly activities: Pick<SourceActivities, 'of'>;
  readonly store: Pick<Store, 'get' | 'offer'>;
  readonly writes: Pick<OwnWrites, 'note'>;
  readonly writer: StatusWriter;
  readonly clock: Pick<Clock, 'now'>;
}

/** @returns undefined while no answer about its secrets has come */
function unusableOf({ unusable }: SourceState): Pick<ReceivingFacts, 'unusable'> | undefined {
  if (unusable === undefined) return { unusable };
  const { fault, ...named } = unusable;
  return fault === 'unread' ? undefined : { unusable: { ...named, fault } };
}

/**
 * Writes what receives of a source, and what came, into its status (security.md §6.1). Its controller must run in only
 * one replica. A report about another generation is skipped, because the next one follows soon.
 */
export function createSourceReporter({
  sources,
  activities,
  store,
  writes,
  writer,
  clock,
}: SourceReporterDeps): (key: string, scope: Pick<ReconcileScope, 'signal'>) => Promise<Outcome> {
  const owner: StatusOwner = { ...SOURCE_REPORT, kind: KINDS.orbsignalsource, store, writes };
  return async (key, { signal }) => {
    const object = store.get(key);
    if (object === undefined) return done;
    const { name, namespace = '', uid } = object.metadata;
    const state = sources.state(namespace, name);
    if (state?.uid !== uid || state?.generation !== generationOf(object)) return done;
    const found = unusableOf(state);
    if (found === undefined) return done;
    const facts = { source: state.source, activity: activities.of(key), ...found };
    await writer.write(owner, object, receivingStatus(object, facts, clock.now()), signal);
    return done;
  };
}
