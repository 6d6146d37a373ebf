import type { Finding } from '../manifest/finding.ts';
import { TEST_STATUSES, orbTestOf, type CtrfReport, type ReportTest } from './ctrf.ts';
import type { TestCase } from '../suite/suite.ts';

/** The report and what it is compared with. */
export interface Submission {
  readonly report: CtrfReport;
  /** Pointer to the report in the request: `/test_results`. */
  readonly pointer: string;
  readonly orbId: string;
  readonly manifestDigest: string;
  /** Undefined: no suites were submitted. */
  readonly suites: { readonly digest: string; readonly cases: readonly TestCase[] } | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** This ledger accepted the same report before: it may be old. */
  readonly accepted: boolean;
}

const OLDEST_MS = 7 * 24 * 3600 * 1000;
const AHEAD_MS = 5 * 60 * 1000;

const error = (code: string, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'error',
});

function ofCounts({ results: { summary, tests } }: CtrfReport, pointer: string): readonly Finding[] {
  const counts = new Map(TEST_STATUSES.map((name) => [name, tests.filter(({ status }) => status === name).length]));
  const wrong = TEST_STATUSES.filter((name) => summary[name] !== counts.get(name));
  const mismatch = (name: string, count: number): Finding =>
    error('test-summary-mismatch', `${pointer}/${name}`, `The tests of the report give ${count}.`);
  return [
    ...(summary.tests === tests.length ? [] : [mismatch('tests', tests.length)]),
    ...wrong.map((name) => mismatch(name, counts.get(name) ?? 0)),
    ...(summary.stop >= summary.start
      ? []
      : [error('test-summary-mismatch', `${pointer}/stop`, 'The run stops before it starts.')]),
  ];
}

function ofNames(tests: readonly ReportTest[], pointer: string): readonly Finding[] {
  const seen = new Set<string>();
  return tests.flatMap(({ name }, index) => {
    if (seen.has(name))
      return [error('test-duplicate', `${pointer}/${index}/name`, 'Another test of the report has the same name.')];
    seen.add(name);
    return [];
  });
}

function ofDigests({ report, pointer, orbId, manifestDigest, suites }: Submission): readonly Finding[] {
  const { orb } = report.results.extra;
  const at = `${pointer}/results/extra/orb`;
  return [
    ...(orb.orb_id === orbId
      ? []
      : [error('test-digest-mismatch', `${at}/orb_id`, 'The report is about another Orb than the manifest.')]),
    ...(orb.manifest_digest === manifestDigest
      ? []
      : [error('test-digest-mismatch', `${at}/manifest_digest`, 'The report is about other bytes than the manifest.')]),
    ...(suites === undefined || orb.suite_digest === suites.digest
      ? []
      : [
          error(
            'suite-digest-mismatch',
            `${at}/suite_digest`,
            'The report is about other suites than the submitted ones.',
          ),
        ]),
  ];
}

function ofTime({ report, pointer, now, accepted }: Submission): readonly Finding[] {
  const { stop } = report.results.summary;
  const at = `${pointer}/results/summary/stop`;
  if (stop > now + AHEAD_MS)
    return [error('test-report-future', at, 'The run stops more than 5 minutes from now; check the clock.')];
  if (stop < now - OLDEST_MS && !accepted)
    return [error('test-report-stale', at, 'The run is more than 7 days old; run the tests again.')];
  return [];
}

function ofCases(tests: readonly ReportTest[], cases: readonly TestCase[], pointer: string): readonly Finding[] {
  const byName = new Map(tests.map((test, index) => [test.name, { test, index }] as const));
  return cases.flatMap(({ name, required, mode }) => {
    const found = byName.get(name);
    if (found === undefined)
      return required ? [error('test-required-missing', pointer, `The required case ${name} has no test.`)] : [];
    const { test, index } = found;
    const own = orbTestOf(test);
    const other = own !== undefined && own.mode !== mode;
    return [
      ...(required && test.status !== 'passed'
        ? [error('test-required-not-passed', `${pointer}/${index}/status`, `The required case ${name} has not passed.`)]
        : []),
      ...(other
        ? [
            error(
              'test-report-invalid',
              `${pointer}/${index}/extra/orb/mode`,
              `The suite says that ${name} is ${mode}.`,
            ),
          ]
        : []),
    ];
  });
}

/** Without suites every test is required (trust.md §8.4). */
const ofTests = (tests: readonly ReportTest[], pointer: string): readonly Finding[] => [
  ...(tests.length === 0 ? [error('test-required-missing', pointer, 'The report has no tests.')] : []),
  ...tests.flatMap(({ status }, index) =>
    status === 'passed'
      ? []
      : [error('test-required-not-passed', `${pointer}/${index}/status`, 'Without suites every test is required.')],
  ),
];

/**
 * Judges a report by its own text (trust.md §8.4): counts, names, digests, times, required cases. Codes:
 * `test-summary-mismatch`, `test-duplicate`, `test-digest-mismatch`, `suite-digest-mismatch`, `test-report-stale`,
 * `test-report-future`, `test-required-missing`, `test-required-not-passed`, and `test-report-invalid` for a mode that
 * the suite does not give.
 */
export function judgeSummary(submission: Submission): readonly Finding[] {
  const { report, pointer, suites } = submission;
  const { tests } = report.results;
  const at = `${pointer}/results/tests`;
  return [
    ...ofCounts(report, `${pointer}/results/summary`),
    ...ofNames(tests, at),
    ...ofDigests(submission),
    ...ofTime(submission),
    ...(suites === undefined ? ofTests(tests, at) : ofCases(tests, suites.cases, at)),
  ];
}

/** How many tests are required, and how many of them passed. */
export function countRequired({ report, suites }: Pick<Submission, 'report' | 'suites'>): {
  readonly required: number;
  readonly passed: number;
} {
  const { tests } = report.results;
  const passed = new Set(tests.filter(({ status }) => status === 'passed').map(({ name }) => name));
  if (suites === undefined) return { required: tests.length, passed: passed.size };
  const required = suites.cases.filter((item) => item.required);
  return { required: required.length, passed: required.filter(({ name }) => passed.has(name)).length };
}
