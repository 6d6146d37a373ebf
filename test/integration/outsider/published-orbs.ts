import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import type { NewPublication } from '../../../adapters/ledger/port.ts';
import { isDigest, type Digest } from '../../../core/json/digest.ts';
import { jcs } from '../../../core/json/jcs.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { entryText, type LogEntry } from '../../../core/log-entry/entry.ts';
import { orbManifest } from '../../support/orbs.ts';
import { aReport } from '../../support/reputation-rows.ts';

/** A version of the test's marketplace. */
export interface PublishedOrb {
  readonly orbId: string;
  readonly org: string;
  readonly digest: Digest;
  readonly manifestJcs: string;
  /** Days since its publication. */
  readonly ageDays: number;
  readonly provenance: string;
  /** Of ten required tests. */
  readonly passed: number;
  readonly testedDaysAgo: number;
}

const ORGS = ['north', 'south', 'east', 'west', 'harbor', 'meadow', 'quarry', 'summit'];
/** Two versions of one line, another major version, and the same below 1.0.0, where a minor version is a line. */
const VERSIONS = [
  'relay@1.0.0',
  'relay@1.1.0',
  'relay@2.0.0',
  'scribe@0.3.1',
  'scribe@0.3.2',
  'scribe@0.4.0',
  'pager@1.0.0',
];
const AGES = [200, 181, 60, 45, 44, 20, 14, 13, 2];
const PROVENANCES = ['independent', 'receipted', 'platform', 'receipted', 'self_reported', 'receipted', 'vendor'];
const TESTED_DAYS_AGO = [1, 30, 90, 5, 89, 91, 12];
const REQUIRED = 10;

const cycled = <T>(values: readonly T[], index: number): T => {
  const value = values[index % values.length];
  if (value === undefined) throw new RangeError('an empty list');
  return value;
};

function digestOf(text: string): Digest {
  const digest = `sha256:${sha256Hex(text)}`;
  if (!isDigest(digest)) throw new TypeError(digest);
  return digest;
}

function manifestOf(orbId: string): string {
  const manifest: unknown = JSON.parse(orbManifest(orbId, { url: 'https://provider.example/run' }));
  if (!isJsonObject(manifest)) throw new TypeError('a manifest is an object');
  return jcs(manifest);
}

/** 56 versions of 8 organisations: the most used first. */
export const ORBS: readonly PublishedOrb[] = VERSIONS.flatMap((version, row) =>
  ORGS.map((org, column) => {
    const rank = row * ORGS.length + column;
    const orbId = `${org}.${version}`;
    const manifestJcs = manifestOf(orbId);
    return {
      orbId,
      org,
      digest: digestOf(manifestJcs),
      manifestJcs,
      ageDays: cycled(AGES, rank),
      provenance: cycled(PROVENANCES, rank),
      passed: rank % 11 === 10 ? REQUIRED - 1 : REQUIRED,
      testedDaysAgo: cycled(TESTED_DAYS_AGO, rank),
    };
  }),
);

/** A time so many days before now, as entries write it. */
export type DaysAgo = (days: number) => string;

/** A test report of a version, as the log has it. */
export const testReport = (orb: PublishedOrb, at: string, testedAt: string): LogEntry => ({
  kind: 'test_report',
  orb_id: orb.orbId,
  manifest_digest: orb.digest,
  suite_digest: null,
  report_sha256: sha256Hex(`${orb.orbId} ${at}`),
  required: REQUIRED,
  passed: orb.passed,
  provenance: orb.provenance,
  tested_at: testedAt,
  at,
});

/** The row that publishes a version. @param claims whether it is the first of its organisation */
export function publicationOf(orb: PublishedOrb, daysAgo: DaysAgo, claims: boolean): NewPublication {
  const { orbId, org, digest, manifestJcs, ageDays, testedDaysAgo } = orb;
  const at = daysAgo(ageDays);
  const publishedAt = Date.parse(at);
  const publish: LogEntry = { kind: 'publish', orb_id: orbId, manifest_digest: digest, org, ontology: '1.0.0', at };
  const verified: LogEntry = { kind: 'org', org, event: 'verified', proof: 'operator', at };
  const entries = [publish, testReport(orb, at, daysAgo(testedDaysAgo))];
  return {
    orbId,
    namespace: 'default',
    org,
    manifestDigest: digest,
    manifestJcs,
    publishedAt,
    report: { ...aReport(), sha256: sha256Hex(orbId) },
    claim: claims ? { proof: 'operator', state: 'verified', since: publishedAt, json: '{}' } : null,
    entries: (claims ? [verified, ...entries] : entries).map(entryText),
    publishEntry: claims ? 1 : 0,
    reportEntry: claims ? 2 : 1,
  };
}
