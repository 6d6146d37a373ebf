import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { TYPE_NAMES, schemaFaults } from './schema-faults.ts';
import { childPointer } from '../manifest/child-pointer.ts';
import type { Finding } from '../manifest/finding.ts';

/** Deeper schemas are refused: comparing an output costs at most this many passes over it. */
const MAX_LEVELS = 16;

const COUNT = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** What the value of each keyword looks like (trust.md §8.3). */
const KEYWORDS: Readonly<Record<string, JsonValue>> = {
  type: { enum: [...TYPE_NAMES] },
  enum: { type: 'array', minItems: 1 },
  const: {},
  minLength: COUNT,
  maxLength: COUNT,
  minimum: { type: 'number' },
  maximum: { type: 'number' },
  items: { type: 'object' },
  minItems: COUNT,
  maxItems: COUNT,
  properties: { type: 'object' },
  required: { type: 'array', items: { type: 'string' } },
  additionalProperties: { type: ['boolean', 'object'] },
};

const finding = (code: string, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'error',
});

function innerSchemas(keyword: string, value: JsonValue, pointer: string): readonly (readonly [JsonValue, string])[] {
  if (!isJsonObject(value)) return [];
  if (keyword === 'properties')
    return Object.entries(value).map(([name, inner]) => [inner, childPointer(pointer, name)] as const);
  return keyword === 'items' || keyword === 'additionalProperties' ? [[value, pointer]] : [];
}

function ofKeyword(keyword: string, value: JsonValue, pointer: string): readonly Finding[] {
  const form = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
  if (form === undefined) {
    const label = keyword.length > 64 ? `${keyword.slice(0, 64)}…` : keyword;
    const detail = `A suite's schema has no keyword "${label}"; known: ${Object.keys(KEYWORDS).join(', ')}.`;
    return [finding('suite-schema-keyword', pointer, detail)];
  }
  return schemaFaults(value, form, 1).map((fault) => finding('suite-invalid', pointer + fault.pointer, fault.detail));
}

/**
 * Finds keywords that a suite's schema may not use (`suite-schema-keyword`), and values of keywords that have another
 * form (`suite-invalid`). The platform compares outputs with schemas of strangers: so no pattern, no reference. One by
 * one: whoever reads them stops when there are enough.
 * @param level 1 for the schema of an assertion
 */
export function* checkKeywords(schema: JsonValue, pointer: string, level = 1): Generator<Finding> {
  if (!isJsonObject(schema)) yield finding('suite-invalid', pointer, 'A schema is an object.');
  else if (level > MAX_LEVELS) yield finding('suite-invalid', pointer, `A schema has at most ${MAX_LEVELS} levels.`);
  else
    for (const [keyword, value] of Object.entries(schema)) {
      const inner = childPointer(pointer, keyword);
      const own = ofKeyword(keyword, value, inner);
      yield* own;
      if (own.length > 0) continue;
      for (const [nested, at] of innerSchemas(keyword, value, inner)) yield* checkKeywords(nested, at, level + 1);
    }
}
