import type { JsonObject, JsonValue } from '../json/json-value.ts';
import type { RunOutcome } from '../receipt/record.ts';
import type { RunStatus } from '../run/run-status.ts';

/** Names of suite files end so; they stand beside the manifest (trust.md §8.3). */
export const SUITE_SUFFIX = '.orbtest.json';

/** What a case says about one value: exactly one of the three members. */
export type Assertion =
  | { readonly equals: JsonValue }
  /** JSON Schema with the keywords of trust.md §8.3. */
  | { readonly schema: JsonValue }
  /** An output is null, a header is not sent. */
  | { readonly absent: true };

/** The request of the first attempt, as it should be. Members that are left out are not compared. */
export interface ExpectedRequest {
  readonly method?: string;
  readonly url?: string;
  /** By name, in any case. */
  readonly headers?: Readonly<Record<string, Assertion>>;
  /** Compared as JSON when the body is JSON, else as text. */
  readonly body?: JsonValue;
}

export interface Expectation {
  readonly status: RunStatus;
  readonly outcome?: RunOutcome;
  readonly outputs?: Readonly<Record<string, Assertion>>;
  readonly request?: ExpectedRequest;
  readonly attempts?: number;
  /** The provider of the last attempt. */
  readonly active_provider?: string;
  readonly max_execution_ms?: number;
}

/** A simulated provider's answer to one attempt. */
export interface MockResponse {
  readonly provider: string;
  /** Exactly one of `status` and `error` is given. */
  readonly status?: number;
  readonly error?: 'timeout' | 'connect' | 'tls';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
  /** Virtual milliseconds until the answer. */
  readonly delay_ms?: number;
}

export type CaseMode = 'mock' | 'live';

/** One case as it is written. */
export interface SuiteCase {
  readonly id: string;
  readonly required?: boolean;
  readonly mode?: CaseMode;
  readonly timeout_ms?: number;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly inputs: JsonObject;
  readonly responses?: readonly MockResponse[];
  readonly expect: Expectation;
}

/** A suite file, `*.orbtest.json` (trust.md §8.3). */
export interface Suite {
  readonly format: 'orbtest/1';
  readonly name: string;
  /** `org.name`: the suite applies to every version. */
  readonly orb: string;
  readonly defaults?: Pick<SuiteCase, 'mode' | 'timeout_ms' | 'secrets'>;
  readonly cases: readonly SuiteCase[];
}

/** A case with the defaults of its suite filled in. */
export interface TestCase {
  /** `{suite}/{id}`: unique in the suites of an Orb. */
  readonly name: string;
  readonly suite: string;
  readonly mode: CaseMode;
  readonly required: boolean;
  readonly timeoutMs: number | undefined;
  readonly secrets: Readonly<Record<string, string>>;
  readonly inputs: JsonObject;
  readonly responses: readonly MockResponse[];
  readonly expect: Expectation;
}

function caseOf({ name, defaults = {} }: Suite, item: SuiteCase): TestCase {
  return {
    name: `${name}/${item.id}`,
    suite: name,
    mode: item.mode ?? defaults.mode ?? 'mock',
    required: item.required ?? true,
    timeoutMs: item.timeout_ms ?? defaults.timeout_ms,
    secrets: { ...defaults.secrets, ...item.secrets },
    inputs: item.inputs,
    responses: item.responses ?? [],
    expect: item.expect,
  };
}

/** All cases of some suites, in their order. */
export const casesOf = (suites: readonly Suite[]): readonly TestCase[] =>
  suites.flatMap((suite) => suite.cases.map((item) => caseOf(suite, item)));
