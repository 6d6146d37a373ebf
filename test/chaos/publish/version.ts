import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { compileOrb } from '../../../core/orb/compile-orb.ts';
import { readSuite, suiteDigest } from '../../../core/suite/read-suite.ts';
import { casesOf, type TestCase } from '../../../core/suite/suite.ts';
import type { CaseOpenings, OrbReport } from '../../../core/test-report/ctrf.ts';
import { writeReport, type CaseResult } from '../../../core/test-report/write-report.ts';
import { orbManifest } from '../../support/orbs.ts';
import { jsonOf } from '../../support/suites.ts';

/** The organisation of every version that is published. */
export const ORG = 'chaos';

/** A version to publish. */
export interface Version {
  readonly orbId: string;
  /** Name of its file or object. */
  readonly name: string;
  readonly manifest: JsonObject;
  readonly digest: string;
  readonly suite: JsonObject;
  readonly about: OrbReport;
  readonly cases: readonly TestCase[];
}

/** A run of the live case, with what opens its receipt. */
export interface LiveRun {
  readonly receiptId: string;
  readonly openings: CaseOpenings;
  /** Ms since epoch: before and after the run. */
  readonly start: number;
  readonly stop: number;
}

/** Few: an evaluation reads the evidence of its whole line. */
const VERSIONS_OF_A_LINE = 20;
/** So many that the stage `tests` takes a while: a kill can hit it. */
const MOCK_CASES = 40;
const TEXT = 'hi';

/** Inputs of the live case. */
export const LIVE_INPUTS = { text: TEXT };

const mockCase = (number: number): object => ({
  id: `returns-an-id-${number}`,
  inputs: { text: TEXT },
  responses: [{ provider: 'main', status: 200, body: { id: `id-${number}` } }],
  expect: { status: 'completed', outputs: { id: { equals: `id-${number}` } } },
});

const suiteOf = (orb: string): object => ({
  format: 'orbtest/1',
  name: 'all',
  orb,
  cases: [
    ...Array.from({ length: MOCK_CASES }, (_, number) => mockCase(number)),
    {
      id: 'provider-down',
      inputs: { text: TEXT },
      responses: [{ provider: 'main', status: 503 }],
      expect: { status: 'failed', outcome: 'orb_error' },
    },
    {
      id: 'live',
      mode: 'live',
      inputs: LIVE_INPUTS,
      expect: { status: 'completed', outputs: { id: { schema: { type: 'string', minLength: 1 } } } },
    },
  ],
});

function objectOf(value: unknown): JsonObject {
  const json = jsonOf(value);
  if (!isJsonObject(json)) throw new TypeError('an object is expected');
  return json;
}

/** A manifest or a suite without errors. @throws Error its findings */
function valid<T>(
  read: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly findings: unknown },
): T {
  if (!read.ok) throw new Error(JSON.stringify(read.findings));
  return read.value;
}

/**
 * A new version.
 * @param number 0, 1 …; no two versions of a run have the same number
 * @param url of the provider, which answers with an `id`
 */
export function aVersion(number: number, url: string): Version {
  const line = `${ORG}.line-${String(Math.floor(number / VERSIONS_OF_A_LINE)).padStart(3, '0')}`;
  const orbId = `${line}@1.0.${number % VERSIONS_OF_A_LINE}`;
  const words = { description: `Version ${number} of a test.`, capabilities: ['http.call'] };
  const manifest = objectOf(JSON.parse(orbManifest(orbId, { url, manifest: words })));
  const orb = valid(compileOrb(manifest, { namespace: 'default', allowedOrigins: [new URL(url).origin] }));
  const suite = valid(readSuite(objectOf(suiteOf(line)), orb, ''));
  const about = { orb_id: orbId, manifest_digest: orb.digest, suite_digest: suiteDigest([suite]) };
  return { orbId, name: `version-${number}`, manifest, digest: orb.digest, suite, about, cases: casesOf([suite]) };
}

/** The body of a publication, with a new report: every case has passed. */
export function submissionOf({ manifest, suite, about, cases }: Version, run: LiveRun): JsonObject {
  const { receiptId, openings, start, stop } = run;
  const results = cases.map(({ name, suite: own, mode, required }): CaseResult => ({
    name,
    suite: own,
    mode,
    required,
    status: 'passed',
    durationMs: 1,
    faults: [],
    ...(mode === 'live' ? { receiptId, openings } : {}),
  }));
  const report = writeReport(results, { orb: about, start, stop, version: '1.0.0', uuid: randomUUID });
  return { manifest, test_results: report, test_suites: [suite] };
}
