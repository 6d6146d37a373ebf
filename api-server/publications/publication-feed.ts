import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import { createController, type Controller } from '../../adapters/kube/controller.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { RuntimeMetrics } from '../../adapters/kube/kube-metrics.ts';
import { createOwnWrites } from '../../adapters/kube/own-writes.ts';
import type { Change, KubeClient, Reflector } from '../../adapters/kube/port.ts';
import type { Reflect } from '../../adapters/kube/reflect.ts';
import { createStatusWriter } from '../../adapters/kube/status-writer.ts';
import { createWorkQueue } from '../../adapters/kube/work-queue.ts';
import type { LedgerLease } from '../../adapters/ledger/ledger-lease.ts';
import { duplicatesOf, PUBLICATION_INDEXES, publishedId } from '../../core/publication/publication-holder.ts';
import { withoutReports } from '../../core/publication/stored-publication.ts';
import { keyOf, type KubeObject } from '../../core/reconcile/kube-object.ts';
import { orgOf } from '../../core/reputation/line.ts';
import type { Platform } from '../process/platform.ts';
import type { ListingChange } from '../reputation/listings.ts';
import { PipelineResults } from './pipeline-results.ts';
import { createPublicationReporter } from './publication-reporter.ts';
import { createPublicationViews } from './publication-views.ts';

export interface PublicationFeedDeps {
  readonly platform: Pick<Platform, 'clock' | 'log' | 'ledger' | 'catalog' | 'exceptions' | 'reputation' | 'logHead'>;
  readonly client: Pick<KubeClient, 'get' | 'apply' | 'create'>;
  readonly metrics: RuntimeMetrics;
  readonly reflect: Reflect;
  /** [0, 1) */
  readonly random: () => number;
  /** The lease of those who write statuses. */
  readonly lease: Pick<LedgerLease, 'assertLeading'>;
  /** Resolves when every Orb is known. */
  readonly orbsKnown: Promise<void>;
  /** Called for every change of a publication. Must not wait. */
  readonly onChange: (change: Change) => void;
}

/** OrbPublications and what is published, kept equal. */
export interface PublicationFeed {
  readonly reflector: Reflector;
  /** Publishes, reports and makes views while this process holds the lease. Never rejects. */
  readonly lead: (scope: AbortSignal) => Promise<void>;
}

/** Each publishes with the tests of its suites, and may wait for a first evaluation. */
const WORKERS = 4;

type Watched = Pick<MemoryCatalog, 'watch'>;

/** Enqueues the publications that a change of Orbs or of what is published concerns. */
function followFacts(
  { catalog, reputation }: { readonly catalog: Watched; readonly reputation: Platform['reputation'] },
  { store }: Pick<Reflector, 'store'>,
  add: (publication: KubeObject) => void,
): void {
  const { listings } = reputation;
  const addOf = (namespace: string, orbId: string): void => {
    for (const publication of store.byIndex('orb', `${namespace}/${orbId}`)) add(publication);
  };
  catalog.watch(addOf);
  listings.watch(({ orbs, orgs }: ListingChange) => {
    for (const orbId of orbs) addOf(listings.orb(orbId)?.namespace ?? '', orbId);
    if (orgs.size === 0) return;
    for (const publication of store.list()) if (orgs.has(orgOf(publishedId(publication) ?? ''))) add(publication);
  });
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Makes the feed. Nothing is read before its reflector runs, and nothing is written outside of `lead`. */
export function createPublicationFeed(deps: PublicationFeedDeps): PublicationFeed {
  const { platform, client, metrics, random, lease, orbsKnown } = deps;
  const { clock, log, ledger, catalog, exceptions, reputation, logHead } = platform;
  const { logger } = log;
  const { listings } = reputation;
  const reports = createWorkQueue({ name: 'publication-report', clock, metrics });
  const views = createWorkQueue({ name: 'publication-view', clock, metrics });
  const add = ({ metadata }: KubeObject): void => reports.add(keyOf(metadata));
  const reflector: Reflector = deps.reflect({
    kind: KINDS.orbpublication,
    transform: withoutReports,
    indexes: PUBLICATION_INDEXES,
    onChange: (change) => {
      deps.onChange(change);
      reports.add(change.key, { lane: change.initial ? 'low' : 'high' });
      for (const side of [change.before, change.after])
        if (side !== undefined && (change.before === undefined || change.after === undefined))
          duplicatesOf(side, reflector.store).forEach(add);
    },
  });
  const { store } = reflector;
  followFacts({ catalog, reputation }, reflector, add);
  listings.watch(({ orbs }) => {
    for (const orbId of orbs) if (listings.lacksView(orbId)) views.add(orbId);
  });
  const shared = { kind: 'OrbPublication', clock, random, logger, metrics, workers: WORKERS };
  const writes = createOwnWrites({ client, kind: KINDS.orbpublication, store, clock });
  const reporter: Controller = createController({
    ...shared,
    name: 'publication-report',
    queue: reports,
    reconcile: createPublicationReporter({
      results: new PipelineResults({ client, reputation }),
      reputation,
      catalog,
      store,
      writes,
      writer: createStatusWriter({ client, assertLeading: lease.assertLeading }),
      clock,
      allowedOrigins: exceptions.map(({ origin }) => origin),
    }),
    writes: [writes],
    keys: () => store.list().map(({ metadata }) => keyOf(metadata)),
  });
  const viewer: Controller = createController({
    ...shared,
    name: 'publication-view',
    queue: views,
    reconcile: createPublicationViews({ client, ledger, listings, store, assertLeading: lease.assertLeading }),
    keys: () => listings.withoutView(),
  });
  const lead = async (scope: AbortSignal): Promise<void> => {
    const mayLog = await logHead.ready(scope);
    await Promise.race([Promise.all([reflector.synced, orbsKnown]), aborted(scope)]);
    if (mayLog && !scope.aborted) await Promise.all([reporter.run(scope), viewer.run(scope)]);
  };
  return { reflector, lead };
}
