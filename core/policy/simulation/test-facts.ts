import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { member } from '../../json/members.ts';
import { childPointer } from '../../manifest/child-pointer.ts';
import type { Finding } from '../../manifest/finding.ts';
import { nearestName } from '../../manifest/nearest.ts';
import { isWithin } from '../facts/build-facts.ts';
import { rootOf, type FactDefinition, type FactSchema } from '../facts/fact-schema.ts';
import type { PolicyLintCode } from '../language/lint-codes.ts';
import type { Facts } from '../language/port.ts';

/** The time of a test that gives none. */
const TEST_TIME = '2026-01-01T00:00:00Z';

const TIME = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** RFC 3339, and a day that the calendar has. */
function isTime(value: JsonValue): boolean {
  if (typeof value !== 'string' || !TIME.test(value)) return false;
  const day = value.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** Facts of a run are made from a clock, so only what a person writes can be a time that is none. */
const isValueOf = (definition: FactDefinition, value: JsonValue): boolean =>
  isWithin(definition, value) && (definition.type !== 'timestamp' || isTime(value));

/** Value of a fact that is not given: empty, false or its smallest number. */
function defaultOf({ type, min }: FactDefinition): JsonValue {
  switch (type) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int':
      return min;
    case 'timestamp':
      return TEST_TIME;
    case 'list<string>':
      return [];
    case 'map<string, string>':
      return {};
    default:
      return type satisfies never;
  }
}

/** Facts by path: `orb.score`. */
type Paths = ReadonlyMap<string, JsonValue>;

/** The facts that a person writes, by path; findings about unknown names and values of another type. */
function givenFacts(
  schema: FactSchema,
  input: JsonObject,
  pointer: string,
): { readonly given: Paths; readonly findings: readonly Finding[] } {
  const given = new Map<string, JsonValue>();
  const findings: Finding[] = [];
  const error = (code: PolicyLintCode, at: string, detail: string): unknown =>
    findings.push({ code, pointer: at, detail, severity: 'error' });
  for (const [root, members] of Object.entries(input))
    for (const [name, value] of Object.entries(isJsonObject(members) ? members : {})) {
      const path = `${root}.${name}`;
      const at = childPointer(childPointer(pointer, root), name);
      const definition = schema.facts.get(path);
      const nearest = nearestName(path, [...schema.facts.keys()]);
      const hint = nearest === undefined ? 'take one of the list of facts' : `did you mean ${nearest}?`;
      if (definition === undefined) error('unknown-fact', at, `${path} is no fact: ${hint}`);
      else if (isValueOf(definition, value)) given.set(path, value);
      else error('type-error', at, `write a ${definition.type} inside the bounds of ${path}`);
    }
  return { given, findings };
}

function factsOf(paths: Paths): Facts {
  const roots = new Map<string, Record<string, JsonValue>>();
  for (const [path, value] of paths) {
    const dot = path.indexOf('.');
    const root = path.slice(0, dot);
    roots.set(root, { ...roots.get(root), [path.slice(dot + 1)]: value });
  }
  return Object.fromEntries(roots);
}

function pathsOf(schema: FactSchema, facts: Facts): Paths {
  const found = [...schema.facts.keys()].flatMap((path): readonly (readonly [string, JsonValue])[] => {
    const root = rootOf(path);
    const value = member(member(facts, root), path.slice(root.length + 1));
    return value === undefined ? [] : [[path, value]];
  });
  return new Map(found);
}

/** Where the value of a fact comes from. */
export type FactOrigin = 'given' | 'live' | 'default';

export interface CompletedFacts {
  readonly facts: Facts;
  /** By path; a fact that is absent has none. */
  readonly origins: ReadonlyMap<string, FactOrigin>;
  readonly findings: readonly Finding[];
}

/**
 * Facts of a person's input, with live ones and then defaults for the rest; nullable facts that are not given are absent.
 * @param pointer of the input in its document
 * @param live facts that are known from elsewhere
 */
export function completedFacts(
  schema: FactSchema,
  input: JsonObject,
  pointer: string,
  live: Facts = {},
): CompletedFacts {
  const { given, findings } = givenFacts(schema, input, pointer);
  const known = pathsOf(schema, live);
  const defaults = [...schema.facts.values()].flatMap((definition): readonly (readonly [string, JsonValue])[] =>
    definition.isNullable ? [] : [[definition.path, defaultOf(definition)]],
  );
  const all = new Map([...defaults, ...known, ...given]);
  const originOf = (path: string): FactOrigin => {
    if (given.has(path)) return 'given';
    return known.has(path) ? 'live' : 'default';
  };
  return { facts: factsOf(all), origins: new Map([...all.keys()].map((path) => [path, originOf(path)])), findings };
}
