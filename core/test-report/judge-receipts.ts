import { decodeBase64Url } from '../json/base64.ts';
import type { Finding } from '../manifest/finding.ts';
import type { Primitives } from '../merkle/primitives.ts';
import { isReceiptId } from '../receipt/ids.ts';
import type { ReceiptRecord } from '../receipt/record.ts';
import { runStatusOf } from '../run/run-status.ts';
import { checkOpenings, type Opening } from '../verify/openings.ts';
import { compareRun } from '../suite/compare.ts';
import { orbTestOf, type OrbTest, type ReportTest } from './ctrf.ts';
import type { Submission } from './judge-summary.ts';
import type { TestCase } from '../suite/suite.ts';

/** A receipt that a report cites, as the ledger has it. */
export type CitedReceipt =
  /** Unknown or erased, or it is no receipt of a run. */
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'found';
      readonly record: ReceiptRecord;
      /** Its signature, form and key are good. */
      readonly verified: boolean;
      /** It is of the publisher's own tenant: findings may say what does not fit, and its run is not independent. */
      readonly own: boolean;
    };

/** Reads a receipt of any tenant by its id. It is called once for each id, at the same time for all of them. */
export type ReadReceipt = (receiptId: string) => Promise<CitedReceipt>;

/** A test that cites a receipt. */
interface Citation {
  readonly test: ReportTest;
  readonly own: OrbTest;
  readonly receiptId: string;
  readonly index: number;
  /** The case of the suites; undefined without suites. */
  readonly item: TestCase | undefined;
}

/** What the receipts of a report say. */
export interface JudgedReceipts {
  readonly findings: readonly Finding[];
  /** Names of live cases whose receipt fits. `self`: its caller owned the Orb, or is the publisher's tenant. */
  readonly good: ReadonlyMap<string, { readonly self: boolean }>;
  readonly checked: number;
  /** Receipts whose disclosed values do not fit (trust.md §3.2, row 9). */
  readonly invalid: number;
}

interface ReceiptTools {
  readonly receipts: ReadReceipt;
  readonly primitives: Primitives;
  /** What is wrong with the disclosed outputs of live cases, by name. */
  readonly outputFaults: ReadonlyMap<string, readonly string[]>;
}

const error = (code: string, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'error',
});

/** Tests of a report that cite a receipt, in its order. */
export function citationsOf({ report, suites }: Pick<Submission, 'report' | 'suites'>): readonly Citation[] {
  const cases = new Map((suites?.cases ?? []).map((item) => [item.name, item] as const));
  return report.results.tests.flatMap((test, index) => {
    const own = orbTestOf(test);
    const receiptId = own?.receipt_id;
    if (own === undefined || receiptId === undefined) return [];
    return [{ test, own, receiptId, index, item: cases.get(test.name) }];
  });
}

const saltOf = (text: string): Uint8Array => decodeBase64Url(text) ?? new Uint8Array();

/** The values that a test discloses; an opening that is left out is not compared. */
function openingsOf({ own: { openings }, item }: Citation): { readonly input?: Opening; readonly output?: Opening } {
  if (openings === undefined) return {};
  const { input_salt: input, output_salt: output, outputs } = openings;
  return {
    ...(item === undefined ? {} : { input: { salt: saltOf(input), value: { json: item.inputs } } }),
    ...(output === undefined || outputs === undefined
      ? {}
      : { output: { salt: saltOf(output), value: { json: outputs } } }),
  };
}

const isWithin = ({ results: { summary } }: Submission['report'], { execution }: ReceiptRecord): boolean => {
  const started = Date.parse(execution.started_at);
  return started >= summary.start && started <= summary.stop;
};

function recordFaults({ item, test }: Citation, { execution }: ReceiptRecord): readonly string[] {
  if (item === undefined || test.status !== 'passed') return [];
  const { outputs: _, ...expect } = item.expect;
  const facts = {
    status: runStatusOf[execution.outcome],
    outcome: execution.outcome,
    outputs: null,
    request: undefined,
    attempts: execution.attempts.length,
    activeProvider: execution.attempts.at(-1)?.provider,
    executionMs: execution.duration_ms,
  };
  return compareRun(facts, { timeoutMs: item.timeoutMs, expect });
}

