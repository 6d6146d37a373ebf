import type { InputDefinition, ValueType } from '../../crds/manifest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { childPointer, shownPointer } from './child-pointer.ts';
import type { Checked, Finding } from './finding.ts';
import { nearest } from './nearest.ts';
import { isOfType } from './value-type.ts';

interface Expected {
  readonly name: string;
  readonly type: ValueType;
  readonly required: boolean;
}

const MAX_FINDINGS = 50;
// Above it a name is shown no further: it is the caller's text.
const MAX_SHOWN = 64;
const NOT_UNICODE = 'The text holds half of a surrogate pair; send whole characters.';

const error = (code: string, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'error',
});

function isWellFormed(value: JsonValue): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormed(member));
}

/** Pointer of the first text in a value that is not well formed; names of members too. */
function brokenText(value: JsonValue, pointer: string): string {
  if (typeof value !== 'object' || value === null) return pointer;
  const found = Object.entries(value).find(([name, member]) => !name.isWellFormed() || !isWellFormed(member));
  if (found === undefined || !found[0].isWellFormed()) return pointer;
  return brokenText(found[1], childPointer(pointer, found[0]));
}

function ofExpected({ name, type, required }: Expected, inputs: JsonObject): Finding | undefined {
  const pointer = childPointer('/inputs', name);
  const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  if (value === undefined)
    return required ? error('input-missing', pointer, `The input "${name}" is required; add it.`) : undefined;
  if (!isOfType(value, type)) return error('input-type', pointer, `The input "${name}" must be of type ${type}.`);
  // JSON can write it and RFC 8785 can't: the commitment would be over another text than was sent (security.md §4.2).
  if (Object.is(value, -0)) return error('input-type', pointer, `The input "${name}" is -0; send 0.`);
  return isWellFormed(value)
    ? undefined
    : error('input-not-unicode', shownPointer(brokenText(value, pointer)), NOT_UNICODE);
}

function ofUnknown(name: string, known: readonly string[]): Finding {
  const suggestion = nearest(name, known);
  const shown = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const finding = error(
    'input-unknown',
    shownPointer(childPointer('/inputs', name)),
    `The Orb has no input "${shown}".${hint}`,
  );
  return suggestion === undefined ? finding : { ...finding, suggestion };
}

/**
 * Compiles the check of a caller's inputs (design.md §2), once per manifest: a run's check compiles and allocates next
 * to nothing. Defaults are not filled in: templates hold them.
 * @returns a function that gives the same object back, or findings `input-unknown` (with the nearest name),
 *   `input-missing`, `input-type` (null is of no type) and `input-not-unicode`; pointers begin with `/inputs`, details
 *   hold names and never values
 */
export function compileInputs(
  definitions: Readonly<Record<string, InputDefinition>>,
): (inputs: JsonValue) => Checked<JsonObject> {
  const expected = Object.entries(definitions).map(([name, { type = 'string', required = false }]) => ({
    name,
    type,
    required,
  }));
  const known = expected.map(({ name }) => name);
  const knownSet = new Set(known);
  return (inputs) => {
    if (!isJsonObject(inputs))
      return { ok: false, findings: [error('input-type', '/inputs', 'The inputs are an object, by name.')] };
    const findings: Finding[] = [];
    for (const item of expected) {
      const finding = ofExpected(item, inputs);
      if (finding !== undefined) findings.push(finding);
    }
    for (const name of Object.keys(inputs))
      if (!knownSet.has(name) && findings.length < MAX_FINDINGS) findings.push(ofUnknown(name, known));
    return findings.length === 0 ? { ok: true, value: inputs, findings } : { ok: false, findings };
  };
}
