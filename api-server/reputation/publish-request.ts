import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { Stage, TestSummary } from '../../core/publication/validation-report.ts';

/** What is to be published, as it was sent. */
export interface PublishRequest {
  readonly tenant: string;
  readonly manifest: JsonValue;
  readonly testResults: JsonValue;
  /** Empty: none were sent. */
  readonly testSuites: readonly JsonValue[];
  readonly dryRun: boolean;
}

/** A test report that passed. */
export interface AcceptedTests {
  readonly reportSha256: string;
  readonly report: string;
  readonly suites: string | null;
  /** Compact JWS. */
  readonly statement: string;
  /** ISO time of the end of the tests. */
  readonly testedAt: string;
}

/** What the receipts of a report showed. */
interface Audit {
  /** Lower-case hex of the SHA-256 of the canonical report, which is audited once. */
  readonly reportSha256: string;
  readonly checked: number;
  readonly invalid: number;
}

/** Result of stage `tests`. */
export interface TestsVerdict {
  readonly findings: readonly Finding[];
  readonly summary: TestSummary | null;
  /** Receipts that the report cites; undefined: it cites none. */
  readonly audit: Audit | undefined;
  /** Undefined: the stage failed. */
  readonly accepted: AcceptedTests | undefined;
}

/** Stage `tests` (trust.md §8.4). */
export type CheckTests = (orb: CompiledOrb, request: PublishRequest) => Promise<TestsVerdict>;

/** Why a publication is refused. */
export type RefusalCode =
  | 'validation-failed'
  | 'namespace-not-owned'
  | 'namespace-unverified'
  | 'version-immutable'
  | 'version-tombstoned'
  | 'version-build-metadata';

/** Result of a request to publish. */
export type Published =
  | {
      readonly kind: 'refused';
      readonly code: RefusalCode;
      readonly stage: Stage;
      readonly report: JsonObject;
      readonly findings: readonly Finding[];
      readonly detail?: string;
    }
  /** A dry run: every stage before `listing` passed. */
  | { readonly kind: 'checked'; readonly report: JsonObject }
  /** `isNew` false: the same bytes were published before. */
  | {
      readonly kind: 'listed';
      readonly isNew: boolean;
      readonly orbId: string;
      readonly digest: string;
      readonly logIndex: number;
      readonly report: JsonObject;
    };