/** What a passed case must disclose: the salt of its inputs, and its outputs when it says what they are. */
function missingOpenings({ item, test, own: { openings } }: Citation): readonly string[] {
  if (item === undefined || test.status !== 'passed') return [];
  if (openings === undefined)
    return ['the test has no openings, so nothing shows that its inputs are those of the case'];
  const needsOutputs = Object.keys(item.expect.outputs ?? {}).length > 0;
  const hasOutputs = openings.outputs !== undefined && openings.output_salt !== undefined;
  return needsOutputs && !hasOutputs ? ['the outputs that the case expects are not disclosed'] : [];
}

interface JudgedCitation {
  readonly findings: readonly Finding[];
  readonly isOpeningWrong: boolean;
  readonly good?: { readonly self: boolean };
}

/** What is wrong with the receipt itself, apart from disclosed values. */
function placeFaults(record: ReceiptRecord, { orbId, manifestDigest, report }: Submission): readonly string[] {
  const isOfOrb = record.orb.id === orbId && record.orb.manifest_digest === manifestDigest;
  return [
    ...(isOfOrb ? [] : ['it is of another Orb or of other bytes']),
    ...(isWithin(report, record) ? [] : ['its run did not start between start and stop of the report']),
  ];
}

async function judgeFound(
  citation: Citation,
  { record, own }: Extract<CitedReceipt, { kind: 'found' }>,
  submission: Submission,
  tools: ReceiptTools,
): Promise<JudgedCitation> {
  const { index, test } = citation;
  const wrong = await checkOpenings(openingsOf(citation), record, tools.primitives);
  const faults = [
    ...placeFaults(record, submission),
    ...recordFaults(citation, record),
    ...missingOpenings(citation),
    ...(wrong === undefined ? [] : [`the disclosed ${wrong} does not fit its commitment`]),
    ...(test.status === 'passed' ? (tools.outputFaults.get(test.name) ?? []) : []),
  ];
  // Whoever owned the Orb when it ran, a run of the publisher's own tenant is no independent one.
  if (faults.length === 0) return { findings: [], isOpeningWrong: false, good: { self: record.caller.self || own } };
  // Nobody learns from a report what a foreign receipt says.
  const why = own ? `: ${faults.slice(0, 3).join('; ')}.` : '.';
  const detail = `The receipt does not fit the case ${test.name}${why}`;
  return {
    findings: [error('test-receipt-mismatch', receiptPointer(submission, index), detail)],
    isOpeningWrong: wrong !== undefined,
  };
}

const receiptPointer = ({ pointer }: Pick<Submission, 'pointer'>, index: number): string =>
  `${pointer}/results/tests/${index}/extra/orb/receipt_id`;

async function judgeCitation(citation: Citation, submission: Submission, tools: ReceiptTools): Promise<JudgedCitation> {
  const { receiptId, index } = citation;
  const receipt: CitedReceipt = isReceiptId(receiptId) ? await tools.receipts(receiptId) : { kind: 'missing' };
  if (receipt.kind === 'found' && receipt.verified) return judgeFound(citation, receipt, submission, tools);
  const detail = 'This ledger has no valid receipt with this id: it is unknown, erased, or does not verify.';
  return {
    findings: [error('test-receipt-invalid', receiptPointer(submission, index), detail)],
    isOpeningWrong: false,
  };
}

function reusedFindings(citations: readonly Citation[], submission: Submission): readonly Finding[] {
  const seen = new Set<string>();
  return citations.flatMap(({ receiptId, index }) => {
    const at = receiptPointer(submission, index);
    if (seen.has(receiptId))
      return [error('test-receipt-reused', at, 'Another test of the report cites this receipt.')];
    seen.add(receiptId);
    return [];
  });
}

/**
 * Judges the receipts that a report cites (trust.md §8.4). Codes: `test-receipt-invalid`, `test-receipt-mismatch`,
 * `test-receipt-reused`.
 */
export async function judgeReceipts(submission: Submission, tools: ReceiptTools): Promise<JudgedReceipts> {
  const citations = citationsOf(submission);
  const judged = await Promise.all(citations.map((citation) => judgeCitation(citation, submission, tools)));
  const reused = reusedFindings(citations, submission);
  const good = judged.flatMap(({ good: fits }, index) => {
    const name = citations[index]?.test.name;
    return fits === undefined || name === undefined ? [] : [[name, fits] as const];
  });
  return {
    findings: [...judged.flatMap(({ findings }) => findings), ...reused],
    good: reused.length === 0 ? new Map(good) : new Map(),
    checked: citations.length,
    invalid: judged.filter(({ isOpeningWrong }) => isOpeningWrong).length,
  };
}
