import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installGoTool, type Say } from './build.ts';
import { withFolderLock } from './folder-lock.ts';

/** Programs of others that tests hold the platform against, at one version each. */
const TOOLS = {
  helm: 'helm.sh/helm/v4/cmd/helm@v4.3.1',
} as const;

/**
 * Path of a tool: from the cache folder, or built into it with `go install` (1–2 minutes, once).
 * @throws Error it can't be built
 */
export async function findTool(name: keyof typeof TOOLS, say: Say = console.error): Promise<string> {
  const module = TOOLS[name];
  const version = module.slice(module.indexOf('@') + 1);
  const folder = join(homedir(), '.cache/orb-control-plane', `${name}-${version}-${process.platform}-${process.arch}`);
  const path = join(folder, name);
  if (existsSync(path)) return path;
  await withFolderLock(folder, say, async () => {
    if (!existsSync(path)) await installGoTool(folder, module, say);
  });
  return path;
}
