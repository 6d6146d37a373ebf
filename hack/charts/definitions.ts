import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchGoModule, type Say } from '../control-plane/build.ts';
import { listAt, textAt, type Json } from '../control-plane/json.ts';
import { objectsOf } from './render.ts';

/** Projects whose resources the chart can render, and where their modules keep the definitions. */
const MODULES = [
  { module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0', folder: 'example/prometheus-operator-crd' },
  { module: 'github.com/cert-manager/cert-manager@v1.21.1', folder: 'deploy/crds' },
  { module: 'sigs.k8s.io/gateway-api@v1.6.3', folder: 'config/crd/standard' },
] as const;
const OWN = 'crds/definitions';
const DEFINITION = 'CustomResourceDefinition';

/** Folders with the definitions of other projects, fetched by Go itself. */
async function foreignFolders(say: Say): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const { module, folder } of MODULES) folders.push(join(await fetchGoModule(module, say), folder));
  return folders;
}

async function definitionsIn(folder: string): Promise<readonly Json[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap(objectsOf).filter(({ kind }) => kind === DEFINITION);
}

/** All resource definitions that a rendered chart may use: ours and those of other projects. */
export async function readDefinitions(root: string, say: Say): Promise<readonly Json[]> {
  const folders = [join(root, OWN), ...(await foreignFolders(say))];
  return (await Promise.all(folders.map(definitionsIn))).flat();
}

/** The value of `.Capabilities.APIVersions` on a cluster with these definitions. */
export function apiVersionsOf(definitions: readonly Json[]): readonly string[] {
  const versions = definitions.flatMap((definition) => {
    const names = listAt(definition, 'spec', 'versions').map((version) => textAt(version, 'name'));
    const group = textAt(definition, 'spec', 'group');
    const kind = textAt(definition, 'spec', 'names', 'kind');
    return names.flatMap((name) => [`${group}/${name}`, `${group}/${name}/${kind}`]);
  });
  return [...new Set(versions)];
}
