import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The schema of a kind `Widget`. @param resource its member `x-resource`; undefined: it has none */
export const aWidgetSchema = (resource: unknown): object => ({
  ...(resource === undefined ? {} : { 'x-resource': resource }),
  title: 'Widget',
  type: 'object',
  properties: { apiVersion: { enum: ['orbs.dev/v1alpha1'] }, kind: { enum: ['Widget'] } },
});

/** Writes schemas below crds/schemas of a new folder, by path without ending. @returns the folder; the caller removes it */
export async function schemaFolder(schemas: Readonly<Record<string, object>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'orb-schemas-'));
  for (const [name, schema] of Object.entries(schemas)) {
    const path = join(root, `crds/schemas/${name}.schema.json`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(schema));
  }
  return root;
}
