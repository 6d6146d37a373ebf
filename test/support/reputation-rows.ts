import { createHash } from 'node:crypto';
import type {
  NewAudit,
  NewEvaluation,
  NewOrg,
  NewPublication,
  RunFinish,
  TestReport,
} from '../../adapters/ledger/port.ts';
import { entryText, type EntryOf } from '../../core/log-entry/entry.ts';
import { isDigest, type Digest } from '../../core/json/digest.ts';
import { aFinish, LEDGER_NOW } from './ledger-rows.ts';

export const ORB = 'acme.echo@1.0.0';
/** The line of `ORB`. */
export const LINE = 'acme.echo@1';

export function digestOfLetter(letter: string): Digest {
  const text = `sha256:${letter.repeat(64)}`;
  if (!isDigest(text)) throw new TypeError(text);
  return text;
}

/** An entry that no log takes. */
export const TOO_LONG = `"${'é'.repeat(32_767)}"`;

export const DIGEST = digestOfLetter('a');
const AT = new Date(LEDGER_NOW).toISOString();

type Receipt = EntryOf<'receipt'>;

/** The finish of `aStart(number)` with the public form of its entry. */
export function aPublicFinish(number: number, change: Partial<Receipt> = {}): RunFinish {
  const { receipt } = aFinish(number);
  const entry = entryText({
    kind: 'receipt',
    receipt_id: receipt.receiptId,
    orb_id: ORB,
    manifest_digest: DIGEST,
    caller_tag: 'tag-1',
    self: false,
    outcome: 'success',
    duration_ms: 100,
    slo_ms: 1000,
    finished_at: AT,
    jws_sha256: createHash('sha256').update(receipt.jws).digest('hex'),
    ...change,
  });
  return aFinish(number, {}, { entry });
}

export const publishEntry = (orbId: string = ORB, digest: string = DIGEST): string =>
  entryText({
    kind: 'publish',
    orb_id: orbId,
    manifest_digest: digest,
    org: orbId.slice(0, orbId.indexOf('.')),
    ontology: '1.0.0',
    at: AT,
  });

export const testReportEntry = (change: Partial<EntryOf<'test_report'>> = {}): string =>
  entryText({
    kind: 'test_report',
    orb_id: ORB,
    manifest_digest: DIGEST,
    suite_digest: null,
    report_sha256: '1'.repeat(64),
    required: 3,
    passed: 3,
    provenance: 'receipted',
    tested_at: AT,
    at: AT,
    ...change,
  });

export const orgEntry = (event: EntryOf<'org'>['event'], org = 'acme'): string =>
  entryText({ kind: 'org', org, event, proof: 'operator', at: AT });

export const incidentEntry = (change: Partial<EntryOf<'incident'>> = {}): string =>
  entryText({
    kind: 'incident',
    incident_id: 'inc-1',
    orb_id: ORB,
    impact: 'major',
    event: 'opened',
    attributed: true,
    at: AT,
    ...change,
  });

export const auditEntry = (change: Partial<EntryOf<'audit'>> = {}): string =>
  entryText({ kind: 'audit', orb_id: ORB, manifest_digest: DIGEST, checked: 3, invalid: 0, at: AT, ...change });

export const violationEntry = (change: Partial<EntryOf<'violation'>> = {}): string =>
  entryText({
    kind: 'violation',
    orb_id: ORB,
    manifest_digest: DIGEST,
    rule: 'no-secrets',
    severity: 'high',
    receipt_id: null,
    at: AT,
    ...change,
  });

export const statusEntry = (status: EntryOf<'orb_status'>['status'], orbId = ORB): string =>
  entryText({ kind: 'orb_status', orb_id: orbId, status, reason: 'a reason', at: AT });

export const retractionEntry = (index: number): string =>
  entryText({ kind: 'retraction', index, reason: 'a dispute', at: AT });

