import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Say } from '../control-plane/build.ts';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { withFolderLock } from '../control-plane/folder-lock.ts';
import { kubectlOk } from '../control-plane/install.ts';

async function fill(file: string, version: string, say: Say): Promise<void> {
  say(`Asking Kubernetes ${version} for its OpenAPI …`);
  const plane = await startControlPlane({ env: { ORB_K8S_VERSION: version }, say });
  try {
    await writeFile(`${file}.new`, await kubectlOk(plane, ['get', '--raw', '/openapi/v2']));
  } finally {
    await plane.stop();
  }
  await rename(`${file}.new`, file);
}

/** The OpenAPI of our control plane for a release, from the cache folder or from the control plane itself. */
export async function readOpenApi(version: string, say: Say): Promise<unknown> {
  const folder = join(homedir(), '.cache/orb-control-plane', `openapi-v${version}-${process.platform}-${process.arch}`);
  const file = join(folder, 'openapi-v2.json');
  if (!existsSync(file))
    await withFolderLock(folder, say, async () => {
      if (!existsSync(file)) await fill(file, version, say);
    });
  return JSON.parse(await readFile(file, 'utf8'));
}
