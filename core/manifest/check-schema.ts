import { validators, type Documents } from '../../crds/documents.ts';
import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { member } from '../json/members.ts';
import { childPointer, shownPointer } from './child-pointer.ts';
import type { Checked, Finding } from './finding.ts';
import { nearestName } from './nearest.ts';

/** An error of a generated check, as Ajv words it. */
interface SchemaError {
  readonly keyword: string;
  /** JSON pointer of the value. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly propertyName?: string;
  readonly message?: string;
  /** The schema that holds the keyword. */
  readonly parentSchema?: object;
  readonly data?: unknown;
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
const described = ({ parentSchema, message }: SchemaError): string =>
  text(member(parentSchema, 'description')) || `It ${message ?? ''}.`;

function explainUnknown({ instancePath, params, parentSchema }: SchemaError): Explained {
  const name = text(params['additionalProperty']);
  const known = names(member(parentSchema, 'properties'));
  const suggestion = nearestName(name, known);
  const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name;
  const detail = `"${shown}" is not known here.${didYouMean(suggestion) || ` Known: ${known.join(', ')}.`}`;
  return { pointer: childPointer(instancePath, name), detail, suggestion };
}

/** Whether an empty map is a good value of this schema. */
function mayBeEmpty(schema: unknown): boolean {
  if (!isJsonObject(schema) || schema['type'] !== 'object') return false;
  return schema['minProperties'] === undefined && names(schema['required']).length === 0;
}

function explainMissing({ instancePath, params, parentSchema }: SchemaError): Explained {
  const name = text(params['missingProperty']);
  const schema = member(member(parentSchema, 'properties'), name);
  const empty = mayBeEmpty(schema) ? `; without any, write ${name}: {}` : '; add it';
  return { pointer: childPointer(instancePath, name), detail: `"${name}" is missing${empty}.` };
}

function explainEnum({ instancePath, params, data }: SchemaError): Explained {
  const allowed: readonly unknown[] = Array.isArray(params['allowedValues']) ? params['allowedValues'] : [];
  const suggestion = nearestName(text(data), allowed.map(String));
  const detail = `Use one of: ${allowed.join(', ')}.${didYouMean(suggestion)}`;
  const isReserved = instancePath === '/swap_config/strategy' && RESERVED_STRATEGIES.includes(text(data));
  return isReserved
    ? { pointer: instancePath, detail: `"${text(data)}" is reserved for later; use latency or priority.` }
    : { pointer: instancePath, detail, suggestion };
}

function explainType({ instancePath, params, data }: SchemaError): Explained {
  const wanted = String(params['type']);
  const isScalar = typeof data === 'number' || typeof data === 'boolean';
  const hint = wanted === 'string' && isScalar ? ' Write quotes around it.' : '';
  return { pointer: instancePath, detail: `The value must be of type ${wanted}.${hint}` };
}

/** Explains a name that a map can't hold, once and at the name. */
function explainName(error: SchemaError): Explained {
  return {
    pointer: childPointer(error.instancePath, text(error.propertyName)),
    detail: `The name does not fit. ${described(error)}`,
  };
}

const explanations: Readonly<Record<string, (error: SchemaError) => Explained>> = {
  additionalProperties: explainUnknown,
  required: explainMissing,
  enum: explainEnum,
  type: explainType,
};

function toFinding(error: SchemaError): Finding {
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
const isRepeated = ({ keyword, schemaPath }: SchemaError): boolean =>
  keyword === 'propertyNames' || schemaPath.includes('/oneOf/');

function findingsOf(errors: readonly SchemaError[]): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const error of errors) {
    if (isRepeated(error)) continue;
    const finding = toFinding(error);
    found.set(`${finding.code} ${finding.pointer}`, finding);
    if (found.size === MAX_FINDINGS) break;
  }
  return [...found.values()];
}

/** A generated check of a value: true, or false and the errors of this call. */
interface SchemaCheck {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/**
 * Checks a document with a JSON Schema of crds/schemas (trust.md §8).
 * @param name of the schema: `orb` for orb.schema.json
 * @returns the same value, typed, or findings `schema-<ajv keyword>`, with the nearest known name for a near miss.
 * Findings name members, never values.
 */
export function checkSchema<Name extends keyof Documents>(name: Name, value: JsonValue): Checked<Documents[Name]> {
  const check: SchemaCheck = validators[name];
  const fits = (document: unknown): document is Documents[Name] => check(document);
  const candidate: unknown = value;
  if (fits(candidate)) return { ok: true, value: candidate, findings: [] };
  return { ok: false, findings: findingsOf(check.errors ?? []) };
}
