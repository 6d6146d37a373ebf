import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { jcs } from '../../core/json/jcs.ts';
import { entryText, type EntryOf, type LogEntry } from '../../core/log-entry/entry.ts';
import { ORB_ONTOLOGY } from '../../core/ontology/orb-ontology.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { ListedOrb } from '../../core/publication/listed-orb.ts';
import type { ReportFacts, TestSummary } from '../../core/publication/validation-report.ts';
import { orgOf } from '../../core/reputation/line.ts';
import type { Listings } from './listings.ts';
import type { AcceptedTests, PublishRequest } from './publish-request.ts';

interface WriteParts {
  readonly ledger: Pick<Ledger, 'publish' | 'addTestReport' | 'hasTestReport'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** What is to be published, and what was known of it when its checks began. */
export interface Candidate {
  readonly orb: CompiledOrb;
  readonly request: PublishRequest;
  readonly seen: Seen;
}

/** A version that is listed. */
interface Written {
  /** Index of its `publish` entry. */
  readonly logIndex: number;
  /** Entries were written by this request. */
  readonly isNews: boolean;
}

/** What the memory of the ledger said when the checks began. */
export interface Seen {
  readonly orb: ReturnType<Listings['orb']>;
  readonly org: ReturnType<Listings['org']>;
}

/** What passed all checks. */
export interface GoodPublication {
  readonly accepted: AcceptedTests;
  readonly summary: TestSummary;
  readonly facts: ReportFacts;
}

const time = (ms: number): string => new Date(ms).toISOString();

const storedReport = ({ reportSha256, report, suites, statement }: AcceptedTests) => ({
  sha256: reportSha256,
  report,
  suites,
  statement,
});

const reportEntry = (
  { orbId, digest }: CompiledOrb,
  { accepted, summary }: GoodPublication,
  now: number,
): EntryOf<'test_report'> => ({
  kind: 'test_report',
  orb_id: orbId,
  manifest_digest: digest,
  suite_digest: summary.suiteDigest,
  report_sha256: accepted.reportSha256,
  required: summary.required,
  passed: summary.passed,
  provenance: summary.provenance,
  tested_at: accepted.testedAt,
  at: time(now),
});

/** @returns undefined: version or organisation are no longer as they were seen */
export async function publishNew(
  { ledger, clock }: WriteParts,
  { orb, request, seen }: Candidate,
  good: GoodPublication,
): Promise<Written | undefined> {
  const { orbId, digest } = orb;
  const now = clock.now();
  const org = orgOf(orbId);
  const claims = seen.org === undefined;
  const entries: readonly LogEntry[] = [
    ...(claims ? [{ kind: 'org', org, event: 'verified', proof: 'operator', at: time(now) } as const] : []),
    {
      kind: 'publish',
      orb_id: orbId,
      manifest_digest: digest,
      org,
      ontology: `${ORB_ONTOLOGY.id}/${ORB_ONTOLOGY.version}`,
      at: time(now),
    },
    reportEntry(orb, good, now),
  ];
  const result = await ledger.publish({
    orbId,
    namespace: request.tenant,
    org,
    manifestDigest: digest,
    manifestJcs: jcs(request.manifest),
    publishedAt: now,
    report: storedReport(good.accepted),
    claim: claims ? { proof: 'operator', state: 'verified', since: now, json: '{}' } : null,
    entries: entries.map(entryText),
    publishEntry: entries.length - 2,
    reportEntry: entries.length - 1,
  });
  return result.kind === 'published' ? { logIndex: result.logIndex, isNews: true } : undefined;
}

/**
 * Of a version that is listed already only a new report is written.
 * @returns undefined: version or organisation are no longer as they were seen
 */
export async function addReport(
  { ledger, clock }: WriteParts,
  { orb, request }: Candidate,
  { orbId, logIndex }: ListedOrb,
  good: GoodPublication,
): Promise<Written | undefined> {
  if (await ledger.hasTestReport(orbId, good.accepted.reportSha256)) return { logIndex, isNews: false };
  const result = await ledger.addTestReport({
    orbId,
    namespace: request.tenant,
    report: storedReport(good.accepted),
    entry: entryText(reportEntry(orb, good, clock.now())),
  });
  return result.kind === 'done' ? { logIndex, isNews: true } : undefined;
}
