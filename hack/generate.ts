// Types of the resources from their JSON Schemas: crds/schemas/NAME.schema.json → crds/NAME.ts.
// `--check` writes nothing, names the files that are stale and exits with 1.
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compile, type JSONSchema } from 'json-schema-to-typescript';

const root = resolve(import.meta.dirname, '..');

interface Target {
  readonly name: string;
  /** Lines before the types: imports, and types that a schema can't say. */
  readonly preamble: string;
  /** Member of the document whose type stands in the preamble. */
  readonly ownType?: readonly [member: string, type: string];
}

const targets: readonly Target[] = [
  { name: 'manifest', preamble: '' },
  {
    name: 'orb',
    preamble:
      "import type { Manifest } from './manifest.ts';\n\n" +
      '/**\n * A manifest, member for member, plus the pin.\n */\n' +
      'export type OrbSpec = Manifest & { readonly pin?: Pin };\n\n',
    ownType: ['spec', 'OrbSpec'],
  },
  { name: 'orbiset', preamble: '' },
  { name: 'secret', preamble: '' },
];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema that says nothing about its type takes any value: `unknown`, where the generator would write an object. */
const isOpen = (schema: Record<string, unknown>): boolean =>
  Object.keys(schema).every((keyword) => keyword === 'description');

function markOpen(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(markOpen);
  if (!isRecord(value)) return value;
  if (isOpen(value)) return { ...value, tsType: 'unknown' };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, markOpen(member)]));
}

function withOwnType(schema: Record<string, unknown>, ownType: Target['ownType']): Record<string, unknown> {
  const { properties } = schema;
  if (ownType === undefined || !isRecord(properties)) return schema;
  const [member, tsType] = ownType;
  const marked = Object.entries(properties).map(([name, value]) =>
    name === member && isRecord(value) ? [name, { description: value['description'], tsType }] : [name, value],
  );
  return { ...schema, properties: Object.fromEntries(marked) };
}

/** Types are shared: members, index signatures and arrays are read-only. The generator's cross references say nothing. */
const polish = (text: string): string =>
  text
    .replaceAll(/ \*\n \* This interface was referenced by .*\n \* via the `definition` .*\n/g, '')
    .replaceAll(/^( +)((?:\w+\??|\[k: string\]):)(?=\s)/gm, '$1readonly $2')
    .replaceAll(/([:|] )((?:\w+|\([^()]*\))\[\])/g, '$1readonly $2');

const isSchema = (value: unknown): value is JSONSchema => isRecord(value);

async function generate({ name, preamble, ownType }: Target): Promise<string> {
  const source: unknown = JSON.parse(await readFile(join(root, `crds/schemas/${name}.schema.json`), 'utf8'));
  const schema = markOpen(isRecord(source) ? withOwnType(source, ownType) : source);
  if (!isSchema(schema)) throw new TypeError(`${name}.schema.json is no JSON object`);
  const types = await compile(schema, name, {
    additionalProperties: false,
    bannerComment: `// generated from schemas/${name}.schema.json by hack/generate.ts: do not edit\n${preamble}`,
    cwd: join(root, 'crds/schemas'),
    ignoreMinAndMaxItems: true,
    style: { bracketSpacing: true, printWidth: 120, singleQuote: true },
    unreachableDefinitions: true,
  });
  return polish(types);
}

async function run(check: boolean): Promise<number> {
  const stale: string[] = [];
  for (const target of targets) {
    const path = `crds/${target.name}.ts`;
    const text = await generate(target);
    const found = await readFile(join(root, path), 'utf8').catch(() => '');
    if (found !== text) stale.push(path);
    if (!check) await writeFile(join(root, path), text);
  }
  if (!check) return 0;
  for (const path of stale) console.error(`${path} is stale: npm run generate`);
  return stale.length === 0 ? 0 : 1;
}

process.exitCode = await run(process.argv.includes('--check'));
