import { mayEscapeNames } from '../../core/json/escaped-name.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { MAX_DEPTH } from '../../core/json/too-deep.ts';
import { childPointer } from '../../core/manifest/child-pointer.ts';
import { readJsonText } from '../../core/manifest/text/json-reader.ts';
import { numberFault } from '../../core/manifest/text/number.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Kind } from './port.ts';

// A number with 16 digits or more, or an exponent: only then are all values checked.
const LARGE_NUMBER = /[\s:,[]-?(?:[0-9]{16}|[0-9][0-9.]*[eE])/;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Without recursion, because the author of a value decides how deep it is. */
function hasBackslashName(value: unknown): boolean {
  const left = [value];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    if (typeof item !== 'object' || item === null) continue;
    if (!Array.isArray(item) && Object.keys(item).some((name) => name.includes('\\'))) return true;
    const members: readonly unknown[] = Object.values(item);
    for (const member of members) if (typeof member === 'object') left.push(member);
  }
  return false;
}

/**
 * A parsed text, and whether it holds a number that parsing may have rounded. `value` is what `JSON.parse` should give:
 * `JSON.parse` may take an escaped name for one that it has seen elsewhere (core/json/escaped-name.ts). The name that
 * it gives then holds a backslash. Objects with conditions have escaped names in their managedFields, so a slow reader
 * for all of these would read nearly every object.
 */
export interface KubeJson {
  readonly value: unknown;
  readonly mayRound: boolean;
}

/** @throws SyntaxError, TypeError the bytes are not JSON or not UTF-8 */
export function readKubeJson(bytes: Uint8Array): KubeJson {
  const text = utf8.decode(bytes);
  const parsed: unknown = JSON.parse(text);
  const inDoubt = mayEscapeNames(text) && hasBackslashName(parsed);
  // Too deep for the strict reader: the value stays as it is. Its validation refuses the depth later.
  const value = inDoubt ? (readJsonText(text, { keepsOffsets: false }).value ?? parsed) : parsed;
  return { value, mayRound: LARGE_NUMBER.test(text) };
}

function collectUnsafe(value: unknown, pointer: string, found: string[], depth = 0): void {
  if (typeof value === 'number') {
    // Checked by value. The API server writes an integer that 64 bits can't hold as a double, from 1e21 on with an
    // exponent.
    if (numberFault(String(value)) === 'integer-out-of-range') found.push(pointer);
    return;
  }
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return; // refused for its depth
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item: unknown, index) => [index, item] as const)
    : Object.entries(value);
  for (const [token, member] of members) collectUnsafe(member, childPointer(pointer, token), found, depth + 1);
}

/** JSON Pointers of the integers beyond ±(2^53−1), which were rounded by reading them (design.md §2). */
export function unsafeIntegersOf(value: unknown): readonly string[] {
  const found: string[] = [];
  collectUnsafe(value, '', found);
  return found;
}

const isText = (value: JsonValue | undefined): boolean => value === undefined || typeof value === 'string';

/** Checks the envelope that all code here relies on; its contents may have any shape. */
function hasEnvelope(value: JsonObject): boolean {
  const meta = value['metadata'];
  if (!isJsonObject(meta) || typeof meta['name'] !== 'string') return false;
  return isText(meta['namespace']) && isText(meta['uid']) && isText(meta['resourceVersion']);
}

/** The envelope was checked, and `apiVersion` and `kind` filled in. */
const isKubeObject = (value: JsonObject): value is JsonObject & KubeObject =>
  hasEnvelope(value) && isText(value['apiVersion']) && isText(value['kind']);

const apiVersionOf = ({ group, version }: Kind): string => (group === '' ? version : `${group}/${version}`);

/**
 * An object as the platform reads it. Items of a built-in LIST come without `apiVersion` and `kind`: they are filled
 * in.
 * @returns undefined when metadata or name is missing
 */
export function toKubeObject(value: unknown, kind: Kind, mayRound: boolean): KubeObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const unsafeIntegers = mayRound ? unsafeIntegersOf(value) : [];
  const object = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    ...value,
    ...(unsafeIntegers.length > 0 ? { unsafeIntegers } : {}),
  };
  return isKubeObject(object) ? object : undefined;
}