export const tierChangeEntry = (change: Partial<EntryOf<'tier_change'>> = {}): string =>
  entryText({
    kind: 'tier_change',
    orb_id: ORB,
    manifest_digest: DIGEST,
    from: 'uncertified',
    to: 'bronze',
    tier_status: 'stable',
    score_bp: 4000,
    algorithm: 'orb-reputation/1',
    as_of: AT.slice(0, 10),
    tree_size: 2,
    criteria_failed: [],
    at: AT,
    ...change,
  });

export const certificateEntry = (statusIndex: number): string =>
  entryText({
    kind: 'certificate',
    orb_id: ORB,
    manifest_digest: DIGEST,
    certificate_sha256: '2'.repeat(64),
    tier: 'bronze',
    valid_until: AT,
    status_index: statusIndex,
    at: AT,
  });

export const revocationEntry = (): string =>
  entryText({ kind: 'revocation', target: 'certificate', sha256: '2'.repeat(64), reason: 'a reason', at: AT });

export const aReport = (digit = '1'): TestReport => ({
  sha256: digit.repeat(64),
  report: `{"report":"${digit}"}`,
  suites: '[]',
  statement: 'e30.e30.e30',
});

/** The organisation `acme`, verified for the tenant `acme`. */
export const anOrg = (change: Partial<NewOrg> = {}): NewOrg => ({
  org: 'acme',
  namespace: 'acme',
  proof: 'operator',
  state: 'verified',
  since: LEDGER_NOW,
  json: '{}',
  ...change,
});

/** The audit of a report of `ORB`. */
export const anAudit = (digit = '1', change: Partial<NewAudit> = {}): NewAudit => ({
  orbId: ORB,
  reportSha256: digit.repeat(64),
  entry: auditEntry(),
  ...change,
});

/** The publication of a version of `acme`, with the claim of its organisation. */
export function aPublication(change: Partial<NewPublication> = {}): NewPublication {
  const { orbId = ORB, manifestDigest = DIGEST } = change;
  return {
    orbId,
    namespace: 'acme',
    org: 'acme',
    manifestDigest,
    manifestJcs: '{"orb_id":"ž"}',
    publishedAt: LEDGER_NOW,
    report: aReport(),
    claim: { proof: 'operator', state: 'verified', since: LEDGER_NOW, json: '{}' },
    entries: [
      orgEntry('verified'),
      publishEntry(orbId, manifestDigest),
      testReportEntry({ orb_id: orbId, manifest_digest: manifestDigest }),
    ],
    publishEntry: 1,
    reportEntry: 2,
    ...change,
  };
}

/** A version of `acme.echo` whose organisation is claimed already. */
export const aVersion = (version: string, change: Partial<NewPublication> = {}): NewPublication => {
  const orbId = `acme.echo@${version}`;
  const { manifestDigest = DIGEST } = change;
  return aPublication({
    orbId,
    claim: null,
    entries: [publishEntry(orbId, manifestDigest), testReportEntry({ orb_id: orbId, manifest_digest: manifestDigest })],
    publishEntry: 0,
    reportEntry: 1,
    ...change,
  });
};

/** An evaluation that changes no tier. */
export const anEvaluation = (change: Partial<NewEvaluation> = {}): NewEvaluation => ({
  orbId: ORB,
  epoch: 1,
  treeSize: 0,
  asOf: AT.slice(0, 10),
  held: '{"tier":"uncertified"}',
  profile: '{"reputation_score":0}',
  entries: [],
  certificate: null,
  revokeIndex: null,
  ...change,
});

/** An evaluation with a change of tier and a certificate. */
export const aPromotion = (statusIndex: number, change: Partial<NewEvaluation> = {}): NewEvaluation =>
  anEvaluation({
    entries: [tierChangeEntry(), certificateEntry(statusIndex)],
    certificate: { issuedAt: LEDGER_NOW, jwt: `jwt-${statusIndex}`, statusIndex, entry: 1 },
    ...change,
  });
