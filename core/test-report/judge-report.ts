import { CasesNotRun } from '../errors/cases-not-run.ts';
import type { Digest } from '../json/digest.ts';
import { jcsSteps } from '../steps/jcs-steps.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { PROVENANCES } from '../log-entry/entry-members.ts';
import { digestOfText } from '../manifest/digest.ts';
import type { Checked, Finding } from '../manifest/finding.ts';
import type { Primitives } from '../merkle/primitives.ts';
import type { CompiledOrb } from '../orb/compiled-orb.ts';
import type { Steps } from '../steps/steps.ts';
import type { CaseFaults, CaseWork, CaseWorkAnswer } from '../suite/case-work.ts';
import { checkCoverage } from '../suite/check-coverage.ts';
import { MAX_CITED, orbTestOf, readReportSteps, type ReportDocument } from './ctrf.ts';
import { citationsOf, judgeReceipts, type JudgedReceipts, type ReadReceipt } from './judge-receipts.ts';
import { countRequired, judgeSummary, type Submission } from './judge-summary.ts';
import { readSuiteSteps, suiteDigestSteps, type SuiteDocument } from '../suite/read-suite.ts';
import { MAX_SUITES } from '../suite/suite-schema.ts';
import { casesOf, type TestCase } from '../suite/suite.ts';

/** How much the evidence of a report is worth, the weakest first (trust.md §8.4). */
type Provenance = (typeof PROVENANCES)[number];

/** A report with what it is about, as submitted. */
export interface SubmittedTests {
  /** The manifest as submitted, and what it compiles to. */
  readonly manifest: JsonValue;
  readonly orb: CompiledOrb;
  /** Origins that the rules about hosts exempt, as when the manifest was compiled. */
  readonly allowedOrigins: readonly string[];
  /** `test_results`: parsed JSON of any shape. */
  readonly report: JsonValue;
  /** `test_suites`; empty or undefined: none were submitted. */
  readonly suites: readonly JsonValue[] | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Full names of live cases that the platform ran itself within 7 days; none where stage 6 is not configured. */
  readonly rerun: ReadonlySet<string>;
}

/** What the judge asks for. */
export interface JudgeTools {
  readonly receipts: ReadReceipt;
  /** Runs the cases of strangers where they can do no harm. */
  readonly runCases: (work: CaseWork) => Promise<CaseWorkAnswer>;
  /** Whether this ledger accepted the report before: then it may be old. */
  readonly wasAccepted: (reportSha256: string) => Promise<boolean>;
  readonly primitives: Primitives;
  /** Lets other work of the process have its turn: reading a hostile suite takes some ten milliseconds. */
  readonly turn: () => Promise<unknown>;
}

/** What is known of a report that could be read. */
export interface JudgedReport {
  readonly document: ReportDocument;
  /** Lower-case hex of the SHA-256 of the canonical report. */
  readonly sha256: string;
  readonly required: number;
  readonly passed: number;
  readonly provenance: Provenance;
  readonly suites: readonly SuiteDocument[];
  /** Null: no suites were submitted. */
  readonly suiteDigest: Digest | null;
  /** End of the test run: `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
  readonly testedAt: string;
}

/** The judgement of a test report (trust.md §8.4). */
export interface TestJudgement {
  /** No finding is an error: the report may be accepted. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** Undefined when report or suites can't be read. */
  readonly report: JudgedReport | undefined;
  /** The `audit` entry, also of a refused report; undefined when no receipt was cited and checked. */
  readonly audit: { readonly checked: number; readonly invalid: number } | undefined;
}

/** A hostile report has thousands of faults; its author reads some of them. */
const MAX_FINDINGS = 100;
const REPORT = '/test_results';
const SUITES = '/test_suites';

const error = (code: string, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'error',
});
const hasError = (findings: readonly Finding[]): boolean => findings.some(({ severity }) => severity === 'error');

/** Errors first, at most 100. */
function firstFindings(findings: readonly Finding[]): readonly Finding[] {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const others = findings.filter(({ severity }) => severity !== 'error');
  return [...errors, ...others].slice(0, MAX_FINDINGS);
}

