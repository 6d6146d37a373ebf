import { KINDS } from '../../adapters/kube/kinds.ts';
import type { KubeClient } from '../../adapters/kube/port.ts';
import { LedgerError } from '../../adapters/ledger/port.ts';
import {
  LEDGER_AWAY_RESULT,
  publishedResult,
  refusedResult,
  storedResult,
  type PipelineResult,
} from '../../core/publication/evaluation-status.ts';
import { publishedId } from '../../core/publication/publication-holder.ts';
import { publishedDigest } from '../../core/publication/stored-publication.ts';
import { keyOf, type KubeObject } from '../../core/reconcile/kube-object.ts';
import { specOf } from '../../core/reconcile/read-object.ts';
import { orgOf } from '../../core/reputation/line.ts';
import type { Listings } from '../reputation/listings.ts';
import type { Publisher } from '../reputation/publish.ts';
import type { PublishRequest } from '../reputation/publish-request.ts';
import type { Reputation } from '../reputation/reputation.ts';

export interface PipelineResultsDeps {
  readonly client: Pick<KubeClient, 'get'>;
  readonly reputation: Pick<Reputation, 'evaluated'> & {
    readonly listings: Pick<Listings, 'org' | 'orb'>;
    readonly publisher: Pick<Publisher, 'publish'>;
  };
}

/** The cached object is not the newest: its change comes soon. */
export class ObjectMoved extends Error {}

/** What the pipeline last said about a publication, and what decides whether it is asked again. */
interface Said {
  readonly uid: string | undefined;
  /** Of manifest, report and suites. */
  readonly digest: string | undefined;
  readonly result: PipelineResult;
  /** The organisation as it was then. */
  readonly org: unknown;
}

const WAITS_FOR_ORG: ReadonlySet<string> = new Set(['NamespaceNotOwned', 'NamespaceUnverified']);

/**
 * Takes applied publications through the publishing pipeline (trust.md §8): once a generation, and again when its
 * organisation changed, when the ledger was away, or when the ledger does not list what the status says.
 */
export class PipelineResults {
  readonly #deps: PipelineResultsDeps;
  readonly #said = new Map<string, Said>();

  constructor(deps: PipelineResultsDeps) {
    this.#deps = deps;
  }

  /** Drops what is known of a publication that is gone. */
  forget(key: string): void {
    this.#said.delete(key);
  }

  /**
   * @param publication as it is cached
   * @throws ObjectMoved a newer generation is stored already
   * @throws KubeError the object could not be read
   */
  async resultOf(publication: KubeObject, signal: AbortSignal): Promise<PipelineResult> {
    const key = keyOf(publication.metadata);
    const known = this.#known(key, publication);
    if (known !== undefined) return known;
    const org = this.#orgOf(publication);
    const result = await this.#publish(publication, signal);
    this.#said.set(key, { uid: publication.metadata.uid, digest: publishedDigest(publication), result, org });
    return result;
  }

  #known(key: string, publication: KubeObject): PipelineResult | undefined {
    const said = this.#saidOf(key, publication);
    const result = said?.result ?? storedResult(publication);
    if (result === undefined || result.reason === LEDGER_AWAY_RESULT.reason) return undefined;
    const holds = WAITS_FOR_ORG.has(result.reason)
      ? said !== undefined && said.org === this.#orgOf(publication)
      : !result.isPublished || this.#isListed(publication);
    return holds ? result : undefined;
  }

  /** What was said about the same bytes of the same object. */
  #saidOf(key: string, publication: KubeObject): Said | undefined {
    const said = this.#said.get(key);
    const isSame = said?.uid === publication.metadata.uid && said?.digest === publishedDigest(publication);
    return isSame ? said : undefined;
  }

  #orgOf(publication: KubeObject): unknown {
    return this.#deps.reputation.listings.org(orgOf(publishedId(publication) ?? ''));
  }

  #isListed(publication: KubeObject): boolean {
    const orb = this.#deps.reputation.listings.orb(publishedId(publication) ?? '');
    return orb !== undefined && orb.namespace === publication.metadata.namespace;
  }

  async #publish(publication: KubeObject, signal: AbortSignal): Promise<PipelineResult> {
    const { publisher, evaluated } = this.#deps.reputation;
    const request = await this.#request(publication, signal);
    try {
      const result = await publisher.publish(request);
      if (result.kind === 'refused') return refusedResult(result.code, result.report, result.detail);
      if (result.kind === 'listed') await evaluated(result.orbId);
      return publishedResult(result.report);
    } catch (error) {
      if (error instanceof LedgerError) return LEDGER_AWAY_RESULT;
      throw error;
    }
  }

  /** Reports and suites are not cached, so the object is read. */
  async #request({ metadata }: KubeObject, signal: AbortSignal): Promise<PublishRequest> {
    const { name, namespace = '', generation } = metadata;
    const live = await this.#deps.client.get(KINDS.orbpublication, { name, namespace }, signal);
    if (live === undefined || live.metadata.generation !== generation) throw new ObjectMoved();
    const { manifest = null, test_results: testResults = null, test_suites: suites } = specOf(live);
    const testSuites = Array.isArray(suites) ? suites : [];
    return { tenant: namespace, manifest, testResults, testSuites, dryRun: false };
  }
}
