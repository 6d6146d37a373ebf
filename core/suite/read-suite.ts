import { encodeUtf8 } from '../json/bytes.ts';
import type { Digest } from '../json/digest.ts';
import { jcsSteps } from '../steps/jcs-steps.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { listAt } from '../json/members.ts';
import { isTooDeep } from '../json/too-deep.ts';
import { schemaFaultSteps, type SchemaFault } from './schema-faults.ts';
import { hasCredentialForm } from '../manifest-rules/check-secret-literals.ts';
import { childPointer, shownPointer } from '../manifest/child-pointer.ts';
import { digestOfText } from '../manifest/digest.ts';
import type { Checked, Finding } from '../manifest/finding.ts';
import { toEnd, type Steps } from '../steps/steps.ts';
import { checkCases, type TestedOrb } from './check-cases.ts';
import { MAX_CASES, MAX_SUITE_BYTES, SUITE_SCHEMA } from './suite-schema.ts';
import type { Suite } from './suite.ts';

const MAX_FINDINGS = 50;

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

const fault = (pointer: string, detail: string, code = 'suite-invalid'): Finding => ({
  code,
  pointer: shownPointer(pointer),
  detail,
  severity: 'error',
});

const NOT_UNICODE = 'The text holds half of a surrogate pair; write whole characters.';
const CREDENTIAL =
  'This looks like a credential, and suites become public; write a made-up value, and replace the credential.';

/** Where a walk through a suite is, and what it has found. Pointers are made for findings only: few values have one. */
interface TextWalk {
  readonly base: string;
  readonly path: (string | number)[];
  readonly findings: Finding[];
}

const isFull = ({ findings }: TextWalk): boolean => findings.length >= MAX_FINDINGS;

function found(walk: TextWalk, detail: string, code?: string): void {
  const { base, path, findings } = walk;
  if (!isFull(walk)) findings.push(fault(path.reduce<string>(childPointer, base), detail, code));
}

function checkText(text: string, walk: TextWalk): void {
  if (isFull(walk)) return;
  if (!text.isWellFormed()) found(walk, NOT_UNICODE);
  else if (hasCredentialForm(text)) found(walk, CREDENTIAL, 'suite-secret-literal');
}

function checkWithin(key: string | number, value: JsonValue, walk: TextWalk): void {
  walk.path.push(key);
  checkTexts(value, walk);
  walk.path.pop();
}

/** Texts that no suite may hold, in values and in names of members. Ends when there are enough findings. */
function checkTexts(value: JsonValue, walk: TextWalk): void {
  if (typeof value === 'string') return checkText(value, walk);
  if (isFull(walk)) return;
  if (isList(value)) for (const [index, item] of value.entries()) checkWithin(index, item, walk);
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    checkText(name, walk);
    if (name === '__proto__') found(walk, 'No member can be named __proto__.');
    checkWithin(name, member, walk);
  }
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

/** @param faults of its schema: the guard makes the type */
const isSuite = (value: JsonValue, faults: readonly SchemaFault[]): value is SuiteDocument => faults.length === 0;

/**
 * Reads one suite and checks it against the Orb that it tests (trust.md §8.3). In pieces.
 * @param value parsed JSON of any shape
 * @param pointer where the suite stands: `/test_suites/0`, or '' for a file
 * @returns the suite, or findings `suite-invalid`, `suite-schema-keyword`, `suite-secret-literal`; at most 50, which
 *   name members and never values
 */
export function* readSuiteSteps(value: JsonValue, orb: TestedOrb, pointer: string): Steps<Checked<SuiteDocument>> {
  const size = checkSize(value, pointer);
  if (size.length > 0) return { ok: false, findings: size };
  yield;
  const texts: TextWalk = { base: pointer, path: [], findings: [] };
  checkTexts(value, texts);
  if (texts.findings.length > 0) return { ok: false, findings: texts.findings };
  yield;
  const faults = yield* schemaFaultSteps(value, SUITE_SCHEMA, MAX_FINDINGS);
  if (!isSuite(value, faults))
    return {
      ok: false,
      findings: faults.map(({ pointer: at, detail, suggestion }) => ({
        ...fault(`${pointer}${at}`, detail),
        ...(suggestion === undefined ? {} : { suggestion }),
      })),
    };
  yield;
  const findings = checkCases(value, orb, pointer, MAX_FINDINGS);
  return findings.length === 0 ? { ok: true, value, findings } : { ok: false, findings };
}

/** As `readSuiteSteps`, at once. */
export const readSuite = (value: JsonValue, orb: TestedOrb, pointer: string): Checked<SuiteDocument> =>
  toEnd(readSuiteSteps(value, orb, pointer));

/** A suite as it was read: plain JSON. */
export type SuiteDocument = JsonObject & Suite;

/** `suite_digest`: the digest of the canonical array of all suites, sorted by name (trust.md §8.3). In pieces. */
export function* suiteDigestSteps(suites: readonly SuiteDocument[]): Steps<Digest> {
  return digestOfText(yield* jcsSteps(suites.toSorted((one, other) => (one.name < other.name ? -1 : 1))));
}

/** `suite_digest`, at once. */
export const suiteDigest = (suites: readonly SuiteDocument[]): Digest => toEnd(suiteDigestSteps(suites));
