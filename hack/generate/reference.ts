import { REASONS } from '../../operator/kinds/reasons.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import { isRecord, type Json } from '../control-plane/json.ts';
import type { Resource } from './resources.ts';

/** A kind with the schema of its definition. */
export interface KindSchema {
  readonly resource: Resource;
  readonly schema: Json;
}

interface Row {
  readonly field: string;
  readonly type: string;
  readonly bounds: string;
  readonly meaning: string;
}

// The same schema as spec.execution.
const DESCRIBED_ELSEWHERE = 'spec.providers.NAME.execution';
const PATH = 'docs/reference/resources.md';
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const cell = (value: string): string => value.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
// The formatter reads * and _ as emphasis, and < as a tag.
export const prose = (value: string): string => cell(value).replaceAll(/[*_<]/g, String.raw`\$&`);
export const code = (value: string): string => (value === '' ? '' : `\`${cell(value)}\``);

// A schema without a bound has 2^53−1.
const bound = (value: unknown): string =>
  typeof value === 'number' && value !== Number.MAX_SAFE_INTEGER ? String(value) : '';

function range(unit: string, min: unknown, max: unknown): string {
  const [low, high] = [bound(min), bound(max)];
  if (low === '') return high === '' ? '' : `≤ ${high}${unit}`;
  return high === '' ? `≥ ${low}${unit}` : `${low}–${high}${unit}`;
}

function boundsOf(schema: Json): string {
  const { enum: values, items, minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties } = schema;
  const parts = [
    Array.isArray(values) ? values.map((value) => code(String(value))).join(', ') : '',
    range('', minimum, maximum),
    Array.isArray(values) ? '' : range(' characters', minLength, maxLength),
    range(' items', minItems, maxItems),
    range(' members', undefined, maxProperties),
    text(schema['format']) === 'date-time' ? 'RFC 3339' : '',
  ];
  const ofItems = isRecord(items) ? boundsOf(items) : '';
  return [...parts, ofItems === '' ? '' : `each ${ofItems}`].filter((part) => part !== '').join('; ');
}

function typeOf(schema: Json): string {
  const { type, items, properties, additionalProperties } = schema;
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true && !isRecord(properties);
  if (type === 'array') return `list of ${typeOf(isRecord(items) ? items : {})}`;
  if (isRecord(additionalProperties) && type === 'object') return `map to ${typeOf(additionalProperties)}`;
  if (type === 'object') return open ? 'object, any members' : 'object';
  return typeof type === 'string' ? type : isRecord(items) ? 'list or map' : 'any value';
}

/** The messages of a value's rules. Messages about names start with the fault; here they start with their subject. */
function rulesOf(schema: Json): string {
  const { 'x-kubernetes-validations': rules } = schema;
  if (!Array.isArray(rules)) return '';
  return rules
    .map((rule: unknown) => (isRecord(rule) ? ` ${text(rule['message'])}` : ''))
    .join('')
    .replace('A name does not fit.', 'Names:');
}

interface Place {
  readonly field: string;
  readonly isRequired: boolean;
}

function membersOf(schema: Json, field: string): readonly Row[] {
  if (field === DESCRIBED_ELSEWHERE) return [];
  const { properties, required, items, additionalProperties } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  if (isRecord(properties))
    return Object.entries(properties).flatMap(([name, member]) =>
      rowsOf(isRecord(member) ? member : {}, { field: `${field}.${name}`, isRequired: needed.includes(name) }),
    );
  if (isRecord(items)) return inner(items, `${field}[]`);
  return isRecord(additionalProperties) ? inner(additionalProperties, `${field}.NAME`) : [];
}

/** Items and values have a row only when they have members. */
const inner = (schema: Json, field: string): readonly Row[] =>
  isRecord(schema['properties']) || isRecord(schema['items']) || isRecord(schema['additionalProperties'])
    ? membersOf(schema, field)
    : [];

function rowsOf(schema: Json, { field, isRequired }: Place): readonly Row[] {
  const own: Row = {
    field,
    type: `${typeOf(schema)}${isRequired ? ', required' : ''}`,
    bounds: boundsOf(schema),
    meaning: `${text(schema['description'])}${field === DESCRIBED_ELSEWHERE ? ' Members as in `spec.execution`.' : rulesOf(schema)}`,
  };
  return [own, ...membersOf(schema, field)];
}

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const fieldTable = (schema: unknown, field: string): string =>
  table(
    ['Field', 'Type', 'Bounds', 'Meaning'],
    membersOf(isRecord(schema) ? schema : {}, field).map((row) => [
      code(row.field),
      row.type,
      prose(row.bounds).replaceAll(String.raw`\_`, '_'),
      prose(row.meaning),
    ]),
  );

function reasonTable(kind: string): string {
  const rows = Object.entries(REASONS[kind] ?? {}).flatMap(([type, reasons]) =>
    Object.entries(reasons).map(([reason, { status, meaning }]) => [code(type), status, code(reason), prose(meaning)]),
  );
  return table(['Condition', 'Status', 'Reason', 'Meaning'], rows);
}

/** A manifest that is part of two resources is described once. */
function specText({ resource: { kind }, schema }: KindSchema): string {
  const { properties } = schema;
  const spec = isRecord(properties) ? properties['spec'] : undefined;
  if (kind !== 'OrbPublication' || !isRecord(spec) || !isRecord(spec['properties'])) return fieldTable(spec, 'spec');
  const manifest = { description: 'The manifest: the members of the spec of an Orb, without pin.', type: 'object' };
  return fieldTable({ ...spec, properties: { ...spec['properties'], manifest } }, 'spec');
}

function section(item: KindSchema): string {
  const { resource, schema } = item;
  const { kind, shortName, plural } = resource;
  const { properties } = schema;
  const status = isRecord(properties) ? properties['status'] : undefined;
  return [
    `## ${kind}`,
    `${text(schema['description'])} \`kubectl get ${plural}\`, or \`${shortName}\`; \`kubectl explain ${kind.toLowerCase()}.spec\` says the same as this page.`,
    '### Spec',
    specText(item),
    '### Status',
    fieldTable(status, 'status'),
    '### Conditions',
    reasonTable(kind),
  ].join('\n\n');
}

const INTRODUCTION = `# Resources

Group \`orbs.dev\`, version \`v1alpha1\`, all namespaced; a namespace is a tenant. \`kubectl get orb-platform\` lists every kind.
Generated from \`crds/schemas\` and \`core/*/reasons.ts\`: change those, then \`npm run generate\`.

In field names \`[]\` is an item of a list and \`NAME\` a member of a map. Nothing is filled in: what is absent stays absent in
what is stored, because a manifest's digest is over what was written. A server drops members that it does not know from a
plain POST or PUT, with a warning; \`kubectl\` and server-side apply refuse them.

Status follows kstatus: \`Ready\`, and \`Reconciling\` and \`Stalled\` only while they are true. Names of conditions and reasons are
public: they are kept, new ones are added.`;

/** The resource reference: every field with type, bounds and meaning; every condition with its reasons. */
export async function referenceArtefacts(root: string, kinds: readonly KindSchema[]): Promise<readonly Artefact[]> {
  const source = [INTRODUCTION, ...kinds.map(section)].join('\n\n');
  return [{ path: PATH, text: await formatted(root, PATH, `${source}\n`) }];
}
