import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installGoTool, type Say } from './build.ts';
import { withFolderLock } from './folder-lock.ts';

/** Programs of other projects that tests check the platform with, each at one version. */
const TOOLS = {
  // Argo CD judges health with this interpreter, at this version.
  glua: 'github.com/yuin/gopher-lua/cmd/glua@v1.1.1',
  helm: 'helm.sh/helm/v4/cmd/helm@v4.3.1',
  'helm-docs': 'github.com/norwoodj/helm-docs/cmd/helm-docs@v1.14.2',
  'kube-score': 'github.com/zegl/kube-score/cmd/kube-score@v1.20.0',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0',
} as const;

type ToolName = keyof typeof TOOLS;

function shelfOf(name: ToolName): string {
  const version = TOOLS[name].slice(TOOLS[name].indexOf('@') + 1);
  return join(homedir(), '.cache/orb-control-plane', `${name}-${version}-${process.platform}-${process.arch}`);
}

/** Whether a tool needs no build. */
export const isToolCached = (name: ToolName): boolean => existsSync(join(shelfOf(name), name));

/**
 * Path of a tool: from the cache folder, or built into it with `go install` (1–2 minutes, once).
 * @throws Error it can't be built
 */
export async function findTool(name: ToolName, say: Say = console.error): Promise<string> {
  const folder = shelfOf(name);
  const path = join(folder, name);
  if (existsSync(path)) return path;
  await withFolderLock(folder, say, async () => {
    if (!existsSync(path)) await installGoTool(folder, TOOLS[name], say);
  });
  return path;
}
