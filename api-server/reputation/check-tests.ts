import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { jcs } from '../../core/json/jcs.ts';
import type { Primitives } from '../../core/merkle/primitives.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { signJws } from '../../core/receipt/jws.ts';
import { isReceiptRecord } from '../../core/receipt/record-schema.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import type { CaseWork, CaseWorkAnswer } from '../../core/suite/case-work.ts';
import type { CitedReceipt } from '../../core/test-report/judge-receipts.ts';
import { judgeTests, type JudgedReport } from '../../core/test-report/judge-report.ts';
import { sealStatement, testResultStatement } from '../../core/test-report/statement.ts';
import { recordOf } from '../run/receipt-summary.ts';
import type { AcceptedTests, CheckTests, PublishRequest, TestsVerdict } from './publish-request.ts';

export interface CheckTestsParts {
  readonly ledger: Pick<Ledger, 'receiptOfAnyTenant' | 'hasTestReport'>;
  readonly clock: Pick<Clock, 'now'>;
  /** With the certificate key. */
  readonly certificates: SealTools;
  readonly allowedOrigins: readonly string[];
  /** Runs the cases of a tenant where they can do no harm. */
  readonly runCases: (work: CaseWork, tenant: string) => Promise<CaseWorkAnswer>;
  /** Whether the signature of a stored receipt is good. */
  readonly isSigned: (jws: string) => Promise<boolean>;
  readonly primitives: Primitives;
  /** Resolves when the next piece of a tenant's check may run: each takes up to some ten milliseconds. */
  readonly longTurn: (tenant: string) => Promise<unknown>;
}

async function cited({ ledger, isSigned }: CheckTestsParts, receiptId: string, tenant: string): Promise<CitedReceipt> {
  const stored = await ledger.receiptOfAnyTenant(receiptId);
  const record = stored === undefined ? null : recordOf(stored.jws);
  if (stored === undefined || record === null || !isReceiptRecord(record)) return { kind: 'missing' };
  return { kind: 'found', record, verified: await isSigned(stored.jws), own: stored.tenant === tenant };
}

function accepted(
  { certificates }: CheckTestsParts,
  { orbId, digest }: CompiledOrb,
  report: JudgedReport,
): AcceptedTests {
  const { signer, encoding } = certificates;
  const statement = testResultStatement({ orbId, digest }, report);
  return {
    reportSha256: report.sha256,
    report: jcs(report.document),
    suites: report.suites.length === 0 ? null : JSON.stringify(report.suites),
    statement: sealStatement(statement, (payload, type) => signJws(payload, type, signer, encoding)),
    testedAt: report.testedAt,
  };
}

/** Stage `tests` of the pipeline, with the receipts of this ledger (trust.md §8.4). */
export function createCheckTests(parts: CheckTestsParts): CheckTests {
  return async (orb: CompiledOrb, request: PublishRequest): Promise<TestsVerdict> => {
    const { ledger, clock, allowedOrigins, runCases, primitives, longTurn } = parts;
    const { ok, findings, report, audit } = await judgeTests(
      {
        manifest: request.manifest,
        orb,
        allowedOrigins,
        report: request.testResults,
        suites: request.testSuites,
        now: clock.now(),
        rerun: new Set(),
      },
      {
        receipts: (receiptId) => cited(parts, receiptId, request.tenant),
        runCases: (work) => runCases(work, request.tenant),
        wasAccepted: (reportSha256) => ledger.hasTestReport(orb.orbId, reportSha256),
        primitives,
        turn: () => longTurn(request.tenant),
      },
    );
    if (report === undefined) return { findings, summary: null, audit: undefined, accepted: undefined };
    const { required, passed, provenance, suiteDigest, sha256: reportSha256 } = report;
    return {
      findings,
      summary: { required, passed, provenance, suiteDigest },
      audit: audit && { ...audit, reportSha256 },
      accepted: ok ? accepted(parts, orb, report) : undefined,
    };
  };
}