/** Other work of the process has its turn before each piece. */
async function inTurns<T>(steps: Steps<T>, { turn }: Pick<JudgeTools, 'turn'>): Promise<T> {
  for (;;) {
    await turn();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

interface ReadSuites {
  readonly suites: readonly SuiteDocument[];
  readonly findings: readonly Finding[];
}

async function readSuites(
  values: readonly JsonValue[],
  orb: CompiledOrb,
  tools: Pick<JudgeTools, 'turn'>,
): Promise<ReadSuites> {
  if (values.length > MAX_SUITES)
    return { suites: [], findings: [error('suite-invalid', SUITES, `An Orb has at most ${MAX_SUITES} suites.`)] };
  const read: Checked<SuiteDocument>[] = [];
  for (const [index, value] of values.entries())
    read.push(await inTurns(readSuiteSteps(value, orb, `${SUITES}/${index}`), tools));
  const suites = read.flatMap((one) => (one.ok ? [one.value] : []));
  const findings = read.flatMap((one) => one.findings);
  if (hasError(findings) || suites.length === 0) return { suites, findings };
  return { suites, findings: [...findings, ...checkCoverage(suites, orb.manifest, SUITES)] };
}

/** A case that was run again must end as the report says; skipped cases claim nothing. */
function mockFindings(submission: Submission, mocks: readonly CaseFaults[]): readonly Finding[] {
  const again = new Map(mocks.map(({ name, faults }) => [name, faults] as const));
  return submission.report.results.tests.flatMap(({ name, status }, index) => {
    const faults = again.get(name);
    if (faults === undefined || (status !== 'passed' && status !== 'failed')) return [];
    const ended = faults.length === 0 ? 'passed' : 'failed';
    if (ended === status) return [];
    const detail = `The platform ran this case again: it ${ended}.${faults.length === 0 ? '' : ` ${faults.slice(0, 3).join('; ')}.`}`;
    return [error('suite-mock-not-reproduced', `${REPORT}/results/tests/${index}/status`, detail)];
  });
}

interface RanCases {
  readonly findings: readonly Finding[];
  readonly outputFaults: ReadonlyMap<string, readonly string[]>;
}

const NOTHING_RUN: RanCases = { findings: [], outputFaults: new Map() };

async function runCases(
  { manifest, allowedOrigins, suites }: SubmittedTests,
  submission: Submission,
  tools: JudgeTools,
): Promise<RanCases> {
  if (submission.suites === undefined) return NOTHING_RUN;
  const disclosed = submission.report.results.tests.flatMap((test) => {
    const outputs = orbTestOf(test)?.openings?.outputs;
    return outputs === undefined ? [] : [{ name: test.name, outputs }];
  });
  const answer = await tools.runCases({ manifest, suites: suites ?? [], allowedOrigins, disclosed });
  if (answer.kind === 'unavailable') throw new CasesNotRun(answer.why);
  if (answer.kind === 'stopped')
    return {
      findings: [error('suite-mock-not-reproduced', SUITES, `The cases could not be run again: ${answer.why}.`)],
      outputFaults: new Map(),
    };
  return {
    findings: mockFindings(submission, answer.result.mocks),
    outputFaults: new Map(answer.result.disclosed.map(({ name, faults }) => [name, faults] as const)),
  };
}

/**
 * Provenance of a report without errors. `platform` and `independent` both add to `receipted`; the stronger one that
 * holds is given.
 */
function provenanceOf(
  cases: readonly TestCase[],
  { good }: Pick<JudgedReceipts, 'good'>,
  rerun: ReadonlySet<string>,
): Provenance {
  const live = cases.filter(({ mode, required }) => mode === 'live' && required).map(({ name }) => name);
  if (live.length === 0 || !live.every((name) => good.has(name))) return 'self_reported';
  if (live.every((name) => good.get(name)?.self === false)) return 'independent';
  return live.every((name) => rerun.has(name)) ? 'platform' : 'receipted';
}

const unread = (findings: readonly Finding[]): TestJudgement => ({
  ok: false,
  findings: firstFindings(findings),
  report: undefined,
  audit: undefined,
});

async function judge(
  given: SubmittedTests,
  read: { readonly document: ReportDocument; readonly suites: ReadSuites },
  tools: JudgeTools,
): Promise<TestJudgement> {
  const { document, suites } = read;
  const { orb, now, rerun } = given;
  const sha256 = digestOfText(await inTurns(jcsSteps(document), tools)).slice('sha256:'.length);
  const digest = suites.suites.length === 0 ? null : await inTurns(suiteDigestSteps(suites.suites), tools);
  const cases = casesOf(suites.suites);
  const submission: Submission = {
    report: document,
    pointer: REPORT,
    orbId: orb.orbId,
    manifestDigest: orb.digest,
    suites: digest === null ? undefined : { digest, cases },
    now,
    accepted: await tools.wasAccepted(sha256),
  };
  const ran = await runCases(given, submission, tools);
  const receipts = await judgeReceipts(submission, { ...tools, outputFaults: ran.outputFaults });
  const findings = [...suites.findings, ...judgeSummary(submission), ...ran.findings, ...receipts.findings];
  const ok = !hasError(findings);
  const testedAt = new Date(document.results.summary.stop).toISOString();
  return {
    ok,
    findings: firstFindings(findings),
    report: {
      document,
      sha256,
      ...countRequired(submission),
      provenance: ok && digest !== null ? provenanceOf(cases, receipts, rerun) : 'self_reported',
      suites: suites.suites,
      suiteDigest: digest,
      testedAt,
    },
    audit: receipts.checked === 0 ? undefined : { checked: receipts.checked, invalid: receipts.invalid },
  };
}

// The range of Date: 100 million days around the epoch.
const MAX_TIME_MS = 8.64e15;

function checkBounds(document: ReportDocument): readonly Finding[] {
  const { summary } = document.results;
  const cited = citationsOf({ report: document, suites: undefined }).length;
  return [
    ...(Math.abs(summary.stop) <= MAX_TIME_MS && Math.abs(summary.start) <= MAX_TIME_MS
      ? []
      : [error('test-report-invalid', `${REPORT}/results/summary`, 'Times are milliseconds since the epoch.')]),
    ...(cited <= MAX_CITED
      ? []
      : [error('test-report-invalid', `${REPORT}/results/tests`, `A report cites at most ${MAX_CITED} receipts.`)]),
  ];
}

/**
 * Judges the tests of a publication (trust.md §8.3, §8.4). It writes nothing. Pointers are into the body
 * `{manifest, test_results, test_suites}`. When report or suites can't be read, only their findings are returned.
 * @throws CasesNotRun the platform could not run the cases
 */
export async function judgeTests(given: SubmittedTests, tools: JudgeTools): Promise<TestJudgement> {
  const suites = await readSuites(given.suites ?? [], given.orb, tools);
  const report = await inTurns(readReportSteps(given.report, REPORT), tools);
  const bounds = report.ok ? checkBounds(report.value) : report.findings;
  const isUnreadable = suites.findings.some(({ code, severity }) => severity === 'error' && code !== COVERAGE);
  if (!report.ok || bounds.length > 0 || isUnreadable) return unread([...suites.findings, ...bounds]);
  return judge(given, { document: report.value, suites }, tools);
}

/** The only error of suites that can still be run. */
const COVERAGE = 'suite-output-not-asserted';
