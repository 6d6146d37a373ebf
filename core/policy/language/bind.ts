import { celList, celMap, isCelError, parse, type CelInput } from '@bufbuild/cel';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { rootOf, type FactDefinition, type FactSchema } from '../facts/fact-schema.ts';
import { evaluationOf, type Activation } from './environment.ts';

const timestampOf = evaluationOf(parse('timestamp(text)').expr);

/** @returns undefined when the text is no time: then the fact is absent */
function bindTimestamp(text: JsonValue): CelInput | undefined {
  if (typeof text !== 'string') return undefined;
  const found = timestampOf({ text });
  return isCelError(found) ? undefined : found;
}

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
const isText = (value: JsonValue): value is string => typeof value === 'string';

function bindList(value: JsonValue): CelInput | undefined {
  return isList(value) && value.every(isText) ? celList(value) : undefined;
}

function bindMap(value: JsonValue): CelInput | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).filter((entry): entry is [string, string] => isText(entry[1]));
  return celMap(new Map(entries));
}

const bindInt = (value: JsonValue): CelInput | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined;

/**
 * A fact as the evaluator takes it: integers by the schema, never by guessing, because a JS number would be a double.
 * @returns undefined, an absent fact, when the value is not of the type of the schema
 */
function bindFact({ type }: FactDefinition, value: JsonValue): CelInput | undefined {
  switch (type) {
    case 'string':
      return isText(value) ? value : undefined;
    case 'bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'int':
      return bindInt(value);
    case 'timestamp':
      return bindTimestamp(value);
    case 'list<string>':
      return bindList(value);
    case 'map<string, string>':
      return bindMap(value);
    default:
      return type satisfies never;
  }
}

interface Root {
  readonly name: string;
  /** By the rest of their names. */
  readonly members: ReadonlyMap<string, FactDefinition>;
}

/** Facts of a schema, by the first part of their names; a fact without a dot stands alone. */
interface Layout {
  readonly roots: readonly Root[];
  readonly alone: readonly FactDefinition[];
}

function layoutOf(schema: FactSchema): Layout {
  const definitions = [...schema.facts.values()];
  const alone = definitions.filter(({ path }) => !path.includes('.'));
  const dotted = Map.groupBy(
    definitions.filter(({ path }) => path.includes('.')),
    ({ path }) => rootOf(path),
  );
  const roots = [...dotted].map(([name, members]) => ({
    name,
    members: new Map(members.map((definition) => [definition.path.slice(name.length + 1), definition])),
  }));
  return { roots, alone };
}

/**
 * The facts of one root, each bound when it is read first: rules read a few of some thirty. The type checker refuses every
 * use of a root but naming one of its facts, so nothing asks for all of them.
 */
class RootFacts extends Map<string, CelInput> {
  readonly #root: Root;
  readonly #values: JsonObject;

  constructor(root: Root, values: JsonObject) {
    super();
    this.#root = root;
    this.#values = values;
  }

  override get(name: string): CelInput | undefined {
    const kept = super.get(name);
    if (kept !== undefined) return kept;
    const definition = this.#root.members.get(name);
    const value = definition !== undefined && Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
    const fact = definition === undefined || value === undefined ? undefined : bindFact(definition, value);
    if (fact !== undefined) this.set(name, fact);
    return fact;
  }
}

const layouts = new WeakMap<FactSchema, Layout>();

function layoutFor(schema: FactSchema): Layout {
  const kept = layouts.get(schema);
  if (kept !== undefined) return kept;
  const layout = layoutOf(schema);
  layouts.set(schema, layout);
  return layout;
}

function emptyActivation(): Activation {
  const empty: Activation = {};
  Object.setPrototypeOf(empty, null);
  return empty;
}

/**
 * The facts of a run as the evaluator takes them: the roots that are there, with the facts of the right type.
 * @param facts by first part, such as `{"orb": {"score": 70}}`
 * @param read first parts of the names that are read
 */
export function bindFacts(schema: FactSchema, facts: JsonObject, read: ReadonlySet<string>): Activation {
  const { roots, alone } = layoutFor(schema);
  const bound = emptyActivation();
  for (const root of roots) {
    if (!read.has(root.name)) continue;
    const values = Object.hasOwn(facts, root.name) ? facts[root.name] : undefined;
    if (isJsonObject(values)) bound[root.name] = celMap(new RootFacts(root, values));
  }
  for (const definition of alone) {
    const value = Object.hasOwn(facts, definition.path) ? facts[definition.path] : undefined;
    const fact = value === undefined ? undefined : bindFact(definition, value);
    if (fact !== undefined) bound[definition.path] = fact;
  }
  return bound;
}

/**
 * Inputs of a run as one policy declares them. A number that is declared as a string is its decimal text; an input of
 * another type is absent.
 */
export function bindInputs(schema: FactSchema, inputs: JsonObject): CelInput {
  const bound = new Map<string, CelInput>();
  for (const definition of schema.facts.values()) {
    const name = definition.path.slice(definition.path.indexOf('.') + 1);
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    const isNumber = definition.type === 'string' && typeof value === 'number';
    const fact = value === undefined ? undefined : bindFact(definition, isNumber ? String(value) : value);
    if (fact !== undefined) bound.set(name, fact);
  }
  return celMap(bound);
}

/** A copy of an activation with one more name. */
export function withRoot(activation: Activation, name: string, value: CelInput): Activation {
  const copy = emptyActivation();
  Object.assign(copy, activation);
  copy[name] = value;
  return copy;
}
