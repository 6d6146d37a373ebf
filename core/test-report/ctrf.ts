import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { listAt, member } from '../json/members.ts';
import { isTooDeep } from '../json/too-deep.ts';
import { schemaFaultSteps } from '../suite/schema-faults.ts';
import { shownPointer } from '../manifest/child-pointer.ts';
import type { Checked, Finding } from '../manifest/finding.ts';
import schema from './ctrf.schema.json' with { type: 'json' };
import type { CaseMode } from '../suite/suite.ts';
import { toEnd, type Steps } from '../steps/steps.ts';

/** Statuses of a test; all but `passed` count as not passed. */
export const TEST_STATUSES = ['passed', 'failed', 'skipped', 'pending', 'other'] as const;
export type TestStatus = (typeof TEST_STATUSES)[number];

/** Salts of a cited receipt and the outputs that it commits to, for the judge alone (trust.md §1.4). */
export interface CaseOpenings {
  /** base64url. */
  readonly input_salt: string;
  /** base64url; absent when the run had no outputs. */
  readonly output_salt?: string;
  readonly outputs?: JsonObject;
}

/** `tests[].extra.orb` (trust.md §8.4). */
export interface OrbTest {
  /** Full name of the case, the same as the name of the test. */
  readonly case: string;
  readonly mode: CaseMode;
  readonly receipt_id?: string;
  readonly openings?: CaseOpenings;
}

/** `results.extra.orb` (trust.md §8.4). */
export interface OrbReport {
  readonly orb_id: string;
  readonly manifest_digest: string;
  /** Null: the tests are of no suite. */
  readonly suite_digest: string | null;
}

export interface ReportTest {
  readonly id?: string;
  readonly name: string;
  readonly status: TestStatus;
  /** Milliseconds. */
  readonly duration: number;
  readonly flaky?: boolean;
  readonly extra?: JsonObject;
}

interface ReportSummary extends Readonly<Record<TestStatus, number>> {
  readonly tests: number;
  readonly flaky?: number;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly stop: number;
}

/** The members of a CTRF report that are read. */
export interface CtrfReport {
  readonly reportFormat: 'CTRF';
  readonly specVersion: string;
  readonly results: {
    readonly tool: { readonly name: string };
    readonly summary: ReportSummary;
    readonly tests: readonly ReportTest[];
    readonly extra: { readonly orb: OrbReport };
  };
}

/** A report may cite at most so many receipts: as many as an Orb may have cases. */
export const MAX_CITED = 200;
/** Bounds the work of a hostile report; an Orb has at most 200 cases, and other tests may be in the report too. */
const MAX_TESTS = 2000;
const MAX_FINDINGS = 50;

