import type { JsonObject, JsonValue } from '../../json/json-value.ts';
import { isJsonObject } from '../../json/json-value.ts';
import type { Tier } from '../../reputation/criteria.ts';
import type { Confidence } from '../../reputation/formula.ts';
import { rankOf } from '../../reputation/held-tier.ts';
import { objectAt } from '../../json/members.ts';
import type { Facts } from '../language/port.ts';
import { rootOf, type FactDefinition } from './fact-schema.ts';
import { ORB_FACTS } from './orb-facts.ts';

const DAY_MS = 86_400_000;

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
/** Half a surrogate pair has no canonical form. */
export const fits = (value: JsonValue, maxLength: number): boolean =>
  typeof value === 'string' && value.length <= maxLength && value.isWellFormed();

/** Whether a value is inside the bounds that costs were computed from. */
export function isWithin({ type, min, max, maxLength, maxItems }: FactDefinition, value: JsonValue): boolean {
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'int') return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
  if (isList(value)) return value.length <= maxItems && value.every((item) => fits(item, maxLength));
  if (!isJsonObject(value)) return fits(value, maxLength);
  const entries = Object.entries(value);
  return entries.length <= maxItems && entries.every((entry) => entry.every((text) => fits(text, maxLength)));
}

/** An object of these members alone. */
export function withoutPrototype(members: readonly (readonly [string, JsonValue])[]): JsonObject {
  const facts: Record<string, JsonValue> = {};
  Object.setPrototypeOf(facts, null);
  for (const [name, value] of members) facts[name] = value;
  return facts;
}

const BY_ROOT = new Map(
  [...Map.groupBy([...ORB_FACTS.facts.values()], ({ path }) => rootOf(path))].map(([root, facts]) => [
    root,
    new Map(facts.map((fact) => [fact.path.slice(root.length + 1), fact])),
  ]),
);

const definitionOf = (root: string, name: string): FactDefinition | undefined => BY_ROOT.get(root)?.get(name);

/** Facts below one root: a value that is unknown, or beyond its bounds, is absent, so that rules that read it fail. */
function partOf(root: string, values: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const members: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(values)) {
    const definition = definitionOf(root, name);
    if (definition !== undefined && value !== undefined && isWithin(definition, value)) members[name] = value;
  }
  return members;
}

/** An Orb and its publication. */
export interface OrbFactsInput {
  readonly orbId: string;
  readonly manifestDigest: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly irreversible: boolean;
  /** Literal hosts of all providers, lower-case A-labels; sorted. */
  readonly hosts: readonly string[];
  readonly providers: readonly string[];
  /** What is published under this digest; undefined when nothing is, or another digest runs. */
  readonly published:
    | {
        readonly tier: Tier;
        readonly score: number;
        readonly confidence: Confidence;
        readonly publisherVerified: boolean;
        /** ms since the epoch */
        readonly at: number;
      }
    | undefined;
}

const UNPUBLISHED = { tier: 'uncertified', score: 0, confidence: 'provisional', publisherVerified: false } as const;

const dayOf = (time: number): number => Math.floor(time / DAY_MS);

/**
 * The facts `orb.*`. They change with the Orb, its publication and the UTC day: build them once for each, and use the
 * same object for every run. Results are kept by it.
 * @param now ms since the epoch; only its UTC day matters
 */
export function orbFacts(input: OrbFactsInput, now: number): JsonObject {
  const { tier, score, confidence, publisherVerified } = input.published ?? UNPUBLISHED;
  const [before = '', version] = input.orbId.split('@');
  const dot = before.indexOf('.');
  return partOf('orb', {
    orb_id: input.orbId,
    org: before.slice(0, dot),
    name: before.slice(dot + 1),
    version,
    manifest_digest: input.manifestDigest,
    labels: input.labels,
    tier,
    tier_rank: rankOf(tier),
    score,
    confidence,
    publisher_verified: publisherVerified,
    irreversible: input.irreversible,
    age_days: input.published && Math.max(0, dayOf(now) - dayOf(input.published.at)),
    hosts: input.hosts,
    providers: input.providers,
  });
}

/** Who calls, as its facts say it. */
export interface CallerFactsInput {
  readonly kind: 'api_key' | 'service_account' | 'anonymous';
  /** `key:<keyid>`, `sa:<namespace>/<name>` or `anonymous`. */
  readonly id: string;
  /** Namespace of the Orbiset. */
  readonly tenant: string;
  readonly scopes: readonly string[];
  /** Of the TokenReview, else empty. */
  readonly groups: readonly string[];
}

/** The facts `caller.*` that do not change with the run: build them once for each caller and tenant. */
export const callerFacts = ({ kind, id, tenant, scopes, groups }: CallerFactsInput): JsonObject =>
  partOf('caller', { kind, id, tenant, scopes, groups });

/** An Orbiset as its facts say it. */
export interface OrbisetFactsInput {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The facts `orbiset.*` that do not change with the run: build them once for each Orbiset. */
export const orbisetFacts = ({ namespace, name, labels }: OrbisetFactsInput): JsonObject =>
  partOf('orbiset', { namespace, name, labels });

/** The sealed request of one provider: placeholders stand in place of secrets. */
export interface RequestInput {
  readonly provider: string;
  readonly method: string;
  /** Of the final URL, lower-case A-label form. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly queryNames: readonly string[];
  /** Lower case. */
  readonly headerNames: readonly string[];
  readonly secretRefs: readonly string[];
  readonly bodyBytes: number;
}

/** What phase Request adds: its snapshot. */
export const requestFacts = (input: RequestInput): Facts =>
  withoutPrototype([
    [
      'request',
      partOf('request', {
        provider: input.provider,
        method: input.method,
        host: input.host,
        port: input.port,
        path: input.path,
        query_names: input.queryNames,
        header_names: input.headerNames,
        secret_refs: input.secretRefs,
        body_bytes: input.bodyBytes,
      }),
    ],
  ]);

/** An answer of 2xx with its outputs. */
export interface ResponseInput {
  readonly status: number;
  readonly bodyBytes: number;
  readonly durationMs: number;
  readonly contentType: string;
  /** Lower case. */
  readonly headerNames: readonly string[];
}

/** What phase Response adds: its snapshot. */
export const responseFacts = (input: ResponseInput): Facts =>
  withoutPrototype([
    [
      'response',
      partOf('response', {
        status: input.status,
        body_bytes: input.bodyBytes,
        duration_ms: Math.round(input.durationMs),
        content_type: input.contentType,
        header_names: input.headerNames,
      }),
    ],
  ]);

/** The facts of a phase: those of the phases before it, with what it adds. */
export function laterFacts(before: Facts, added: Facts): Facts {
  const parts = Object.entries(added).map(([root, values]): readonly [string, JsonValue] => {
    const merged = [...Object.entries(objectAt(before, root)), ...Object.entries(objectAt(added, root))];
    return [root, Object.hasOwn(before, root) ? withoutPrototype(merged) : values];
  });
  return withoutPrototype([...Object.entries(before), ...parts]);
}
