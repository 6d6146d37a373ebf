import type { InputDefinition, ValueType } from '../../crds/manifest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { childPointer, shownPointer } from './child-pointer.ts';
import type { Checked, Finding } from './finding.ts';
import { nearestName } from './nearest.ts';
import { isOfType } from './value-type.ts';

interface Expected {
  readonly name: string;
  readonly pointer: string;
  readonly type: ValueType;
  readonly required: boolean;
}

const MAX_FINDINGS = 50;
// Longer names are cut in findings, because they are the caller's text.
const MAX_SHOWN = 64;
const NOT_UNICODE = 'The text holds half of a surrogate pair; send whole characters.';

const error = (code: string, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'error',
});

/** Whether canonical JSON keeps a value: RFC 8785 has no form for half of a surrogate pair, and writes -0 as 0. */
function isKept(value: JsonValue): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return !Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return true;
  return isJsonObject(value) ? areMembersKept(value) : value.every(isKept);
}

/** By name: of an object with many members, `Object.entries` takes several times the time. */
const areMembersKept = (value: JsonObject): boolean =>
  Object.keys(value).every((name) => name.isWellFormed() && isKept(value[name] ?? null));

/** Pointer of the first value, or name of a member, that canonical JSON would change. */
function unsafeValue(value: JsonValue, pointer: string): { readonly pointer: string; readonly isNumber: boolean } {
  if (typeof value !== 'object' || value === null) return { pointer, isNumber: typeof value === 'number' };
  const found = Object.entries(value).find(([name, member]) => !name.isWellFormed() || !isKept(member));
  if (found === undefined || !found[0].isWellFormed()) return { pointer, isNumber: false };
  return unsafeValue(found[1], childPointer(pointer, found[0]));
}

/** Such a value is refused: the commitment would cover another text than the caller sent (security.md §4.2). */
function unsafeValueFinding(name: string, value: JsonValue, pointer: string): Finding {
  const place = unsafeValue(value, pointer);
  const shown = shownPointer(place.pointer);
  if (!place.isNumber) return error('input-not-unicode', shown, NOT_UNICODE);
  const verb = place.pointer === pointer ? 'is' : 'holds';
  return error('input-type', shown, `The input "${name}" ${verb} -0; send 0.`);
}

function ofExpected({ name, pointer, type, required }: Expected, inputs: JsonObject): Finding | undefined {
  const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  if (value === undefined)
    return required ? error('input-missing', pointer, `The input "${name}" is required; add it.`) : undefined;
  if (!isOfType(value, type)) return error('input-type', pointer, `The input "${name}" must be of type ${type}.`);
  return isKept(value) ? undefined : unsafeValueFinding(name, value, pointer);
}

function ofUnknown(name: string, known: readonly string[]): Finding {
  const suggestion = nearestName(name, known);
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
 * Compiles the check of a caller's inputs (design.md §2) once per manifest, so that the check of a run allocates almost
 * nothing. Defaults are not filled in: templates hold them.
 * @returns a function that returns the same object, or findings `input-unknown` (with the nearest name),
 *   `input-missing`, `input-type` (null has no type, and -0 is refused at any depth) and `input-not-unicode`. Pointers
 *   begin with `/inputs`; details hold names and never values
 */
export function compileInputs(
  definitions: Readonly<Record<string, InputDefinition>>,
): (inputs: JsonValue) => Checked<JsonObject> {
  const expected = Object.entries(definitions).map(([name, { type = 'string', required = false }]) => ({
    name,
    pointer: childPointer('/inputs', name),
    type,
    required,
  }));
  return (inputs) => {
    if (!isJsonObject(inputs))
      return { ok: false, findings: [error('input-type', '/inputs', 'The inputs are an object, by name.')] };
    const findings: Finding[] = [];
    for (const item of expected) {
      const finding = ofExpected(item, inputs);
      if (finding !== undefined) findings.push(finding);
    }
    for (const name of Object.keys(inputs))
      if (!Object.hasOwn(definitions, name) && findings.length < MAX_FINDINGS)
        findings.push(ofUnknown(name, Object.keys(definitions)));
    return findings.length === 0 ? { ok: true, value: inputs, findings } : { ok: false, findings };
  };
}
