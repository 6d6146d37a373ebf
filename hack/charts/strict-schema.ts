import { at, isRecord, listAt, type Json } from '../control-plane/json.ts';

/** Whether an object schema is closed: it lists its members and does not say that others are allowed. */
const closed = (schema: Json): boolean =>
  isRecord(schema['properties']) &&
  schema['additionalProperties'] === undefined &&
  schema['x-kubernetes-preserve-unknown-fields'] !== true &&
  schema['x-kubernetes-embedded-resource'] !== true;

/** The type of a schema, where OpenAPI has its own notation. */
function typeOf(schema: Json): unknown {
  if (schema['x-kubernetes-int-or-string'] === true || schema['format'] === 'int-or-string')
    return ['integer', 'string'];
  const { type } = schema;
  return schema['nullable'] === true && typeof type === 'string' ? [type, 'null'] : type;
}

const DROPPED = new Set(['type', 'description', 'default', 'example', 'format', 'nullable', 'enum']);
/** JSON Schema draft 4, which kubeconform reads, does not allow an empty `required` list. */
const isEmptyRequired = (name: string, value: unknown): boolean =>
  name === 'required' && Array.isArray(value) && value.length === 0;
const MAPS = new Set(['properties', 'patternProperties', 'definitions']);
/** Their schemas only add conditions to members that the enclosing schema names. */
const CONDITIONS = new Set(['allOf', 'anyOf', 'oneOf', 'not']);

function enumOf(schema: Json): Json {
  const values = listAt(schema, 'enum');
  if (values.length === 0) return {};
  return { enum: schema['nullable'] === true ? [...values, null] : values };
}

function strictMember(name: string, value: unknown, isCondition: boolean): unknown {
  if (!MAPS.has(name)) return strictSchema(value, isCondition || CONDITIONS.has(name));
  const members = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(members.map(([member, schema]) => [member, strictSchema(schema, isCondition)]));
}

/**
 * A schema of OpenAPI as JSON Schema that rejects members it does not name. Texts and defaults are left out. `format`
 * is also left out: the API server reports such faults better.
 */
export function strictSchema(schema: unknown, isCondition = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => strictSchema(each, isCondition));
  if (!isRecord(schema)) return schema;
  const rest = Object.entries(schema).filter(
    ([name, value]) => !DROPPED.has(name) && !name.startsWith('x-') && !isEmptyRequired(name, value),
  );
  const type = typeOf(schema);
  return {
    ...Object.fromEntries(rest.map(([name, value]) => [name, strictMember(name, value, isCondition)])),
    ...enumOf(schema),
    ...(type === undefined ? {} : { type }),
    ...(!isCondition && closed(schema) ? { additionalProperties: false } : {}),
  };
}

const REF = '#/definitions/';
/** A quantity may be written as a number: `cpu: 1`. */
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';

/** Names of the definitions that a schema needs, directly or through other definitions. */
function needed(schema: unknown, definitions: Json, names = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(schema)) for (const item of schema) needed(item, definitions, names);
  if (!isRecord(schema)) return names;
  const ref = schema['$ref'];
  if (typeof ref === 'string' && ref.startsWith(REF) && !names.has(ref.slice(REF.length))) {
    names.add(ref.slice(REF.length));
    needed(definitions[ref.slice(REF.length)], definitions, names);
  }
  for (const value of Object.values(schema)) needed(value, definitions, names);
  return names;
}

/** An object's version and kind. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');
const versionOf = (apiVersion: string): string => apiVersion.split('/').at(-1) ?? '';

function isOf(definition: unknown, { apiVersion, kind }: Kind): boolean {
  const kinds = at(definition, 'x-kubernetes-group-version-kind');
  if (!Array.isArray(kinds)) return false;
  return kinds.some(
    (each) =>
      at(each, 'group') === groupOf(apiVersion) &&
      at(each, 'version') === versionOf(apiVersion) &&
      at(each, 'kind') === kind,
  );
}

/** The complete strict schema of a kind. @param openApi of an API server, version 2 @returns undefined: unknown kind */
export function schemaOfOpenApi(openApi: unknown, kind: Kind): Json | undefined {
  const definitions = at(openApi, 'definitions');
  if (!isRecord(definitions)) throw new TypeError('the OpenAPI document has no definitions');
  const found = Object.entries(definitions).find(([, definition]) => isOf(definition, kind));
  if (found === undefined) return undefined;
  const [name, own] = found;
  const names = needed(own, definitions, new Set([name]));
  const used = Object.fromEntries([...names].map((each) => [each, strictSchema(definitions[each])]));
  if (QUANTITY in used) used[QUANTITY] = { type: ['string', 'number'] };
  return { definitions: used, allOf: [{ $ref: REF + name }, { required: ['apiVersion', 'kind'] }] };
}

/** The strict schema of a kind by its resource definition. @returns undefined: it defines another kind or version */
export function schemaOfDefinition(definition: unknown, { apiVersion, kind }: Kind): Json | undefined {
  if (at(definition, 'spec', 'group') !== groupOf(apiVersion)) return undefined;
  if (at(definition, 'spec', 'names', 'kind') !== kind) return undefined;
  const versions = at(definition, 'spec', 'versions');
  if (!Array.isArray(versions)) return undefined;
  const found: unknown = versions.find((version) => at(version, 'name') === versionOf(apiVersion));
  const schema = strictSchema(at(found, 'schema', 'openAPIV3Schema'));
  return isRecord(schema) ? { ...schema, required: ['apiVersion', 'kind'] } : undefined;
}
