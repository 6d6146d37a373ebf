import { KINDS } from '../../adapters/kube/kinds.ts';
import { KubeError, type KubeClient, type Store } from '../../adapters/kube/port.ts';
import type { ReconcileScope } from '../../adapters/kube/controller.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { isDigest } from '../../core/json/digest.ts';
import { parseOrbId } from '../../core/manifest/orb-id.ts';
import { resourceName } from '../../core/manifest/resource-name.ts';
import type { ListedOrb } from '../../core/publication/listed-orb.ts';
import { done, type Outcome } from '../../core/reconcile/outcome.ts';
import type { Listings } from '../reputation/listings.ts';

export interface PublicationViewsDeps {
  readonly client: Pick<KubeClient, 'create'>;
  readonly ledger: Pick<Ledger, 'publicManifest' | 'testReport' | 'markProjected'>;
  readonly listings: Pick<Listings, 'orb' | 'lacksView'>;
  /** With `PUBLICATION_INDEXES`. */
  readonly store: Pick<Store, 'byIndex'>;
  /** Throws when this process may not write. */
  readonly assertLeading: () => void;
}

/** Somebody else made an object of that name: it is left alone. */
const existsAlready = (error: unknown): boolean =>
  error instanceof KubeError && error.status === 409 && error.reason === 'AlreadyExists';

const parsed = (text: string): unknown => JSON.parse(text);

/** @returns undefined: the ledger has no such manifest or report */
async function specOf(
  { ledger }: Pick<PublicationViewsDeps, 'ledger'>,
  { orbId, manifestDigest }: ListedOrb,
): Promise<object | undefined> {
  const manifest = isDigest(manifestDigest) ? await ledger.publicManifest(manifestDigest) : undefined;
  const tests = await ledger.testReport(orbId);
  if (manifest === undefined || tests === undefined) return undefined;
  return {
    manifest: parsed(manifest),
    test_results: parsed(tests.report),
    ...(tests.suites === null ? {} : { test_suites: parsed(tests.suites) }),
  };
}

/**
 * Makes the OrbPublication of a version that was published over HTTP (trust.md §8): once, and again after failures. A
 * version whose publication exists already only gets its mark, so an object that is deleted later stays away.
 */
export function createPublicationViews(
  deps: PublicationViewsDeps,
): (orbId: string, scope: Pick<ReconcileScope, 'signal'>) => Promise<Outcome> {
  const { client, ledger, listings, store, assertLeading } = deps;
  const create = async (orb: ListedOrb, signal: AbortSignal): Promise<void> => {
    const id = parseOrbId(orb.orbId);
    const spec = await specOf(deps, orb);
    if (!id.ok || spec === undefined) return;
    const metadata = { name: resourceName(id.value), namespace: orb.namespace };
    const object = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPublication', metadata, spec };
    assertLeading();
    await client.create(KINDS.orbpublication, object, signal).catch((error: unknown) => {
      if (!existsAlready(error)) throw error;
    });
  };
  return async (orbId, { signal }) => {
    const orb = listings.orb(orbId);
    if (orb === undefined || !listings.lacksView(orbId)) return done;
    if (store.byIndex('orb', `${orb.namespace}/${orbId}`).length === 0) await create(orb, signal);
    await ledger.markProjected(orbId);
    return done;
  };
}
