import type { ValueType } from '../../crds/manifest.ts';
import type { JsonValue } from '../json/json-value.ts';
import { isJsonObject } from '../json/json-value.ts';

const tests: Readonly<Record<ValueType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: isJsonObject,
  array: Array.isArray,
};

/** Whether a value has a declared type (design.md §2). `1.0` is an integer; null has no type. */
export const isOfType = (value: unknown, type: ValueType): value is JsonValue => tests[type](value);
