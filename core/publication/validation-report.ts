import type { JsonObject } from '../json/json-value.ts';
import type { Finding } from '../manifest/finding.ts';
import { reportFinding } from './report-finding.ts';
import type { PROVENANCES } from '../log-entry/entry-members.ts';

/** Stages of publishing, in their order (trust.md §8). */
export const STAGES = ['schema', 'ontology', 'namespace', 'version', 'tests', 'verification', 'listing'] as const;

export type Stage = (typeof STAGES)[number];

/** What the tests of a publication showed. */
export interface TestSummary {
  readonly required: number;
  readonly passed: number;
  readonly provenance: (typeof PROVENANCES)[number];
  /** Digest of the suites; null: none were sent. */
  readonly suiteDigest: string | null;
}

/** What is known of a publication so far. */
export interface ReportFacts {
  readonly orbId: string | null;
  readonly manifestDigest: string | null;
  readonly ontology: { readonly id: string; readonly version: string };
  /** The stage that failed; undefined: none did. */
  readonly failed?: Stage;
  /** Stages that passed. */
  readonly passed: readonly Stage[];
  readonly tests: TestSummary | null;
  /** Pointers are into the request body. */
  readonly findings: readonly Finding[];
}

/** `validation_report` of a publication (trust.md §8): the full report of the first stage that failed. */
export function validationReport(facts: ReportFacts): JsonObject {
  const { orbId, manifestDigest, ontology, failed, passed, tests, findings } = facts;
  const statusOf = (stage: Stage): string => {
    if (stage === failed) return 'failed';
    return passed.includes(stage) ? 'passed' : 'not_run';
  };
  return {
    valid: failed === undefined,
    orb_id: orbId,
    manifest_digest: manifestDigest,
    ontology: { id: ontology.id, version: ontology.version },
    stages: STAGES.map((id) => ({ id, status: statusOf(id) })),
    tests: tests && {
      required: tests.required,
      passed: tests.passed,
      provenance: tests.provenance,
      suite_digest: tests.suiteDigest,
    },
    findings: findings.map((finding) => ({ ...reportFinding(finding, '') })),
  };
}

/** Findings of a part of the body, with pointers into the whole. */
export const below = (pointer: string, findings: readonly Finding[]): readonly Finding[] =>
  findings.map((finding) => ({ ...finding, pointer: `${pointer}${finding.pointer}` }));
