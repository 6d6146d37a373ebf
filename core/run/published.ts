import type { CheckResult } from '../receipt/record.ts';

/** A published version, as far as runs care. */
export interface PublishedVersion {
  readonly manifestDigest: string;
  /** Namespace that published it. */
  readonly namespace: string;
  readonly status: 'active' | 'deprecated' | 'yanked' | 'suspended';
  /** Its held tier is bronze or higher. */
  readonly isCertified: boolean;
  /** ms since epoch; only of a deprecated version. */
  readonly deprecatedAt?: number;
}

/** What a process knows about published versions. It keeps this in memory, and reads changes from the ledger. */
export interface PublishedVersions {
  readonly version: (orbId: string) => PublishedVersion | undefined;
  /** Tenant that owns an organisation; undefined: nobody does. */
  readonly ownerOf: (org: string) => string | undefined;
  /** False when the last change may be missing: nothing was read for 60 s. */
  readonly isFresh: () => boolean;
}

/** What a run starts with: parts of its receipt that follow from what is published (trust.md §1.1, §4). */
export interface PublishedFacts {
  /** The caller's tenant publishes the Orb. */
  readonly self: boolean;
  readonly manifest: Extract<CheckResult, 'pass' | 'fail'>;
  readonly standing: Extract<CheckResult, 'pass' | 'fail' | 'unknown'>;
}

/** The Orb of a run. */
interface RunningOrb {
  readonly orbId: string;
  readonly namespace: string;
  readonly digest: string;
}

function standingOf(version: PublishedVersion | undefined, digest: string): 'pass' | 'fail' {
  const isListed =
    version?.manifestDigest === digest && (version.status === 'active' || version.status === 'deprecated');
  return isListed && version.isCertified ? 'pass' : 'fail';
}

/**
 * @param owner tenant that owns the organisation of the Orb; undefined: nobody. Then a copy of the Orb in the caller's
 *   own namespace counts as its own.
 */
export function publishedFacts(
  { orbId, namespace, digest }: RunningOrb,
  tenant: string,
  published: PublishedVersions,
): PublishedFacts {
  const owner = published.ownerOf(orbId.slice(0, orbId.indexOf('.')));
  const version = published.version(orbId);
  const differs = namespace === owner && version !== undefined && version.manifestDigest !== digest;
  return {
    self: tenant === (owner ?? namespace),
    manifest: differs ? 'fail' : 'pass',
    standing: published.isFresh() ? standingOf(version, digest) : 'unknown',
  };
}
