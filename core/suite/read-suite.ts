import { encodeUtf8 } from '../json/bytes.ts';
import type { Digest } from '../json/digest.ts';
import { jcsSteps } from '../steps/jcs-steps.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { listAt } from '../json/members.ts';
import { isTooDeep } from '../json/too-deep.ts';
import { schemaFaults } from './schema-faults.ts';
import { hasCredentialForm } from '../manifest-rules/check-secret-literals.ts';
import { childPointer, shownPointer } from '../manifest/child-pointer.ts';
import { digestOfText } from '../manifest/digest.ts';
import type { Checked, Finding } from '../manifest/finding.ts';
import { toEnd, type Steps } from '../steps/steps.ts';
import { checkCases, type TestedOrb } from './check-cases.ts';
import { MAX_CASES, MAX_SUITE_BYTES, SUITE_SCHEMA } from './suite-schema.ts';
import type { Suite } from './suite.ts';

const MAX_FINDINGS = 50;

const fault = (pointer: string, detail: string, code = 'suite-invalid'): Finding => ({
  code,
  pointer: shownPointer(pointer),
  detail,
  severity: 'error',
});

const NOT_UNICODE = 'The text holds half of a surrogate pair; write whole characters.';
const CREDENTIAL =
  'This looks like a credential, and suites become public; write a made-up value, and replace the credential.';

function ofText(text: string, pointer: string): readonly Finding[] {
  if (!text.isWellFormed()) return [fault(pointer, NOT_UNICODE)];
  return hasCredentialForm(text) ? [fault(pointer, CREDENTIAL, 'suite-secret-literal')] : [];
}

/** Texts that no suite may hold, in values and in names of members. */
function checkTexts(value: JsonValue, pointer: string): readonly Finding[] {
  if (typeof value === 'string') return ofText(value, pointer);
  if (Array.isArray(value))
    return value.flatMap((item: JsonValue, index) => checkTexts(item, childPointer(pointer, index)));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...ofText(name, pointer),
    ...(name === '__proto__' ? [fault(pointer, 'No member can be named __proto__.')] : []),
    ...checkTexts(member, childPointer(pointer, name)),
  ]);
}

/** Bounds that are checked before anything walks through the whole suite. */
function checkSize(value: JsonValue, pointer: string): readonly Finding[] {
  if (isTooDeep(value)) return [fault(pointer, 'A suite has at most 128 levels.')];
  if (encodeUtf8(JSON.stringify(value)).length > MAX_SUITE_BYTES)
    return [fault(pointer, `A suite has at most ${MAX_SUITE_BYTES} bytes.`)];
  if (listAt(value, 'cases').length > MAX_CASES)
    return [fault(`${pointer}/cases`, `An Orb has at most ${MAX_CASES} cases.`)];
  return [];
}

const isSuite = (value: JsonValue): value is SuiteDocument => schemaFaults(value, SUITE_SCHEMA, 1).length === 0;

/**
 * Reads one suite and checks it against the Orb that it tests (trust.md §8.3).
 * @param value parsed JSON of any shape
 * @param pointer where the suite stands: `/test_suites/0`, or '' for a file
 * @returns the suite, or findings `suite-invalid`, `suite-schema-keyword`, `suite-secret-literal`; at most 50, which
 *   name members and never values
 */
export function readSuite(value: JsonValue, orb: TestedOrb, pointer: string): Checked<SuiteDocument> {
  const size = checkSize(value, pointer);
  if (size.length > 0) return { ok: false, findings: size };
  const texts = checkTexts(value, pointer).slice(0, MAX_FINDINGS);
  if (texts.length > 0) return { ok: false, findings: texts };
  if (!isSuite(value)) {
    const faults = schemaFaults(value, SUITE_SCHEMA, MAX_FINDINGS);
    return {
      ok: false,
      findings: faults.map(({ pointer: at, detail, suggestion }) => ({
        ...fault(`${pointer}${at}`, detail),
        ...(suggestion === undefined ? {} : { suggestion }),
      })),
    };
  }
  const findings = checkCases(value, orb, pointer, MAX_FINDINGS);
  return findings.length === 0 ? { ok: true, value, findings } : { ok: false, findings };
}

/** A suite as it was read: plain JSON. */
export type SuiteDocument = JsonObject & Suite;

/** `suite_digest`: the digest of the canonical array of all suites, sorted by name (trust.md §8.3). In pieces. */
export function* suiteDigestSteps(suites: readonly SuiteDocument[]): Steps<Digest> {
  return digestOfText(yield* jcsSteps(suites.toSorted((one, other) => (one.name < other.name ? -1 : 1))));
}

/** `suite_digest`, at once. */
export const suiteDigest = (suites: readonly SuiteDocument[]): Digest => toEnd(suiteDigestSteps(suites));
