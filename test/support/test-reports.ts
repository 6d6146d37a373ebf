import { ed25519Verify, sha256, sha256Hex } from '../../adapters/keys/primitives.ts';
import { encodeBase64Url } from '../../core/json/base64.ts';
import { encodeUtf8 } from '../../core/json/bytes.ts';
import { jcs } from '../../core/json/jcs.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { commit } from '../../core/receipt/commitment.ts';
import type { ReceiptRecord } from '../../core/receipt/record.ts';
import { doCaseWork } from '../../core/suite/case-work.ts';
import {
  judgeTests,
  type JudgeTools,
  type SubmittedTests,
  type TestJudgement,
} from '../../core/test-report/judge-report.ts';
import type { CitedReceipt } from '../../core/test-report/judge-receipts.ts';
import { readSuite, suiteDigest } from '../../core/suite/read-suite.ts';
import { writeReport, type CaseResult } from '../../core/test-report/write-report.ts';
import { aSuite, compiled, echoManifest, jsonOf } from './suites.ts';
import { vectorCase } from './vector-receipts.ts';

/** Time of the judgement. */
export const NOW = Date.parse('2026-11-20T12:00:00Z');
/** Start of the report; it stops a second before `NOW`. */
export const STARTED = NOW - 60_000;
const manifest = echoManifest();
/** The Orb that the reports are about. */
export const orb = compiled(manifest);
/** Id of the receipt that `live` cites. */
export const RECEIPT = 'rcpt_019339a1-8000-7000-8000-000000000001';
/** Id of a receipt that the ledger lacks. */
export const OTHER = 'rcpt_019339a1-8000-7000-8000-000000000002';
const SALT = new Uint8Array(16).fill(7);
/** Salt of every commitment, as base64url. */
export const salt = encodeBase64Url(SALT);

type Members = Readonly<Record<string, unknown>>;

const committed = (value: JsonObject): ReceiptRecord['input'] =>
  commit(SALT, encodeUtf8(jcs(value)), 'application/json', sha256Hex);

interface Change {
  readonly execution?: Members;
  readonly orb?: Members;
  readonly self?: boolean;
  readonly own?: boolean;
  readonly verified?: boolean;
  readonly inputs?: JsonObject;
}

const isRecord = (value: unknown): value is ReceiptRecord => isJsonObject(value);

/** A receipt of the vectors, with the facts that a judge compares. */
export function receipt(change: Change = {}): CitedReceipt {
  const payload: unknown = JSON.parse(
    Buffer.from(vectorCase('active key, proof').input.bundle.jws.split('.')[1] ?? '', 'base64url').toString(),
  );
  if (!isRecord(payload)) throw new Error('no record');
  const record: ReceiptRecord = {
    ...payload,
    orb: { id: orb.orbId, manifest_digest: orb.digest, irreversible: false, ...change.orb },
    execution: {
      ...payload.execution,
      outcome: 'success',
      started_at: new Date(STARTED + 1000).toISOString(),
      duration_ms: 40,
      attempts: [{ provider: 'main', outcome: 'success', http_status: 200, duration_ms: 40 }],
      ...change.execution,
    },
    caller: { tag: 'ct_0123456789abcdef', self: change.self ?? true },
    input: committed(change.inputs ?? { text: 'hi' }),
    output: committed({ text: 'hi' }),
  };
  return { kind: 'found', record, verified: change.verified ?? true, own: change.own ?? true };
}

/** The result of a mock case that passed. */
export const result = (name: string, members: Partial<CaseResult> = {}): CaseResult => ({
  name: `echo/${name}`,
  suite: 'echo',
  mode: 'mock',
  required: true,
  status: 'passed',
  durationMs: 1,
  faults: [],
  ...members,
});
/** The result of the live case, which cites its receipt. */
export const live = (members: Partial<CaseResult> = {}): CaseResult =>
  result('live', {
    mode: 'live',
    receiptId: RECEIPT,
    openings: { input_salt: salt, output_salt: salt, outputs: { text: 'hi' } },
    ...members,
  });
/** Results of both mock cases. */
export const MOCKS = [result('echo'), result('down')];

/** `suite_digest` of good suites; null without one. */
export const digestOf = (suites: readonly JsonValue[]): string | null => {
  const read = suites.flatMap((suite) => {
    const one = readSuite(suite, orb, '');
    return one.ok ? [one.value] : [];
  });
  return read.length === 0 ? null : suiteDigest(read);
};

let uuids = 0;
/** A report of these results. */
export const report = (results: readonly CaseResult[], suites: readonly JsonValue[] = [aSuite()]): JsonObject =>
  writeReport(results, {
    orb: { orb_id: orb.orbId, manifest_digest: orb.digest, suite_digest: digestOf(suites) },
    start: STARTED,
    stop: NOW - 1000,
    version: '1.2.3',
    uuid: () => `019339a1-8000-7000-8000-${String((uuids += 1)).padStart(12, '0')}`,
  });

/** A copy with the member at a path replaced. */
export function changed(value: JsonValue, path: readonly (string | number)[], to: unknown): JsonValue {
  const copy: unknown = structuredClone(value);
  const last = path.at(-1);
  let holder: unknown = copy;
  for (const step of path.slice(0, -1)) holder = isHolder(holder) ? holder[step] : undefined;
  if (isHolder(holder) && last !== undefined) holder[last] = to;
  return jsonOf(copy);
}
const isHolder = (value: unknown): value is Record<string | number, unknown> =>
  typeof value === 'object' && value !== null;

/** Parts of a submission and of its ledger that differ from good ones. */
export interface Given extends Partial<SubmittedTests> {
  readonly receipts?: Readonly<Record<string, CitedReceipt>>;
  readonly accepted?: boolean;
  readonly runCases?: JudgeTools['runCases'];
}

/** The judgement of a good report, or of one with other parts. */
export const judged = ({
  receipts = { [RECEIPT]: receipt() },
  accepted = false,
  runCases,
  ...given
}: Given = {}): Promise<TestJudgement> =>
  judgeTests(
    {
      manifest,
      orb,
      allowedOrigins: [],
      suites: [aSuite()],
      report: report([...MOCKS, live()]),
      now: NOW,
      rerun: new Set(),
      ...given,
    },
    {
      receipts: async (id) => receipts[id] ?? { kind: 'missing' },
      runCases: runCases ?? (async (work) => ({ kind: 'done', result: doCaseWork(work) })),
      wasAccepted: async () => accepted,
      primitives: { sha256, ed25519Verify },
      turn: async () => undefined,
    },
  );
