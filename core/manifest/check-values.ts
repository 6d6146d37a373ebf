import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
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

const NOT_UNICODE = 'The text holds half of a surrogate pair; write whole characters.';

function visitName(name: string, pointer: string, found: Finding[]): void {
  if (name === UNSAFE_NAME)
    found.push(error(childPointer(pointer, name), 'unsafe-name', 'No member can have this name; choose another one.'));
  if (!name.isWellFormed()) found.push(error(pointer, 'invalid-unicode', NOT_UNICODE));
}

/** @param place makes the pointer, which only a finding or a value with members needs */
function visit(value: JsonValue, place: () => string, found: Finding[]): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) found.push(error(place(), 'invalid-unicode', NOT_UNICODE));
  } else if (value === null) {
    const pointer = place();
    if (pointer !== NULL_ALLOWED)
      found.push(error(pointer, 'manifest-null', 'Null is not allowed; leave the member out.'));
  } else if (Object.is(value, -0)) found.push(error(place(), 'minus-zero', 'The number is -0; write 0.'));
  else if (typeof value === 'object') visitMembers(value, place(), found);
}

function visitMembers(value: JsonObject | readonly JsonValue[], pointer: string, found: Finding[]): void {
  if (!isJsonObject(value)) {
    for (const [index, item] of value.entries()) visit(item, () => childPointer(pointer, index), found);
    return;
  }
  for (const name of Object.keys(value)) {
    visitName(name, pointer, found);
    visit(value[name] ?? null, () => childPointer(pointer, name), found);
  }
}

/**
 * Finds values that are forbidden anywhere in a document:
 * `null` (`manifest-null`: a digest covers the text as written, so an absent member must have one form only),
 * half of a surrogate pair, -0 (`minus-zero`: digests and requests write it as 0), and the unsafe name `__proto__`.
 * @param value at most 128 levels deep
 */
export function checkValues(value: JsonValue, pointer = ''): readonly Finding[] {
  const found: Finding[] = [];
  visit(value, () => pointer, found);
  return found;
}

function withoutForbiddenText(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  // A text may hold a number that no double can.
  return typeof value === 'number' && (!Number.isFinite(value) || value === 0) ? 0 : value;
}

/**
 * The value with nothing in it that a check of a document could stumble over: whole characters, finite numbers, no
 * unsafe name. Null stays, since its place would be lost. The value only serves to find what else is wrong.
 */
export function withoutForbidden(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return withoutForbiddenText(value);
  if (!isJsonObject(value)) return value.map(withoutForbidden);
  const members = Object.entries(value).filter(([name]) => name !== UNSAFE_NAME);
  return Object.fromEntries(members.map(([name, member]) => [name.toWellFormed(), withoutForbidden(member)]));
}
