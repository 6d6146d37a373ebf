import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import { writeReport, type CaseResult } from '../../core/test-report/write-report.ts';
import { aSuite, echoManifest, mockCase } from './suites.ts';
import { digestOf as digestOfSuites } from './test-reports.ts';

/** Id and digest of a manifest that compiles; others for one that does not. */
function orbOf(manifest: JsonValue): { readonly orb_id: string; readonly manifest_digest: string } {
  const orb = compileOrb(manifest, { namespace: 'acme', allowedOrigins: [] });
  return orb.ok
    ? { orb_id: orb.value.orbId, manifest_digest: orb.value.digest }
    : { orb_id: 'acme.echo@1.0.0', manifest_digest: `sha256:${'0'.repeat(64)}` };
}

/** The result of a case that passed. @param name in full */
export const passed = (name: string, members: Partial<CaseResult> = {}): CaseResult => ({
  name,
  suite: 'echo',
  mode: 'mock',
  required: true,
  status: 'passed',
  durationMs: 1,
  faults: [],
  ...members,
});

let uuids = 0;

/** A report with these results of now. */
function reportOf(manifest: JsonValue, results: readonly CaseResult[], suiteDigest: string | null): JsonObject {
  const now = Date.now();
  return writeReport(results, {
    orb: { ...orbOf(manifest), suite_digest: suiteDigest },
    start: now - 2000,
    stop: now - 1000,
    version: '1.0.0',
    uuid: () => `019339a1-8000-7000-8000-${String((uuids += 1)).padStart(12, '0')}`,
  });
}

/** Parts that differ from an honest publication. */
interface Parts {
  readonly manifest?: JsonValue;
  readonly suites?: readonly unknown[];
  readonly results?: readonly CaseResult[];
  readonly suiteDigest?: string | null;
}

/** The body of `POST /marketplace/orbs/publish`. */
export function publicationBody({
  manifest = echoManifest(),
  suites = [aSuite()],
  results = [passed('echo/echo')],
  suiteDigest = null,
}: Parts): string {
  return JSON.stringify({ manifest, test_results: reportOf(manifest, results, suiteDigest), test_suites: suites });
}

/** An honest publication of `acme.echo@2.0.0`: mock cases alone, all passed. */
export function honestPublication(cases: number): string {
  const numbers = Array.from({ length: cases }, (_, index) => index);
  const suites = [aSuite({ cases: numbers.map((index) => mockCase({ id: `c${index}` })) })];
  return publicationBody({
    manifest: echoManifest({ orb_id: 'acme.echo@2.0.0' }),
    suites,
    results: numbers.map((index) => passed(`echo/c${index}`)),
    suiteDigest: digestOfSuites(suites),
  });
}
