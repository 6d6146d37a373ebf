import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { rootOf, type FactType } from '../../../core/policy/facts/fact-schema.ts';
import { ORB_FACTS } from '../../../core/policy/facts/orb-facts.ts';

/** Group of the definition that holds expressions. */
const GROUP = 'expressions.orbs.test';
export const PLURAL = 'conditions';
export const NAME = `${PLURAL}.${GROUP}`;
export const VERSION = `${GROUP}/v1`;

/** Bounds are small, so that the server's estimate of costs accepts what ours accepts. */
const MAX_LENGTH = 80;
const MAX_ITEMS = 4;

const TEXT = { type: 'string', maxLength: MAX_LENGTH };
const TYPES: Readonly<Record<FactType, JsonObject>> = {
  bool: { type: 'boolean' },
  int: { type: 'integer', format: 'int64' },
  string: TEXT,
  timestamp: { type: 'string', format: 'date-time' },
  'list<string>': { type: 'array', maxItems: MAX_ITEMS, items: TEXT },
  'map<string, string>': { type: 'object', maxProperties: MAX_ITEMS, additionalProperties: TEXT },
};

/** The facts as the schema of an object: `spec.orb.score`. */
function factProperties(): JsonObject {
  const roots: Record<string, { type: 'object'; properties: Record<string, JsonValue> }> = {};
  for (const { path, type } of ORB_FACTS.facts.values()) {
    const root = rootOf(path);
    const { properties } = (roots[root] ??= { type: 'object', properties: {} });
    properties[path.slice(root.length + 1)] = TYPES[type];
  }
  return roots;
}

const ROOTS = [...new Set([...ORB_FACTS.facts.keys()].map(rootOf))];
const FACT = new RegExp(`(?<![\\w."'-])(${ROOTS.join('|')})\\.`, 'g');
/** A word that Kubernetes escapes in names of members. */
const RESERVED = /\.namespace\b/g;

/** An expression about facts, as a rule of the definition has it. */
export const asRule = (expression: string): string =>
  expression.replaceAll(FACT, 'self.$1.').replaceAll(RESERVED, '.__namespace__');

export interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** The definition of a kind whose spec holds facts, with rules about them. */
export const definitionWith = (rules: readonly Rule[]): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: NAME },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: PLURAL, singular: 'condition', kind: 'Condition' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: factProperties(),
                'x-kubernetes-validations': rules.map(({ rule, message }) => ({ rule, message })),
              },
            },
          },
        },
      },
    ],
  },
});
