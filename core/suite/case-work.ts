import type { JsonObject, JsonValue } from '../json/json-value.ts';
import { compileOrb } from '../orb/compile-orb.ts';
import type { CompiledOrb } from '../orb/compiled-orb.ts';
import { compareOutputs, compareRun } from './compare.ts';
import { mockRun } from './mock-run.ts';
import { readSuite } from './read-suite.ts';
import { casesOf, type TestCase } from './suite.ts';

/** What a worker does for the judge of a report: plain data, so that it can go to a thread. */
export interface CaseWork {
  /** A manifest that compiles. */
  readonly manifest: JsonValue;
  /** Suites that `readSuite` accepts. */
  readonly suites: readonly JsonValue[];
  /** Origins of `--egress-allow`: exempt from the rules about hosts, as when the manifest was checked. */
  readonly allowedOrigins: readonly string[];
  /** Outputs of live cases that a report discloses, by full name of the case. */
  readonly disclosed: readonly { readonly name: string; readonly outputs: JsonObject }[];
}

/** A case by its full name, and what was wrong; no faults: it passed. */
export interface CaseFaults {
  readonly name: string;
  readonly faults: readonly string[];
}

export interface CaseWorkDone {
  /** Every mock case. */
  readonly mocks: readonly CaseFaults[];
  /** Every disclosed case of the suites. */
  readonly disclosed: readonly CaseFaults[];
}

/** What a worker answered. */
export type CaseWorkAnswer =
  | { readonly kind: 'done'; readonly result: CaseWorkDone }
  /** The cases broke a limit or the worker. */
  | { readonly kind: 'stopped'; readonly why: string }
  /** The platform did not run them: the same work may be asked for again. */
  | { readonly kind: 'unavailable'; readonly why: string };

/**
 * Runs one mock case and compares it with what it expects.
 * @param allowedOrigins as `mockRun`
 * @returns faults, and the virtual ms that it took
 */
export function testMock(
  orb: CompiledOrb,
  item: TestCase,
  allowedOrigins: readonly string[],
): { readonly faults: readonly string[]; readonly executionMs: number } {
  const run = mockRun(orb, item, allowedOrigins);
  if (run.kind === 'refused') return { faults: [run.why], executionMs: 0 };
  return { faults: compareRun(run.facts, item), executionMs: run.facts.executionMs };
}

/**
 * Runs every mock case, and compares disclosed outputs of live ones with what they should be. Pure; a hostile suite
 * may take long, so strangers' suites run in a thread with limits.
 * @throws TypeError manifest or suites were not checked before
 */
export function doCaseWork({ manifest, suites, allowedOrigins, disclosed }: CaseWork): CaseWorkDone {
  const orb = compileOrb(manifest, { namespace: 'test', allowedOrigins });
  if (!orb.ok) throw new TypeError('the manifest does not compile');
  const cases = casesOf(
    suites.map((suite) => {
      const read = readSuite(suite, orb.value, '');
      if (!read.ok) throw new TypeError('a suite is not valid');
      return read.value;
    }),
  );
  return {
    mocks: cases
      .filter(({ mode }) => mode === 'mock')
      .map((item) => ({ name: item.name, faults: testMock(orb.value, item, allowedOrigins).faults })),
    disclosed: disclosed.flatMap(({ name, outputs }) => {
      const found = cases.find((item) => item.name === name);
      return found === undefined ? [] : [{ name, faults: compareOutputs(outputs, found.expect.outputs) }];
    }),
  };
}
