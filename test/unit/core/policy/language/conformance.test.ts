import {
  celEnv,
  celList,
  celMap,
  celUint,
  isCelError,
  isCelType,
  parse,
  plan,
  type CelEnv,
  type CelInput,
} from '@bufbuild/cel';
import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js';
import { getTestRegistry } from '@bufbuild/cel-spec/testdata/registry.js';
import { getConformanceSuite, type IncrementalTest } from '@bufbuild/cel-spec/testdata/tests.js';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { expect } from 'chai';
import { PATTERNS } from '../../../../../core/policy/language/environment.ts';

/** Suites of what a policy may use; the others are about extensions and messages. */
const CORE = [
  'basic',
  'comparisons',
  'conversions',
  'fields',
  'fp_math',
  'integer_math',
  'lists',
  'logic',
  'macros',
  'parse',
  'plumbing',
  'string',
  'timestamps',
];

/** Vectors that the evaluator does not pass: names in back quotes, and keys of two number types that are equal. */
const MISSES = [
  'fields/quoted_map_fields/field_access_slash',
  'fields/quoted_map_fields/field_access_dash',
  'fields/quoted_map_fields/field_access_dot',
  'fields/quoted_map_fields/has_field_slash',
  'fields/quoted_map_fields/has_field_dash',
  'fields/quoted_map_fields/has_field_dot',
  'fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous',
];

const registry = getTestRegistry();
const re2 = { compile: (pattern: string) => PATTERNS.compile(pattern) };
// NaN is the only value that differs from itself.
const isSame = plan(celEnv({ registry }), parse('a == b || (a != a && b != b)'));

type Kind = Value['kind'];

/** A list, map, message, enum or unsigned integer. */
function compoundOf(kind: Kind): CelInput | undefined {
  if (kind.case === 'uint64Value') return celUint(kind.value);
  if (kind.case === 'listValue') return celList(kind.value.values.flatMap((item) => inputOf(item) ?? []));
  if (kind.case === 'mapValue')
    return celMap(new Map(kind.value.entries.map(({ key, value }) => [keyOf(key), inputOf(value) ?? null])));
  if (kind.case === 'objectValue') return anyUnpack(kind.value, registry);
  return kind.case === 'enumValue' ? BigInt(kind.value.value) : undefined;
}

/** A value of a vector as the evaluator takes it; undefined: a type. */
function inputOf(value: Value | undefined): CelInput | undefined {
  if (value === undefined) return undefined;
  const { kind } = value;
  if (kind.case === 'nullValue') return null;
  const isPlain = kind.case === 'int64Value' || kind.case === 'doubleValue' || kind.case === 'boolValue';
  if (isPlain || kind.case === 'stringValue' || kind.case === 'bytesValue') return kind.value;
  return compoundOf(kind);
}

function keyOf(value: Value | undefined): bigint | boolean | string | ReturnType<typeof celUint> {
  const kind = value?.kind;
  if (kind?.case === 'uint64Value') return celUint(kind.value);
  const isKey = kind?.case === 'int64Value' || kind?.case === 'boolValue' || kind?.case === 'stringValue';
  return isKey ? kind.value : '';
}

/** Whether a result is the value of the vector, of the same type of number too. */
function isValue(result: unknown, wanted: Value | undefined): boolean {
  if (wanted?.kind.case === 'typeValue') return isCelType(result) && result.name === wanted.kind.value;
  const expected = wanted === undefined ? true : inputOf(wanted);
  if (expected === undefined || typeof result !== typeof expected) return false;
  const bindings: Record<string, unknown> = { a: result, b: expected };
  return Reflect.apply(isSame, undefined, [bindings]) === true;
}

const environments = new Map<string, CelEnv>();

function environmentOf(namespace: string): CelEnv {
  const made = environments.get(namespace) ?? celEnv({ namespace, registry, re2 });
  environments.set(namespace, made);
  return made;
}

function evaluated({ expr, container, bindings }: IncrementalTest['original']): unknown {
  const values: Record<string, CelInput> = {};
  for (const [name, { kind }] of Object.entries(bindings))
    values[name] = (kind.case === 'value' ? inputOf(kind.value) : undefined) ?? null;
  return plan(environmentOf(container), parse(expr))(values);
}

function passes({ original }: IncrementalTest): boolean {
  const { resultMatcher: matcher } = original;
  const isFailure = matcher.case === 'evalError' || matcher.case === 'anyEvalErrors';
  let result: unknown;
  try {
    result = evaluated(original);
  } catch {
    return isFailure;
  }
  if (isFailure) return isCelError(result);
  const wanted = matcher.case === 'typedResult' ? matcher.value.result : matcher.value;
  return !isCelError(result) && isValue(result, wanted?.$typeName === 'cel.expr.Value' ? wanted : undefined);
}

interface Suite {
  readonly name: string;
  readonly suites: readonly Suite[];
  readonly tests: readonly IncrementalTest[];
}

const vectorsOf = ({ name, suites, tests }: Suite, prefix = ''): readonly (readonly [string, IncrementalTest])[] => [
  ...tests.map((test) => [`${prefix}${name}/${test.name}`, test] as const),
  ...suites.flatMap((suite) => vectorsOf(suite, `${prefix}${name}/`)),
];

describe('the evaluator against the vectors of cel-spec', function conformance() {
  this.timeout(20_000);

  it('passes all but the listed ones', () => {
    const chosen = getConformanceSuite().suites.filter(({ name }) => CORE.includes(name));
    const vectors = chosen.flatMap((suite) => vectorsOf(suite));
    const missed = vectors.filter(([, vector]) => !passes(vector)).map(([name]) => name);
    expect(missed).to.deep.equal(MISSES);
    expect(vectors).to.have.length(1176);
  });
});
