import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { lookup } from '../json/pointer.ts';
import { isOfType } from '../manifest/value-type.ts';
import type { CompiledOutput, ValueType } from '../orb/compiled-orb.ts';
import type { ProviderAnswer } from './response-body.ts';

export interface ExtractedOutputs {
  readonly outputs: JsonObject;
  /** Every output has a value of its type: check `output_schema` (trust.md §4). */
  readonly complete: boolean;
  /** Outputs whose `from` is absent in the answer or has another type. On a 2xx the attempt is then an `error`. */
  readonly missing: readonly string[];
}

// The same depth as a request may have: later walks over a value recurse.
const MAX_DEPTH = 128;

/** Whether every item is present and writable. A list has a hole where a number was dropped. */
function areWritable(items: readonly (JsonValue | undefined)[], depth: number): boolean {
  for (let index = 0; index < items.length; index += 1) if (!isWritable(items[index], depth)) return false;
  return true;
}

/** Whether answers and commitments can hold a value: text with a UTF-8 form, finite numbers, not too deep. */
function isWritable(value: JsonValue | undefined, depth: number): value is JsonValue {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value !== 'object') return value !== undefined;
  if (depth > MAX_DEPTH) return false;
  if (!isJsonObject(value)) return areWritable(value, depth + 1);
  return areWritable(Object.values(value), depth + 1) && Object.keys(value).every((name) => name.isWellFormed());
}

/** Whether a value fits its declared type; other values count as absent. */
const fitsType = (value: JsonValue | undefined, type: ValueType): value is JsonValue =>
  isOfType(value, type) && isWritable(value, 1);

const own = (object: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

function fromHeaders(name: string, headers: Readonly<Record<string, string>>): string | undefined {
  const dashed = name.toLowerCase().replaceAll('_', '-');
  return own(headers, dashed) ?? own(headers, `x-${dashed}`);
}

function httpStatus(name: string, type: ValueType, status: number): JsonValue | undefined {
  if (name !== 'status') return undefined;
  return type === 'string' ? String(status) : status;
}

/** Search order of an output without `from` (design.md §2): body member, header, the HTTP status, otherwise null. */
function search(output: CompiledOutput, answer: ProviderAnswer): JsonValue {
  const { name, type } = output;
  const inBody = answer.body === undefined ? undefined : lookup(answer.body, [name]);
  if (fitsType(inBody, type)) return inBody;
  const elsewhere = [fromHeaders(name, answer.headers), httpStatus(name, type, answer.status)];
  return elsewhere.find((value) => fitsType(value, type)) ?? null;
}

/** The value at a parsed `from` of an output; undefined when it does not exist. */
export function atPointer(tokens: readonly string[], answer: ProviderAnswer): JsonValue | undefined {
  // Most outputs are in the body. For them the headers are not joined.
  if (tokens[0] === 'body') return answer.body === undefined ? undefined : lookup(answer.body, tokens.slice(1));
  const view: JsonObject = {
    status: answer.status,
    headers: answer.headers,
    ...(answer.body === undefined ? {} : { body: answer.body }),
  };
  return lookup(view, tokens);
}

/** Extracts the outputs of an answer. Pure. The caller decides about missing outputs, which matter only on a 2xx. */
export function extractOutputs(outputs: readonly CompiledOutput[], answer: ProviderAnswer): ExtractedOutputs {
  const found: (readonly [string, JsonValue])[] = [];
  const missing: string[] = [];
  let complete = true;
  for (const output of outputs) {
    const value = output.from === undefined ? search(output, answer) : atPointer(output.from, answer);
    const fits = fitsType(value, output.type);
    if (!fits && output.from !== undefined) missing.push(output.name);
    if (!fits) complete = false;
    found.push([output.name, fits ? value : null]);
  }
  return { outputs: Object.fromEntries(found), complete, missing };
}
