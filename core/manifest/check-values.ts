import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { childPointer } from './child-pointer.ts';
import type { Finding } from './finding.ts';

// client-go writes `creationTimestamp: null` into every object that it prints.
const NULL_ALLOWED = '/metadata/creationTimestamp';
// Assigning this member replaces an object's prototype, so it must never reach a reader of a document.
const UNSAFE_NAME = '__proto__';

const error = (pointer: string, code: string, detail: string): Finding => ({
  pointer,
  code,
  detail,
  severity: 'error',
});

function ofText(text: string, pointer: string): readonly Finding[] {
  if (text.isWellFormed()) return [];
  return [error(pointer, 'invalid-unicode', 'The text holds half of a surrogate pair; write whole characters.')];
}

function ofMember(name: string, member: JsonValue, pointer: string): readonly Finding[] {
  const inner = childPointer(pointer, name);
  const unsafe =
    name === UNSAFE_NAME ? [error(inner, 'unsafe-name', 'No member can have this name; choose another one.')] : [];
  return [...unsafe, ...ofText(name, pointer), ...checkValues(member, inner)];
}

/**
 * Finds values that are forbidden anywhere in a document:
 * `null` (`manifest-null`: a digest covers the text as written, so an absent member must have one form only),
 * half of a surrogate pair, -0 (`minus-zero`: digests and requests write it as 0), and the unsafe name `__proto__`.
 * @param value at most 128 levels deep
 */
export function checkValues(value: JsonValue, pointer = ''): readonly Finding[] {
  if (typeof value === 'string') return ofText(value, pointer);
  if (value === null)
    return pointer === NULL_ALLOWED
      ? []
      : [error(pointer, 'manifest-null', 'Null is not allowed; leave the member out.')];
  if (Object.is(value, -0)) return [error(pointer, 'minus-zero', 'The number is -0; write 0.')];
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, member]) => ofMember(name, member, pointer));
  return Array.isArray(value)
    ? value.flatMap((item: JsonValue, index) => checkValues(item, childPointer(pointer, index)))
    : [];
}
