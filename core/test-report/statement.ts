import { jcs } from '../json/jcs.ts';
import type { JsonObject } from '../json/json-value.ts';
import { casesOf } from '../suite/suite.ts';
import type { JudgedReport } from './judge-report.ts';

/** Type in the header of a signed test result; the certificate key signs it (trust.md §1.3). */
export const TEST_RESULT_TYPE = 'orb-test-result+jws';

const HEX = 'sha256:'.length;

interface TestedOrb {
  readonly orbId: string;
  readonly digest: string;
}

function resultsOf({
  document,
  suites,
}: JudgedReport): Readonly<Record<'passed' | 'warned' | 'failed', readonly string[]>> {
  const optional = new Set(casesOf(suites).flatMap(({ name, required }) => (required ? [] : [name])));
  const { tests } = document.results;
  const others = tests.filter(({ status }) => status !== 'passed').map(({ name }) => name);
  return {
    passed: tests.filter(({ status }) => status === 'passed').map(({ name }) => name),
    warned: others.filter((name) => optional.has(name)),
    failed: others.filter((name) => !optional.has(name)),
  };
}

/**
 * The public result of an accepted report: an in-toto Statement v1 with the predicate `test-result/v0.1`
 * (trust.md §8.4). A case that is not required and has not passed is a warning.
 */
export function testResultStatement(orb: TestedOrb, report: JudgedReport): JsonObject {
  const { passed, warned, failed } = resultsOf(report);
  const { suiteDigest } = report;
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: orb.orbId, digest: { sha256: orb.digest.slice(HEX) } }],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: failed.length > 0 ? 'FAILED' : warned.length > 0 ? 'WARNED' : 'PASSED',
      configuration: suiteDigest === null ? [] : [{ name: 'suites', digest: { sha256: suiteDigest.slice(HEX) } }],
      passedTests: passed,
      warnedTests: warned,
      failedTests: failed,
    },
  };
}

/**
 * Signs a statement. Its payload is canonical JSON without the profile of receipts: in-toto's names have capitals.
 * @param sign makes a compact JWS of a payload and the type of its header
 */
export const sealStatement = (
  statement: JsonObject,
  sign: (payload: string, type: typeof TEST_RESULT_TYPE) => string,
): string => sign(jcs(statement), TEST_RESULT_TYPE);
