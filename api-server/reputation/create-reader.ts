import { gzipSync } from 'node:zlib';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { listOfIndex } from '../../core/certificate/credential.ts';
import { sealStatusList } from '../../core/certificate/seal.ts';
import { makeStatusList } from '../../core/certificate/status-list.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import { judgeTiers, type Criterion } from '../../core/reputation/criteria.ts';
import { scoreReputation } from '../../core/reputation/formula.ts';
import type { ReputationReader } from './reputation-reader.ts';
import type { Listings } from './listings.ts';

export interface ReaderParts {
  /** May answer from memory while the ledger is away. */
  readonly ledger: Pick<Ledger, 'certificate' | 'evaluation' | 'statusBits' | 'nextStatusIndex'>;
  readonly listings: Pick<Listings, 'orb' | 'highestActive'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly issuer: string;
  /** With the certificate key. */
  readonly tools: SealTools;
}

interface SignedList {
  /** UTC day of the signature, and digest of the bits: another one is signed when either changes. */
  readonly of: string;
  readonly jwt: string;
}

/** Criteria of bronze that a version without any evidence lacks. */
const nothingEarned = (): readonly Criterion[] => {
  const nothing = {
    groups: [],
    tests: null,
    violations: [],
    incidents: [],
    receipts: { total: 0, invalid: 0, invalid_7d: 0 },
    suspended: false,
    meta: { namespace_verified: false, age_days: 0, namespace_suspension_age_days: null, log_witnessed: null },
  } as const;
  return judgeTiers(nothing, scoreReputation(nothing)).missing;
};

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** `next_tier.missing` of a stored profile. */
function missingOf(profile: string | undefined): readonly Criterion[] {
  const stored: unknown = profile === undefined ? undefined : JSON.parse(profile);
  const next = isJsonObject(stored) ? stored['next_tier'] : undefined;
  const tier = isJsonObject(next) ? next['tier'] : undefined;
  const missing = isJsonObject(next) ? next['missing'] : undefined;
  if (!Array.isArray(missing)) return profile === undefined ? nothingEarned() : [];
  return missing.flatMap((one): readonly Criterion[] => {
    if (!isJsonObject(one)) return [];
    const { id, required, actual } = one;
    const isTier = tier === 'bronze' || tier === 'silver' || tier === 'gold' || tier === 'platinum';
    if (typeof id !== 'string' || !isTier || !isScalar(required) || required === null || !isScalar(actual)) return [];
    return [{ id, tier, met: false, required, actual }];
  });
}

/** What certificates, badges and status lists are answered from. */
export function createReputationReader({ ledger, listings, clock, issuer, tools }: ReaderParts): ReputationReader {
  const signed = new Map<number, SignedList>();
  return {
    standing: async (orbId) => {
      const orb = listings.orb(orbId);
      if (orb === undefined) return undefined;
      const stored = await ledger.evaluation(orbId);
      const { tier, tierStatus } = orb.standing;
      const status = orb.isSuspended ? 'suspended' : orb.status;
      return { orbId, status, tier, tierStatus, missing: missingOf(stored?.profile) };
    },
    highestActive: async (name) => listings.highestActive(name),
    certificateOf: (orbId) => ledger.certificate(orbId),
    statusListOf: async (list) => {
      const next = await ledger.nextStatusIndex();
      if (list > 1 && listOfIndex(Math.max(0, next - 1)) < list) return undefined;
      const bits = await ledger.statusBits(list);
      const now = clock.now();
      const of = `${new Date(now).toISOString().slice(0, 10)} ${tools.sha256Hex(bits)}`;
      const known = signed.get(list);
      if (known?.of === of) return known.jwt;
      const credential = makeStatusList({ issuer, list, issuedAt: now, bits }, gzipSync);
      const jwt = sealStatusList(credential, tools);
      signed.set(list, { of, jwt });
      return jwt;
    },
  };
}
