import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../control-plane/command.ts';
import { findingsOf, type Finding } from './finding.ts';
import { textAt, type Json } from '../control-plane/json.ts';
import { nameOf, type Rendered } from './render.ts';
import { schemaOfDefinition, schemaOfOpenApi, type Kind } from './strict-schema.ts';

/** The schemas that objects are checked against. */
export interface Schemas {
  /** OpenAPI of the API server, version 2. */
  readonly openApi: unknown;
  readonly definitions: readonly Json[];
}

/** How kubeconform builds the name of a schema's file; a core kind has its version in place of a group. */
const LOCATION = '{{.Group}}/{{.ResourceAPIVersion}}/{{.ResourceKind}}.json';

function kindsOf(objects: readonly Json[]): readonly Kind[] {
  const kinds = objects.map((object) => ({ apiVersion: textAt(object, 'apiVersion'), kind: textAt(object, 'kind') }));
  return [...new Map(kinds.map((each) => [`${each.apiVersion} ${each.kind}`, each])).values()];
}

function schemaOf(kind: Kind, { openApi, definitions }: Schemas): Json | undefined {
  for (const definition of definitions) {
    const schema = schemaOfDefinition(definition, kind);
    if (schema !== undefined) return schema;
  }
  return schemaOfOpenApi(openApi, kind);
}

async function writeSchema(folder: string, { apiVersion, kind }: Kind, schema: Json): Promise<void> {
  const place = join(folder, apiVersion.split('/')[0] ?? '', apiVersion.split('/').at(-1) ?? '');
  await mkdir(place, { recursive: true });
  await writeFile(join(place, `${kind.toLowerCase()}.json`), JSON.stringify(schema));
}

/** `kubeconform -strict` with schemas for exactly the kinds that occur; a kind without a schema is a finding. */
export async function conform(kubeconform: string, rendered: Rendered, schemas: Schemas): Promise<readonly Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'orb-schemas-'));
  try {
    for (const kind of kindsOf(rendered.objects)) {
      const schema = schemaOf(kind, schemas);
      if (schema !== undefined) await writeSchema(folder, kind, schema);
    }
    const args = ['-strict', '-schema-location', join(folder, LOCATION), '-'];
    const { code, stdout, stderr } = await command(kubeconform, args, { input: rendered.text });
    const where = `${nameOf(rendered.subject)}, Kubernetes ${rendered.version}`;
    return code === 0 ? [] : findingsOf(where, `${stdout}${stderr}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
