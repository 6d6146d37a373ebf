import type { JsonObject, JsonValue } from '../../json/json-value.ts';
import { isJsonObject } from '../../json/json-value.ts';
import type { Tier } from '../../reputation/criteria.ts';
import type { Confidence } from '../../reputation/formula.ts';
import { rankOf } from '../../reputation/held-tier.ts';
import { objectAt } from '../../json/members.ts';
import type { Facts } from '../language/port.ts';
import { rootOf, type FactDefinition } from './fact-schema.ts';
import { MAX_INPUT_FACT, ORB_FACTS } from './orb-facts.ts';

const DAY_MS = 86_400_000;

const BY_ROOT = Map.groupBy([...ORB_FACTS.facts.values()], ({ path }) => rootOf(path));

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
// Half a surrogate pair has no canonical form.
const fits = (value: JsonValue, maxLength: number): boolean =>
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

function withoutPrototype(members: readonly (readonly [string, JsonValue])[]): JsonObject {
  const facts: Record<string, JsonValue> = {};
  Object.setPrototypeOf(facts, null);
  for (const [name, value] of members) facts[name] = value;
  return facts;
}

/** Facts below one root: a value that is unknown, or beyond its bounds, is absent, so that rules that read it fail. */
function partOf(root: string, values: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const members = (BY_ROOT.get(root) ?? []).flatMap((definition): readonly (readonly [string, JsonValue])[] => {
    const name = definition.path.slice(root.length + 1);
    const value = values[name];
    return value !== undefined && isWithin(definition, value) ? [[name, value]] : [];
  });
  return withoutPrototype(members);
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

/** A run before a secret is read. */
export interface PreFlightInput {
  /** From `orbFacts`. */
  readonly orb: JsonObject;
  readonly caller: {
    readonly kind: 'api_key' | 'service_account' | 'anonymous';
    /** `key:<keyid>`, `sa:<namespace>/<name>` or `anonymous`. */
    readonly id: string;
    readonly scopes: readonly string[];
    /** Of the TokenReview, else empty. */
    readonly groups: readonly string[];
    /** Undefined when the count could not be read: rules that read it fail. */
    readonly runsToday: number | undefined;
  };
  readonly orbiset: {
    readonly namespace: string;
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly runsToday: number | undefined;
    readonly orbRunsToday: number | undefined;
  };
  /** ms since the epoch */
  readonly startedAt: number;
  readonly hasIdempotencyKey: boolean;
  readonly inputs: JsonObject;
  /** Bytes of the canonical JSON of the inputs. */
  readonly inputBytes: number;
  /** Inputs whose values become facts: `inputNames` of the policy set. */
  readonly inputNames: readonly string[];
}

/** An input as a fact: text, truth or whole number; another number is its decimal text, the rest is absent. */
function inputFact(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === 'string') return fits(value, MAX_INPUT_FACT) ? value : undefined;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : String(value);
  return typeof value === 'boolean' ? value : undefined;
}

function inputFacts({ inputs, inputNames }: PreFlightInput): JsonObject {
  const named = inputNames.flatMap((name): readonly (readonly [string, JsonValue])[] => {
    const value = inputFact(Object.hasOwn(inputs, name) ? inputs[name] : undefined);
    return value === undefined ? [] : [[name, value]];
  });
  return withoutPrototype(named);
}

const MOST_FIELDS = 256;

/** Dotted paths of the values, objects opened: `user.name`. Stops beyond what a fact may hold. */
function addFields(value: JsonObject, prefix: string, found: string[]): void {
  for (const [name, inner] of Object.entries(value)) {
    if (found.length > MOST_FIELDS) return;
    const path = `${prefix}${name}`;
    if (isJsonObject(inner) && Object.keys(inner).length > 0) addFields(inner, `${path}.`, found);
    else found.push(path);
  }
}

function fieldsOf(inputs: JsonObject): readonly string[] {
  const found: string[] = [];
  addFields(inputs, '', found);
  return found.toSorted();
}

/** The facts of phase PreFlight. */
export function preFlightFacts(input: PreFlightInput): Facts {
  const { caller, orbiset } = input;
  const named = inputFacts(input);
  const parts: readonly (readonly [string, JsonValue])[] = [
    ['orb', input.orb],
    [
      'caller',
      partOf('caller', {
        kind: caller.kind,
        id: caller.id,
        tenant: orbiset.namespace,
        scopes: caller.scopes,
        groups: caller.groups,
        runs_today: caller.runsToday,
      }),
    ],
    [
      'orbiset',
      partOf('orbiset', {
        namespace: orbiset.namespace,
        name: orbiset.name,
        labels: orbiset.labels,
        runs_today: orbiset.runsToday,
        orb_runs_today: orbiset.orbRunsToday,
      }),
    ],
    [
      'run',
      partOf('run', {
        started_at: new Date(input.startedAt).toISOString(),
        has_idempotency_key: input.hasIdempotencyKey,
      }),
    ],
    ['request', partOf('request', { fields: fieldsOf(input.inputs), input_bytes: input.inputBytes })],
  ];
  return withoutPrototype(Object.keys(named).length === 0 ? parts : [...parts, ['inputs', named]]);
}

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
