import type { JsonObject } from '../json/json-value.ts';
import { TEST_STATUSES, type CaseOpenings, type OrbReport, type TestStatus } from './ctrf.ts';
import type { CaseMode } from '../suite/suite.ts';

/** How one case ended. */
export interface CaseResult {
  /** Full name. */
  readonly name: string;
  readonly suite: string;
  readonly mode: CaseMode;
  readonly required: boolean;
  readonly status: Extract<TestStatus, 'passed' | 'failed' | 'skipped'>;
  /** Milliseconds. */
  readonly durationMs: number;
  /** What was wrong, or why it was skipped. */
  readonly faults: readonly string[];
  /** The receipt of a live case, and what opens its commitments. */
  readonly receiptId?: string;
  readonly openings?: CaseOpenings;
}

/** A test run: when it was, and of what. */
export interface TestRunAbout {
  readonly orb: OrbReport;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly stop: number;
  /** Version of this program. */
  readonly version: string;
  /** Returns a new UUID. */
  readonly uuid: () => string;
}

const openingsOf = ({ input_salt, output_salt, outputs }: CaseOpenings): JsonObject => ({
  input_salt,
  ...(output_salt === undefined ? {} : { output_salt }),
  ...(outputs === undefined ? {} : { outputs }),
});

function orbOf({ name, mode, receiptId, openings }: CaseResult): JsonObject {
  return {
    case: name,
    mode,
    ...(receiptId === undefined ? {} : { receipt_id: receiptId }),
    ...(openings === undefined ? {} : { openings: openingsOf(openings) }),
  };
}

const testOf = (result: CaseResult, id: string): JsonObject => ({
  id,
  name: result.name,
  status: result.status,
  duration: result.durationMs,
  suite: [result.suite],
  ...(result.faults.length === 0 ? {} : { message: result.faults.join('\n') }),
  extra: { orb: orbOf(result) },
});

/** Writes a CTRF report (trust.md §8.4) of the results, in their order. It passes `readReport`. */
export function writeReport(results: readonly CaseResult[], about: TestRunAbout): JsonObject {
  const { orb, start, stop, version, uuid } = about;
  const counts = TEST_STATUSES.map((name) => [name, results.filter(({ status }) => status === name).length] as const);
  return {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    reportId: uuid(),
    timestamp: new Date(stop).toISOString(),
    generatedBy: 'orb',
    results: {
      tool: { name: 'orb', version },
      summary: {
        tests: results.length,
        ...Object.fromEntries(counts),
        suites: new Set(results.map(({ suite }) => suite)).size,
        start,
        stop,
      },
      tests: results.map((result) => testOf(result, uuid())),
      extra: { orb: { ...orb } },
    },
  };
}
