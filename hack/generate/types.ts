import { join } from 'node:path';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import type { Artefact } from './artefact.ts';
import { isRecord, type Json } from '../control-plane/json.ts';
import type { Resource } from './resources.ts';
import { readSchema, schemaNames } from './schema-files.ts';
import { statusSchema } from './status.ts';

interface Target {
  readonly name: string;
  /** Lines before the types: imports, and types that a schema can't express. */
  readonly preamble: string;
  /** Schemas whose type is in the preamble: their place, and the name of the type. */
  readonly ownTypes?: Readonly<Record<string, string>>;
}

/** Schemas whose types use types of another file. The other schemas need no entry. */
const TARGETS: readonly Target[] = [
  {
    name: 'orb',
    preamble:
      "import type { Manifest } from './manifest.ts';\n\n" +
      '/**\n * A manifest, member for member, plus the pin.\n */\n' +
      'export type OrbSpec = Manifest & { readonly pin?: Pin };\n\n',
    ownTypes: { '/properties/spec': 'OrbSpec' },
  },
  {
    name: 'orbpublication',
    preamble: "import type { Manifest } from './manifest.ts';\n\n",
    ownTypes: { '/$defs/spec/properties/manifest': 'Manifest' },
  },
];

/** A schema without a type accepts any value: this gives `unknown`, where the generator would write an object. */
const isOpen = (schema: Record<string, unknown>): boolean =>
  Object.keys(schema).every((keyword) => keyword === 'description');

function marked(value: unknown, path: string, ownTypes: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((item, index) => marked(item, `${path}/${index}`, ownTypes));
  if (!isRecord(value)) return value;
  const tsType = ownTypes[path] ?? (isOpen(value) ? 'unknown' : undefined);
  if (tsType !== undefined) return { description: value['description'], tsType };
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, marked(item, `${path}/${key}`, ownTypes)]),
  );
}

/**
 * Types are shared: members, index signatures and arrays are read-only. The generator's cross references are removed.
 */
const polish = (text: string): string =>
  text
    .replaceAll(/ \*\n \* This interface was referenced by .*\n \* via the `definition` .*\n/g, '')
    .replaceAll(/^( +)((?:\w+\??|\[k: string\]):)(?=\s)/gm, '$1readonly $2')
    .replaceAll(/([:|] )((?:\w+|\([^()]*\))\[\])/g, '$1readonly $2');

const isSchema = (value: unknown): value is JSONSchema => isRecord(value);

async function generate(
  root: string,
  { name, preamble, ownTypes = {} }: Target,
  { source, schema }: { readonly source: string; readonly schema: Json },
): Promise<Artefact> {
  const changed = marked(schema, '', ownTypes);
  if (!isSchema(changed)) throw new TypeError(`${source} is no JSON object`);
  const types = await compile(changed, name, {
    additionalProperties: false,
    bannerComment: `// generated from ${source} by hack/generate.ts: do not edit\n${preamble}`,
    cwd: join(root, 'crds/schemas'),
    ignoreMinAndMaxItems: true,
    style: { bracketSpacing: true, printWidth: 120, singleQuote: true },
    unreachableDefinitions: true,
  });
  return { path: `crds/${name}.ts`, text: polish(types) };
}

/**
 * Types of documents from their JSON Schemas: crds/schemas/NAME.schema.json → crds/NAME.ts. The types of every status
 * are in crds/status.ts.
 */
export async function typeArtefacts(root: string, resources: readonly Resource[]): Promise<readonly Artefact[]> {
  const names = await schemaNames(root);
  const documents = names.map(async (name) => {
    const target = TARGETS.find((other) => other.name === name) ?? { name, preamble: '' };
    return generate(root, target, { source: `schemas/${name}.schema.json`, schema: await readSchema(root, name) });
  });
  const status = { source: 'schemas/status', schema: await statusSchema(root, resources) };
  return Promise.all([...documents, generate(root, { name: 'status', preamble: '' }, status)]);
}
