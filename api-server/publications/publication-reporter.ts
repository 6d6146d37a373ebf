import type { ReconcileScope } from '../../adapters/kube/controller.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import { sha256 } from '../../adapters/keys/primitives.ts';
import type { OwnWrites } from '../../adapters/kube/own-writes.ts';
import type { Store } from '../../adapters/kube/port.ts';
import type { StatusOwner, StatusWriter } from '../../adapters/kube/status-writer.ts';
import type { Catalog } from '../../adapters/catalog/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { credentialIn } from '../../core/certificate/read-credential.ts';
import { encodeUtf8 } from '../../core/json/bytes.ts';
import { encodeHex } from '../../core/json/hex.ts';
import { parseOrbId } from '../../core/manifest/orb-id.ts';
import {
  EVALUATION_PART,
  evaluationStatus,
  LEDGER_AWAY_RESULT,
  type PublicationFacts,
} from '../../core/publication/evaluation-status.ts';
import type { ListedOrb } from '../../core/publication/listed-orb.ts';
import { mayBePublished } from '../../core/publication/plan-publication.ts';
import { duplicatesOf, publishedId } from '../../core/publication/publication-holder.ts';
import { done, type Outcome } from '../../core/reconcile/outcome.ts';
import type { Listings } from '../reputation/listings.ts';
import type { ReputationReader } from '../reputation/reputation-reader.ts';
import { ObjectMoved, type PipelineResults } from './pipeline-results.ts';

/** The part of the status of an OrbPublication that the API owns (security.md §6.1). */
export const EVALUATION_REPORT = {
  fieldManager: 'orb-api-reputation',
  ...EVALUATION_PART,
} as const satisfies Partial<StatusOwner>;

export interface PublicationReporterDeps {
  readonly results: Pick<PipelineResults, 'resultOf' | 'forget'>;
  readonly reputation: {
    readonly listings: Pick<Listings, 'orb'>;
    readonly reader: Pick<ReputationReader, 'certificateOf'>;
  };
  readonly catalog: Pick<Catalog, 'orb'>;
  readonly store: Pick<Store, 'get' | 'byIndex' | 'offer'>;
  readonly writes: Pick<OwnWrites, 'note'>;
  readonly writer: StatusWriter;
  readonly clock: Pick<Clock, 'now'>;
  readonly allowedOrigins: readonly string[];
}

/** Time until the pipeline is asked again while the ledger is away, ms. */
const LEDGER_AWAY_MS = 5000;
/** Time in which a newer version of an object reaches the cache, ms. */
const MOVED_MS = 100;

/** A version that was taken off has none in force, also until the next evaluation revokes it. */
async function certificateOf(
  { reader }: Pick<PublicationReporterDeps['reputation'], 'reader'>,
  { orbId, status, isSuspended }: ListedOrb,
): Promise<PublicationFacts['certificate']> {
  if (status === 'yanked' || isSuspended) return undefined;
  const issued = await reader.certificateOf(orbId);
  const credential = issued === undefined || issued.revoked ? undefined : credentialIn(issued.jwt);
  if (issued === undefined || credential === undefined) return undefined;
  return { sha256: encodeHex(sha256(encodeUtf8(issued.jwt))), validUntil: credential.validUntil };
}

function hasOrb({ catalog }: Pick<PublicationReporterDeps, 'catalog'>, orb: ListedOrb): boolean {
  const id = parseOrbId(orb.orbId);
  return id.ok && catalog.orb(orb.namespace, id.value)?.compiled?.digest === orb.manifestDigest;
}

/**
 * Writes what the pipeline and the evaluations say of a publication into its status (trust.md §8). Its controller must
 * run in only one replica, from when every Orb is known.
 */
export function createPublicationReporter(
  deps: PublicationReporterDeps,
): (key: string, scope: Pick<ReconcileScope, 'signal'>) => Promise<Outcome> {
  const { results, reputation, store, writes, writer, clock, allowedOrigins } = deps;
  const owner: StatusOwner = { ...EVALUATION_REPORT, kind: KINDS.orbpublication, store, writes };

  const factsOf = async (
    publication: NonNullable<ReturnType<Store['get']>>,
    signal: AbortSignal,
  ): Promise<PublicationFacts> => {
    const result = await results.resultOf(publication, signal);
    const orb = result.isPublished ? reputation.listings.orb(publishedId(publication) ?? '') : undefined;
    if (orb === undefined) return { result, orb, certificate: undefined, hasOrb: false };
    return { result, orb, certificate: await certificateOf(reputation, orb), hasOrb: hasOrb(deps, orb) };
  };

  return async (key, { signal }) => {
    const publication = store.get(key);
    if (publication === undefined) {
      results.forget(key);
      return done;
    }
    if (!mayBePublished({ publication, duplicates: duplicatesOf(publication, store), allowedOrigins })) {
      await writer.write(owner, publication, { conditions: [] }, signal);
      return done;
    }
    try {
      const facts = await factsOf(publication, signal);
      await writer.write(owner, publication, evaluationStatus(publication, facts, clock.now()), signal);
      if (facts.result.reason !== LEDGER_AWAY_RESULT.reason) return done;
      return { kind: 'waiting', ms: LEDGER_AWAY_MS, reason: 'the ledger is away' };
    } catch (error) {
      if (!(error instanceof ObjectMoved)) throw error;
      return { kind: 'waiting', ms: MOVED_MS, reason: 'a newer version is on its way' };
    }
  };
}
