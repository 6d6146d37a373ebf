import type { ORB_STATUSES } from '../../core/log-entry/entry-members.ts';
import type { Criterion, Tier } from '../../core/reputation/criteria.ts';
import type { TierStatus } from '../../core/reputation/held-tier.ts';

/** What a published version holds at present. */
export interface Standing {
  readonly orbId: string;
  /** `suspended` also while its organisation is. */
  readonly status: (typeof ORB_STATUSES)[number];
  readonly tier: Tier;
  readonly tierStatus: TierStatus;
  /** Criteria that the next tier lacks; of bronze while it is uncertified. */
  readonly missing: readonly Criterion[];
}

/** The newest certificate of a version. */
export interface IssuedCertificate {
  readonly jwt: string;
  /** Index of its `certificate` entry; null: not in the log yet. */
  readonly logIndex: number | null;
  /** Its bit of the status list is set. */
  readonly revoked: boolean;
}

/**
 * Reads what evaluations have written. All four answer from what was committed. While the ledger is away they answer what
 * was asked before and has not changed since, and reject otherwise.
 */
export interface ReputationReader {
  /** @returns undefined: no such version is published */
  readonly standing: (orbId: string) => Promise<Standing | undefined>;
  /**
   * The highest active version of a name, by SemVer.
   * @param name `{org}.{name}`
   * @returns its id; undefined: no version is active
   */
  readonly highestActive: (name: string) => Promise<string | undefined>;
  /** @returns undefined: it never had one */
  readonly certificateOf: (orbId: string) => Promise<IssuedCertificate | undefined>;
  /** @param list number of the list, from 1 @returns the signed list; undefined: there is none of this number */
  readonly statusListOf: (list: number) => Promise<string | undefined>;
}
