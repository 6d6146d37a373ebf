import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../core/json/json-value.ts';

type Part =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'secret'; readonly name: string };

type Tree =
  | { readonly kind: 'literal'; readonly value: JsonValue }
  | { readonly kind: 'string'; readonly parts: readonly Part[] }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly Tree[] }
  | { readonly kind: 'record'; readonly members: readonly (readonly [string, Tree])[] };

interface Input {
  readonly given: JsonValue | undefined;
  readonly fallback:
    | { readonly kind: 'value'; readonly value: JsonValue }
    | { readonly kind: 'secret'; readonly parts: readonly Part[] };
}

export interface World {
  readonly inputs: Readonly<Record<string, Input>>;
  readonly secrets: Readonly<Record<string, string>>;
}

const NAMES = ['i0', 'i1', 'i2'] as const;
const ENTRIES = ['S0', 'S1'] as const;
const SPECIAL = ['{{orbiset.secrets.S0}}', '{{inputs.i0}}', '"},"x":"', '\\', '$&', '../x', '..', '.', '', '%2e%2e'];
const MORE = ['a/b', '&a=b', '#', '?', ' ', '+', '</a>', ']]>', '&amp;', '\u0000', '\r\n', '😀', '__proto__', '\u2028'];

export const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 12 }),
  fc.constantFrom(...SPECIAL, ...MORE),
);
// JSON.parse of Node 24 misreads escaped names once it has seen the name `\` (nodejs/node issue 63785): not a name here.
const memberName = (names: fc.Arbitrary<string>): fc.Arbitrary<string> => names.filter((name) => name !== '\\');
// `null` is refused as a default and as an input before any template sees it.
const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.array(tie('json'), { maxLength: 3 }),
    fc
      .array(fc.tuple(memberName(text), tie('json')), { maxLength: 3 })
      .map((members): JsonObject => Object.fromEntries(members)),
  ),
}));
// A literal `{` could join the braces of a placeholder, and a default with two is a template.
const plain = text.filter((value) => !value.includes('{'));
const plainJson = json.filter((value) => !JSON.stringify(value).includes('{{'));

const literal = (texts: fc.Arbitrary<string>): fc.Arbitrary<Part> =>
  texts.map((value) => ({ kind: 'literal', text: value }));
const secretPart: fc.Arbitrary<Part> = fc.constantFrom(...ENTRIES).map((name) => ({ kind: 'secret', name }));
const inputPart: fc.Arbitrary<Part> = fc.constantFrom(...NAMES).map((name) => ({ kind: 'input', name }));
export const partsOf = (texts: fc.Arbitrary<string>): fc.Arbitrary<readonly Part[]> =>
  fc.array(fc.oneof(literal(texts), inputPart, secretPart), { maxLength: 4 });

export const tree: fc.Arbitrary<Tree> = fc.letrec<{ node: Tree }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    json.filter((value) => !JSON.stringify(value).includes('{{')).map((value): Tree => ({ kind: 'literal', value })),
    partsOf(plain).map((parts): Tree => ({ kind: 'string', parts })),
    fc.constantFrom(...NAMES).map((name): Tree => ({ kind: 'value', name })),
    fc.array(tie('node'), { maxLength: 4 }).map((items): Tree => ({ kind: 'list', items })),
    fc
      .array(fc.tuple(memberName(plain), tie('node')), { maxLength: 4 })
      .map((members): Tree => ({ kind: 'record', members })),
  ),
})).node;

const input: fc.Arbitrary<Input> = fc.record({
  given: fc.oneof(fc.constant(undefined), text, json),
  fallback: fc.oneof(
    fc.oneof(plain, plainJson).map((value) => ({ kind: 'value', value }) as const),
    fc
      .tuple(literal(plain), secretPart, literal(plain), secretPart)
      .map((parts) => ({ kind: 'secret', parts }) as const),
  ),
});
export const worldOf = (secret: fc.Arbitrary<string>): fc.Arbitrary<World> =>
  fc.record({
    inputs: fc.record({ i0: input, i1: input, i2: input }),
    secrets: fc.record({ S0: secret, S1: secret }),
  });
export const world = worldOf(text);

// Templates, and what they mean.
const holeOf = (part: Exclude<Part, { kind: 'literal' }>): string =>
  part.kind === 'input' ? `{{inputs.${part.name}}}` : `{{ orbiset.secrets.${part.name} }}`;
export const print = (parts: readonly Part[], escape: (literal: string) => string = (value) => value): string =>
  parts.map((part) => (part.kind === 'literal' ? escape(part.text) : holeOf(part))).join('');

export function printTree(node: Tree): string {
  switch (node.kind) {
    case 'literal':
      return JSON.stringify(node.value);
    case 'string':
      return `"${print(node.parts, (value) => JSON.stringify(value).slice(1, -1))}"`;
    case 'value':
      return `{{inputs.${node.name}}}`;
    case 'list':
      return `[ ${node.items.map(printTree).join(' ,\n')} ]`;
    case 'record':
      return `{ ${node.members.map(([name, value]) => `${JSON.stringify(name)} : ${printTree(value)}`).join(', ')}}`;
    default:
      return node satisfies never;
  }
}

export function meaning(parts: readonly Part[], { inputs, secrets }: World): string {
  return parts
    .map((part) => {
      if (part.kind === 'literal') return part.text;
      if (part.kind === 'secret') return secrets[part.name] ?? '';
      const value = valueOf(part.name, { inputs, secrets });
      return typeof value === 'string' ? value : JSON.stringify(value);
    })
    .join('');
}

function valueOf(name: string, { inputs, secrets }: World): JsonValue {
  const { given, fallback } = inputs[name] ?? { given: '', fallback: { kind: 'value', value: '' } };
  if (given !== undefined) return given;
  return fallback.kind === 'value' ? fallback.value : meaning(fallback.parts, { inputs, secrets });
}

export function meaningOfTree(node: Tree, values: World): JsonValue {
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'string':
      return meaning(node.parts, values);
    case 'value':
      return valueOf(node.name, values);
    case 'list':
      return node.items.map((item) => meaningOfTree(item, values));
    case 'record':
      return Object.fromEntries(node.members.map(([name, value]) => [name, meaningOfTree(value, values)]));
    default:
      return node satisfies never;
  }
}

export const definitions = ({ inputs }: World): Record<string, { readonly default: JsonValue }> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, { fallback }]) => [
      name,
      { default: fallback.kind === 'value' ? fallback.value : print(fallback.parts) },
    ]),
  );
export const givenOf = ({ inputs }: World): JsonObject =>
  Object.fromEntries(
    Object.entries(inputs).flatMap(([name, { given }]) => (given === undefined ? [] : [[name, given]])),
  );
