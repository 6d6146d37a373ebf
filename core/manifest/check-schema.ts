import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import manifestSchema from '../../crds/schemas/manifest.schema.json' with { type: 'json' };
import orbSchema from '../../crds/schemas/orb.schema.json' with { type: 'json' };
import publicationSchema from '../../crds/schemas/orbpublication.schema.json' with { type: 'json' };
import orbisetSchema from '../../crds/schemas/orbiset.schema.json' with { type: 'json' };
import secretSchema from '../../crds/schemas/secret.schema.json' with { type: 'json' };
import type { Manifest } from '../../crds/manifest.ts';
import type { Orb } from '../../crds/orb.ts';
import type { Orbiset } from '../../crds/orbiset.ts';
import type { OrbPublication } from '../../crds/orbpublication.ts';
import type { Secret } from '../../crds/secret.ts';
import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { member } from '../json/members.ts';
import { childPointer, shownPointer } from './child-pointer.ts';
import type { Checked, Finding } from './finding.ts';
import { nearestName } from './nearest.ts';

/**
 * Whether a time in UTC in the form of the schemas (`2026-01-31T12:00:00Z`) exists. `Date.parse` alone is not enough:
 * it reads 30 February as 2 March, and 24:00 as the next day.
 */
function isDateTime(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === text.slice(0, 19);
}

const MAX_FINDINGS = 50;
// failover.md §4: names of later strategies.
const RESERVED_STRATEGIES = [
  'error_rate',
  'weighted',
  'cost',
  'round_robin',
  'p2c_ewma',
  'least_inflight',
  'quota',
  'region',
  'trust',
];

type Explained = Pick<Finding, 'pointer' | 'detail'> & { readonly suggestion?: string | undefined };

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const names = (value: unknown): readonly string[] => (isJsonObject(value) ? Object.keys(value) : []);
const didYouMean = (suggestion: string | undefined): string =>
  suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
const described = ({ parentSchema, message }: ErrorObject): string =>
  text(member(parentSchema, 'description')) || `It ${message ?? ''}.`;

function explainUnknown({ instancePath, params, parentSchema }: ErrorObject): Explained {
  const name = text(params['additionalProperty']);
  const known = names(member(parentSchema, 'properties'));
  const suggestion = nearestName(name, known);
  const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name;
  const detail = `"${shown}" is not known here.${didYouMean(suggestion) || ` Known: ${known.join(', ')}.`}`;
  return { pointer: childPointer(instancePath, name), detail, suggestion };
}

function explainMissing({ instancePath, params }: ErrorObject): Explained {
  const name = text(params['missingProperty']);
  return { pointer: childPointer(instancePath, name), detail: `"${name}" is missing; add it.` };
}

function explainEnum({ instancePath, params, data }: ErrorObject): Explained {
  const allowed: readonly unknown[] = Array.isArray(params['allowedValues']) ? params['allowedValues'] : [];
  const suggestion = nearestName(text(data), allowed.map(String));
  const detail = `Use one of: ${allowed.join(', ')}.${didYouMean(suggestion)}`;
  const isReserved = instancePath === '/swap_config/strategy' && RESERVED_STRATEGIES.includes(text(data));
  return isReserved
    ? { pointer: instancePath, detail: `"${text(data)}" is reserved for later; use latency or priority.` }
    : { pointer: instancePath, detail, suggestion };
}

function explainType({ instancePath, params, data }: ErrorObject): Explained {
  const wanted = String(params['type']);
  const isScalar = typeof data === 'number' || typeof data === 'boolean';
  const hint = wanted === 'string' && isScalar ? ' Write quotes around it.' : '';
  return { pointer: instancePath, detail: `The value must be of type ${wanted}.${hint}` };
}

/** Explains a name that a map can't hold, once and at the name. */
function explainName(error: ErrorObject): Explained {
  return {
    pointer: childPointer(error.instancePath, text(error.propertyName)),
    detail: `The name does not fit. ${described(error)}`,
  };
}

const explanations: Readonly<Record<string, (error: ErrorObject) => Explained>> = {
  additionalProperties: explainUnknown,
  required: explainMissing,
  enum: explainEnum,
  type: explainType,
};

function toFinding(error: ErrorObject): Finding {
  const isName = error.propertyName !== undefined;
  const explain = isName ? explainName : explanations[error.keyword];
  const { pointer, detail, suggestion } = explain?.(error) ?? { pointer: error.instancePath, detail: described(error) };
  const code = `schema-${isName ? 'propertyNames' : error.keyword}`;
  return {
    code,
    pointer: shownPointer(pointer),
    detail,
    severity: 'error',
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

/** A `propertyNames` error repeats its inner error. Errors of `oneOf` branches repeat the error of the `oneOf`. */
const isRepeated = ({ keyword, schemaPath }: ErrorObject): boolean =>
  keyword === 'propertyNames' || schemaPath.includes('/oneOf/');

function findingsOf(errors: readonly ErrorObject[]): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const error of errors) {
    if (isRepeated(error)) continue;
    const finding = toFinding(error);
    found.set(`${finding.code} ${finding.pointer}`, finding);
    if (found.size === MAX_FINDINGS) break;
  }
  return [...found.values()];
}

const OPTIONS = {
  allErrors: true,
  verbose: true,
  strict: true,
  ownProperties: true,
  formats: { 'date-time': isDateTime },
} as const;

/** Compiles a schema at its first use (about 20 ms), never per request. */
function checker<T>(schema: object): (value: JsonValue) => Checked<T> {
  let validate: ValidateFunction<T> | undefined;
  return (value) => {
    validate ??= new Ajv2020(OPTIONS).compile<T>(schema);
    const candidate: unknown = value;
    if (validate(candidate)) return { ok: true, value: candidate, findings: [] };
    return { ok: false, findings: findingsOf(validate.errors ?? []) };
  };
}

/**
 * The JSON Schemas of crds/schemas as checks (trust.md §8). A check returns the same value, typed, or findings
 * `schema-<ajv keyword>`, with the nearest known name for a near miss. Findings name members, never values.
 */
export const schemaChecks = {
  manifest: checker<Manifest>(manifestSchema),
  orb: checker<Orb>(orbSchema),
  orbiset: checker<Orbiset>(orbisetSchema),
  publication: checker<OrbPublication>(publicationSchema),
  secret: checker<Secret>(secretSchema),
} as const;
