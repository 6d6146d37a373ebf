import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { lookup } from '../json/pointer.ts';
import type { CompiledOutput, ValueType } from '../orb/compiled-orb.ts';
import type { ProviderAnswer } from './response-body.ts';

export interface ExtractedOutputs {
  readonly outputs: JsonObject;
  /** Every output has a value of its type: check `output_schema` (trust.md §4). */
  readonly complete: boolean;
  /** Outputs with a `from` that is not there or of another type: on a 2xx the attempt is an `error`. */
  readonly missing: readonly string[];
}

/** Whether a JSON value is of a declared type; `integer` takes any number without a fraction (1.0 is 1). */
export function isOfType(value: JsonValue | undefined, type: ValueType): value is JsonValue {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    case 'integer':
      return Number.isSafeInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return type satisfies never;
  }
}

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

/** Search order of an output without `from` (design.md §2): body member, header, the HTTP status, else null. */
function search(output: CompiledOutput, answer: ProviderAnswer): JsonValue {
  const { name, type } = output;
  const inBody = answer.body === undefined ? undefined : lookup(answer.body, [name]);
  const candidates = [inBody, fromHeaders(name, answer.headers), httpStatus(name, type, answer.status)];
  return candidates.find((value) => isOfType(value, type)) ?? null;
}

function fromPointer(tokens: readonly string[], answer: ProviderAnswer): JsonValue | undefined {
  const view: JsonObject = {
    status: answer.status,
    headers: answer.headers,
    ...(answer.body === undefined ? {} : { body: answer.body }),
  };
  return lookup(view, tokens);
}

/**
 * Takes the outputs of an answer. Pure; the caller decides what a missing one means (only on a 2xx it matters).
 */
export function extractOutputs(outputs: readonly CompiledOutput[], answer: ProviderAnswer): ExtractedOutputs {
  const found: (readonly [string, JsonValue])[] = [];
  const missing: string[] = [];
  let complete = true;
  for (const output of outputs) {
    const value = output.from === undefined ? search(output, answer) : fromPointer(output.from, answer);
    const fits = isOfType(value, output.type);
    if (!fits && output.from !== undefined) missing.push(output.name);
    if (!fits) complete = false;
    found.push([output.name, fits ? value : null]);
  }
  return { outputs: Object.fromEntries(found), complete, missing };
}
