import type { FactDefinition } from '../facts/fact-schema.ts';

/** Type of a part of an expression, with the bounds that its cost and size are computed from (policy.md §1.2). */
export type Type =
  | { readonly kind: 'bool' | 'timestamp' | 'duration' }
  | { readonly kind: 'int'; readonly min: bigint; readonly max: bigint }
  /** `maxLength` in UTF-16 units. */
  | { readonly kind: 'string'; readonly maxLength: number }
  | { readonly kind: 'list'; readonly item: Type; readonly maxItems: number }
  /** Keys are strings. */
  | { readonly kind: 'map'; readonly maxKeyLength: number; readonly value: Type; readonly maxItems: number };

export type Kind = Type['kind'];

/** Largest value that an expression may make on its way, bytes. */
export const MAX_BYTES = 1_048_576;

export const BOOL: Type = { kind: 'bool' };
const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
export const INT: Type = { kind: 'int', min: MIN_INT, max: MAX_INT };
export const TIMESTAMP: Type = { kind: 'timestamp' };
export const DURATION: Type = { kind: 'duration' };
export const stringOf = (maxLength: number): Type => ({ kind: 'string', maxLength });

/** Type of a fact. */
export function typeOfFact({ type, min, max, maxLength, maxItems }: FactDefinition): Type {
  switch (type) {
    case 'bool':
      return BOOL;
    case 'int':
      return { kind: 'int', min: BigInt(min), max: BigInt(max) };
    case 'timestamp':
      return TIMESTAMP;
    case 'string':
      return stringOf(maxLength);
    case 'list<string>':
      return { kind: 'list', item: stringOf(maxLength), maxItems };
    case 'map<string, string>':
      return { kind: 'map', maxKeyLength: maxLength, value: stringOf(maxLength), maxItems };
    default:
      return type satisfies never;
  }
}

/** Name of a type as the type checker writes it. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'list':
      return `list<${typeName(type.item)}>`;
    case 'map':
      return `map<string, ${typeName(type.value)}>`;
    case 'bool':
    case 'int':
    case 'string':
      return type.kind;
    default:
      return type satisfies never;
  }
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const most = (one: bigint, other: bigint): bigint => (one > other ? one : other);

function joinContainers(one: Type, other: Type): Type | undefined {
  if (one.kind === 'list' && other.kind === 'list') {
    const item = joined(one.item, other.item);
    return item && { kind: 'list', item, maxItems: Math.max(one.maxItems, other.maxItems) };
  }
  if (one.kind !== 'map' || other.kind !== 'map') return undefined;
  const value = joined(one.value, other.value);
  const maxKeyLength = Math.max(one.maxKeyLength, other.maxKeyLength);
  return value && { kind: 'map', maxKeyLength, value, maxItems: Math.max(one.maxItems, other.maxItems) };
}

/** The type of a value that is of one of both types; undefined when they differ in more than bounds. */
export function joined(one: Type, other: Type): Type | undefined {
  if (one.kind === 'int' && other.kind === 'int')
    return { kind: 'int', min: least(one.min, other.min), max: most(one.max, other.max) };
  if (one.kind === 'string' && other.kind === 'string') return stringOf(Math.max(one.maxLength, other.maxLength));
  const isContainer = one.kind === 'list' || one.kind === 'map';
  if (isContainer) return joinContainers(one, other);
  return one.kind === other.kind ? one : undefined;
}

/** Most bytes of a value in memory: two for each UTF-16 unit, 16 for each value. */
export function bytesOf(type: Type): number {
  if (type.kind === 'string') return 16 + 2 * type.maxLength;
  if (type.kind === 'list') return 16 + type.maxItems * bytesOf(type.item);
  if (type.kind === 'map') return 16 + type.maxItems * (16 + 2 * type.maxKeyLength + bytesOf(type.value));
  return 16;
}

/** Units of one item when lists or maps are searched or compared. */
const ITEM_UNITS = 5;

/** Units to compare a value of the type with another one (policy.md §1.2). */
export function unitsToCompare(type: Type): number {
  if (type.kind === 'string') return 1 + Math.ceil(type.maxLength / 1024);
  if (type.kind === 'list') return 1 + type.maxItems * (ITEM_UNITS + unitsToCompare(type.item));
  if (type.kind === 'map') return 1 + type.maxItems * (ITEM_UNITS + unitsToCompare(type.value));
  return 1;
}
