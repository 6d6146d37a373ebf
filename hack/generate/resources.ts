import { isRecord, type Json } from '../control-plane/json.ts';
import { readSchemaFile, schemaNames } from './schema-files.ts';
import type { Extra } from './structural.ts';

/** A column of `kubectl get`. Priority 1 is shown by `-o wide` only. */
interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: 1;
}

/** The member `x-resource` of a schema: what a resource definition says beside the schema. */
interface ResourceMember {
  readonly plural: string;
  readonly shortName: string;
  /** Columns that help a decision come first (packaging.md §2). */
  readonly columns: readonly Column[];
  /** JSON paths of field selectors. */
  readonly selectable?: readonly string[];
  /**
   * What JSON Schema can't say, by place. The place `''` is the object as a whole: the only member of metadata that its
   * rules can see is the name.
   */
  readonly extras?: Readonly<Record<string, Extra>>;
}

/** A kind of the platform: a schema of crds/schemas with the member `x-resource`. */
export interface Resource extends ResourceMember {
  /** Name of the schema: `orbiset`. */
  readonly name: string;
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly schema: Json;
}

type Guard = (value: unknown) => boolean;

const isText: Guard = (value) => typeof value === 'string' && value !== '';
const isListOf =
  (isItem: Guard): Guard =>
  (value) =>
    Array.isArray(value) && value.every(isItem);
const isOptional =
  (isValue: Guard): Guard =>
  (value) =>
    value === undefined || isValue(value);
const hasMembers =
  (members: Readonly<Record<string, Guard>>): Guard =>
  (value) =>
    isRecord(value) &&
    Object.keys(value).every((name) => Object.hasOwn(members, name)) &&
    Object.entries(members).every(([name, isMember]) => isMember(value[name]));

const isColumn = hasMembers({
  name: isText,
  type: (value) => ['string', 'integer', 'boolean', 'date'].includes(String(value)),
  jsonPath: isText,
  description: isText,
  priority: isOptional((value) => value === 1),
});
const isExtra = hasMembers({
  rules: isOptional(isListOf(hasMembers({ rule: isText, message: isText }))),
  mapKeys: isOptional(isListOf(isText)),
  keepsUnknown: isOptional((value) => value === true),
  byAdmission: isOptional((value) => value === true),
});
const isComplete = hasMembers({
  plural: isText,
  shortName: isText,
  columns: isListOf(isColumn),
  selectable: isOptional(isListOf(isText)),
  extras: isOptional((value) => isRecord(value) && Object.values(value).every(isExtra)),
});
const isResourceMember = (value: unknown): value is ResourceMember => isComplete(value);

/** The only value that a schema allows for one of its members. */
function onlyValue({ properties }: Json, name: string): string {
  const member = isRecord(properties) ? properties[name] : undefined;
  const values: readonly unknown[] = isRecord(member) && Array.isArray(member['enum']) ? member['enum'] : [];
  const [value] = values;
  if (typeof value !== 'string' || values.length > 1) throw new TypeError(`${name} must have one value`);
  return value;
}

async function readResource(root: string, name: string): Promise<readonly Resource[]> {
  const { schema, resource: member } = await readSchemaFile(root, name);
  if (member === undefined) return [];
  if (!isResourceMember(member))
    throw new TypeError(`x-resource of ${name}.schema.json: a member is missing, unknown or malformed`);
  const [group = '', version = ''] = onlyValue(schema, 'apiVersion').split('/');
  const kind = onlyValue(schema, 'kind');
  if (kind.toLowerCase() !== name) throw new TypeError(`${name}.schema.json must have the name of its kind, ${kind}`);
  return [{ ...member, name, kind, group, version, schema }];
}

/** The kinds of the platform, in the order of the names of their schemas. */
export async function readResources(root: string): Promise<readonly Resource[]> {
  const names = await schemaNames(root);
  return (await Promise.all(names.map((name) => readResource(root, name)))).flat();
}
