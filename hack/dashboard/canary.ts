import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findTool } from '../control-plane/tools.ts';
import { objectsOf } from '../charts/render.ts';
import { command } from '../control-plane/command.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { freePort } from '../control-plane/free-port.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../control-plane/install.ts';
import { at, membersAt, textAt, type Json } from '../control-plane/json.ts';

const root = resolve(import.meta.dirname, '../..');
const HOST = `orb-canary.${PLATFORM_NAMESPACE}.svc.cluster.local`;
const PORT = 8444;
const PLACE = ['-n', PLATFORM_NAMESPACE];
const SECRET = 'orb-canary';
const TLS_SECRET = 'orb-canary-tls';

/** What the chart has for the checks of the status, on a control plane without a cluster. */
export interface Canary {
  /** Where the provider of the canary listens. */
  readonly providerPort: number;
  /** A file of the canary's Secrets, as a pod has them: `orb-canary/secret`. */
  readonly file: (name: string) => string;
  /** How API and operator reach the provider. */
  readonly flags: { readonly both: readonly string[]; readonly api: readonly string[] };
  /** Applies the Orb, the Orbiset and the signal source of the canary: the operator has to run. */
  readonly apply: () => Promise<void>;
  /** Takes the Secret of the signal source away, so that ingestion is out. @returns brings it back */
  readonly breakIngestion: () => Promise<() => Promise<void>>;
}

async function objectsOfChart(): Promise<readonly Json[]> {
  const args = ['template', 'orb', join(root, 'charts/orb-platform'), ...PLACE];
  const { code, stdout, stderr } = await command(await findTool('helm'), args);
  if (code !== 0) throw new Error(stderr);
  return objectsOf(stdout).filter((object) => textAt(object, 'apiVersion').startsWith('orbs.dev/'));
}

/** Makes the Secrets of the canary and writes them below the folder of the control plane. */
export async function makeCanary(plane: ControlPlane): Promise<Canary> {
  const made = ['--canary-secret', SECRET, '--canary-tls-secret', TLS_SECRET, '--canary-tls-host', HOST];
  const init = [join(root, 'cli/main.ts'), 'ledger', 'init', '--secret', ...PLACE, ...made];
  const { code, stderr } = await command(process.execPath, [...init, '--kubeconfig', plane.users.admin.kubeconfig]);
  if (code !== 0) throw new Error(stderr);
  const file = (name: string): string => join(plane.folder, 'canary', name);
  const secretOf = async (name: string): Promise<unknown> =>
    JSON.parse(await kubectlOk(plane, [...PLACE, 'get', 'secret', name, '-o', 'json']));
  const apply = async (items: readonly unknown[]): Promise<void> => {
    const list = { apiVersion: 'v1', kind: 'List', items };
    await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], JSON.stringify(list));
  };
  for (const name of [SECRET, TLS_SECRET]) {
    await mkdir(file(name), { recursive: true });
    const secret = await secretOf(name);
    for (const [key] of membersAt(secret, 'data'))
      await writeFile(file(`${name}/${key}`), Buffer.from(textAt(secret, 'data', key), 'base64'));
  }
  const providerPort = await freePort();
  const stub = ['--egress-stub', `https://${HOST}:${PORT}=127.0.0.1:${providerPort}`];
  return {
    providerPort,
    file,
    flags: { both: stub, api: ['--egress-ca', file(`${TLS_SECRET}/ca.crt`)] },
    apply: async () => apply(await objectsOfChart()),
    breakIngestion: async () => {
      const data = at(await secretOf(SECRET), 'data');
      await kubectlOk(plane, [...PLACE, 'delete', 'secret', SECRET]);
      const metadata = { name: SECRET, namespace: PLATFORM_NAMESPACE };
      return () => apply([{ apiVersion: 'v1', kind: 'Secret', metadata, data }]);
    },
  };
}