const DIGEST = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' };
const SALT = { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$', description: 'A salt is 16 bytes as base64url.' };

const ORB_REPORT: JsonObject = {
  type: 'object',
  required: ['orb_id', 'manifest_digest', 'suite_digest'],
  additionalProperties: false,
  properties: {
    orb_id: { type: 'string', maxLength: 253 },
    manifest_digest: DIGEST,
    suite_digest: { type: ['string', 'null'], pattern: DIGEST.pattern },
  },
};

const ORB_TEST: JsonObject = {
  type: 'object',
  required: ['case', 'mode'],
  additionalProperties: false,
  properties: {
    case: { type: 'string', maxLength: 256 },
    mode: { enum: ['mock', 'live'] },
    receipt_id: { type: 'string', maxLength: 64 },
    openings: {
      type: 'object',
      required: ['input_salt'],
      additionalProperties: false,
      properties: { input_salt: SALT, output_salt: SALT, outputs: { type: 'object' } },
    },
  },
};

const invalid = (pointer: string, detail: string, suggestion?: string): Finding => ({
  code: 'test-report-invalid',
  pointer: shownPointer(pointer),
  detail,
  severity: 'error',
  ...(suggestion === undefined ? {} : { suggestion }),
});

function* faultSteps(value: JsonValue, form: JsonValue, pointer: string): Steps<readonly Finding[]> {
  const faults = yield* schemaFaultSteps(value, form, MAX_FINDINGS);
  return faults.map((fault) => invalid(`${pointer}${fault.pointer}`, fault.detail, fault.suggestion));
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** The platform's own member of an `extra` object; undefined when it is absent. */
const orbOf = (holder: JsonValue): JsonValue | undefined => member(member(holder, 'extra'), 'orb');

/** Tests in a piece. */
const PIECE = 200;

function* testFindings(tests: JsonValue | undefined, pointer: string): Steps<readonly Finding[]> {
  const found: Finding[] = [];
  for (const [index, test] of (isList(tests) ? tests : []).entries()) {
    if (index % PIECE === PIECE - 1) yield;
    const orb = orbOf(test);
    if (orb === undefined) continue;
    const at = `${pointer}/${index}/extra/orb`;
    found.push(...(yield* faultSteps(orb, ORB_TEST, at)));
    if (member(orb, 'case') !== member(test, 'name'))
      found.push(invalid(`${at}/case`, 'It is the full name of the case, like the name of the test.'));
    if (found.length >= MAX_FINDINGS) break;
  }
  return found;
}

/** Canonical JSON has no form for half of a surrogate pair, and the report's digest is over canonical JSON. */
function isWellFormed(value: JsonValue): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (isList(value)) return value.every(isWellFormed);
  return (
    !isJsonObject(value) || Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWellFormed(inner))
  );
}

function* reportFindings(value: JsonValue, pointer: string): Steps<readonly Finding[]> {
  if (isTooDeep(value)) return [invalid(pointer, 'A report has at most 128 levels.')];
  const tests = `${pointer}/results/tests`;
  if (listAt(member(value, 'results'), 'tests').length > MAX_TESTS)
    return [invalid(tests, `A report has at most ${MAX_TESTS} tests.`)];
  const shape = yield* faultSteps(value, schema, pointer);
  if (shape.length > 0) return shape;
  yield;
  if (!isWellFormed(value)) return [invalid(pointer, 'A text holds half of a surrogate pair.')];
  const results = member(value, 'results') ?? null;
  const own = orbOf(results);
  const at = `${pointer}/results`;
  const orb =
    own === undefined
      ? [invalid(`${at}/extra/orb`, 'It says which Orb was tested: orb_id, manifest_digest, suite_digest.')]
      : yield* faultSteps(own, ORB_REPORT, `${at}/extra/orb`);
  return [...orb, ...(yield* testFindings(member(results, 'tests'), tests))];
}

/** A report as it was read: plain JSON. */
export type ReportDocument = JsonObject & CtrfReport;

/** The platform's members of a test that `readReport` accepted. */
export const orbTestOf = (test: ReportTest): OrbTest | undefined => {
  const own = member(test.extra, 'orb');
  return own !== undefined && isOrbTest(own) ? own : undefined;
};

/** Its whole form was checked when the report was read. */
const isOrbTest = (value: JsonValue): value is JsonObject & OrbTest =>
  isJsonObject(value) && typeof value['case'] === 'string' && typeof value['mode'] === 'string';

/** @param findings of `reportFindings`: the guard makes the type */
const isReport = (value: JsonValue, findings: readonly Finding[]): value is ReportDocument => findings.length === 0;

/**
 * Reads a test report: CTRF JSON with the platform's members in `extra.orb` (trust.md §8.4). In pieces.
 * @param value parsed JSON of any shape
 * @param pointer where the report stands: `/test_results`
 * @returns the report, or findings `test-report-invalid`, at most about 50
 */
export function* readReportSteps(value: JsonValue, pointer: string): Steps<Checked<ReportDocument>> {
  const all = yield* reportFindings(value, pointer);
  const findings = all.slice(0, MAX_FINDINGS);
  if (isReport(value, findings)) return { ok: true, value, findings };
  return { ok: false, findings };
}

/** As `readReportSteps`, at once. */
export const readReport = (value: JsonValue, pointer: string): Checked<ReportDocument> =>
  toEnd(readReportSteps(value, pointer));
