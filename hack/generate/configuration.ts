import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isScalar, parseDocument, type Pair } from 'yaml';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import { isRecord, type Json } from '../control-plane/json.ts';
import { code, prose, table } from './reference.ts';

/** A value of a chart, as its page shows it. */
export interface ChartValue {
  /** `api.tls.secretName` */
  readonly name: string;
  readonly type: string;
  /** As JSON. */
  readonly fallback: string;
  readonly meaning: string;
}

const PATH = 'docs/configuration.md';
const MARK = '# -- ';

/** The comment that ends above an offset: from its last line with a mark to its end. */
function commentAbove(text: string, offset: number): string {
  const lines = text.slice(0, text.lastIndexOf('\n', offset) + 1).split('\n');
  lines.pop();
  const comment: string[] = [];
  for (let line = lines.pop()?.trim(); line?.startsWith('#') === true; line = lines.pop()?.trim()) {
    if (line.startsWith(MARK)) return [line.slice(MARK.length), ...comment].join(' ');
    comment.unshift(line.slice(1).trim());
  }
  return '';
}

const bound = (value: unknown): string => (typeof value === 'number' ? String(value) : '');

function range({ minimum, maximum }: Json): string {
  const [low, high] = [bound(minimum), bound(maximum)];
  if (low === '') return high === '' ? '' : ` ≤ ${high}`;
  return high === '' ? ` ≥ ${low}` : ` ${low}–${high}`;
}

/** The values that the schema allows, in words. */
function typeOf(schema: Json): string {
  const { const: only, enum: values, anyOf, type, items, additionalProperties } = schema;
  if (Array.isArray(anyOf)) return anyOf.map((form) => (isRecord(form) ? typeOf(form) : '')).join(' or ');
  if (only !== undefined) return code(JSON.stringify(only));
  if (Array.isArray(values)) return values.map((value) => code(String(value))).join(', ');
  if (Array.isArray(type)) return type.join(' or ');
  if (type === 'array') return isRecord(items) ? `list of ${typeOf(items)}` : 'list';
  if (type === 'object') return isRecord(additionalProperties) ? `map to ${typeOf(additionalProperties)}` : 'object';
  if (typeof type !== 'string') throw new TypeError('a value of the schema without a type');
  return `${type}${range(schema)}`;
}

function memberOf(schema: Json, key: string, name: string): Json {
  const { properties } = schema;
  const member = isRecord(properties) ? properties[key] : undefined;
  if (!isRecord(member)) throw new TypeError(`values.schema.json does not know ${name}`);
  return member;
}

interface Place {
  readonly text: string;
  readonly schema: Json;
  readonly prefix: string;
}

function valuesIn({ key, value }: Pair, { text, schema, prefix }: Place): readonly ChartValue[] {
  if (!isScalar(key) || typeof key.value !== 'string') throw new TypeError(`a key below "${prefix}" is no text`);
  const name = `${prefix}${key.value}`;
  const own = memberOf(schema, key.value, name);
  const meaning = commentAbove(text, key.range?.[0] ?? 0);
  if (meaning !== '')
    return [{ name, type: typeOf(own), fallback: JSON.stringify(isMap(value) ? value.toJSON() : value), meaning }];
  if (!isMap(value) || value.items.length === 0) throw new TypeError(`values.yaml: ${name} has no comment "${MARK}…"`);
  return value.items.flatMap((pair) => valuesIn(pair, { text, schema: own, prefix: `${name}.` }));
}

/**
 * Every value of a chart that has a comment of its own, in the order of its file.
 * @throws TypeError a value without comment, or a value that the schema does not know
 */
export function chartValues(text: string, schema: unknown): readonly ChartValue[] {
  const { contents } = parseDocument(text);
  if (!isMap(contents) || !isRecord(schema)) throw new TypeError('values and schema of a chart are maps');
  return contents.items.flatMap((pair) => valuesIn(pair, { text, schema, prefix: '' }));
}

const valueTable = (values: readonly ChartValue[]): string =>
  table(
    ['Value', 'Type', 'Default', 'Meaning'],
    values.map(({ name, type, fallback, meaning }) => [code(name), type, code(fallback), prose(meaning)]),
  );

/** First the values without a group, then one table for each group. */
function tables(values: readonly ChartValue[]): string {
  const groups = Map.groupBy(values, ({ name }) => (name.includes('.') ? name.slice(0, name.indexOf('.')) : ''));
  const alone = groups.get('') ?? [];
  groups.delete('');
  return [valueTable(alone), ...[...groups].flatMap(([name, group]) => [`### ${name}`, valueTable(group)])].join(
    '\n\n',
  );
}

const INTRODUCTION = `# Configuration

This page lists the values of the two charts, with their defaults. Put yours into a file, and use it for each install and upgrade:
\`helm upgrade --install orb charts/orb-platform -n orb-system -f values.yaml\`. Helm refuses a value that is not
in these tables. [Installation](installation.md) explains them by task. The page is generated from \`values.yaml\` and \`values.schema.json\` of the
charts: change those, then \`npm run generate\`.`;

async function chartText(root: string, chart: string): Promise<string> {
  const folder = join(root, 'charts', chart);
  const schema: unknown = JSON.parse(await readFile(join(folder, 'values.schema.json'), 'utf8'));
  return tables(chartValues(await readFile(join(folder, 'values.yaml'), 'utf8'), schema));
}

/** The page with every value that an installation can set. */
export async function configurationArtefacts(root: string): Promise<readonly Artefact[]> {
  const charts = await Promise.all(
    ['orb-platform', 'orb-crds'].map(async (chart) => `## ${chart}\n\n${await chartText(root, chart)}`),
  );
  return [{ path: PATH, text: await formatted(root, PATH, `${[INTRODUCTION, ...charts].join('\n\n')}\n`) }];
}
