import { join, resolve } from 'node:path';
import type { CommandResult } from './command.ts';
import { OWN_KINDS } from '../../crds/kinds.ts';
import { statusOf, type ControlPlane } from './control-plane.ts';
import { untilReady } from './until-ready.ts';

const root = resolve(import.meta.dirname, '../..');
/** Namespace of the platform itself. */
export const PLATFORM_NAMESPACE = 'orb-system';

// The files that ship, so that tests check what users install.
const DEFINITIONS = 'crds/definitions';
const RBAC = 'charts/orb-platform/files/rbac';
const ADMISSION = 'charts/orb-platform/files/admission';
const GROUP_VERSION = `${OWN_KINDS.orb.group}/${OWN_KINDS.orb.version}`;

/** Any cluster where we are administrator. */
export interface Kubectl {
  readonly kubectl: (args: readonly string[], options?: { readonly input?: string }) => Promise<CommandResult>;
}

/** Runs kubectl as admin. @throws Error what it printed */
export async function kubectlOk(plane: Kubectl, args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await plane.kubectl(args, input === undefined ? {} : { input });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}:\n${stderr}${stdout}`);
  return stdout;
}

const apply = (plane: ControlPlane, folder: string): Promise<string> =>
  kubectlOk(plane, ['apply', '--server-side', '-f', join(root, folder)]);

async function createNamespace(plane: ControlPlane, name: string): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], JSON.stringify(namespace));
}

/** Installs the resource definitions and waits until they are served. */
async function installDefinitions(plane: ControlPlane): Promise<void> {
  await apply(plane, DEFINITIONS);
  await kubectlOk(plane, ['wait', '--for=condition=Established', '--timeout=30s', '-f', join(root, DEFINITIONS)]);
}

/** The files that `installPlatform` installs: folders. */
export const PLATFORM_FILES: readonly string[] = [DEFINITIONS, RBAC, ADMISSION].map((folder) => join(root, folder));

/**
 * Waits until the server answers for our kinds. A server that starts with their definitions in its data first refuses
 * requests for them (429), and publishes their schemas last.
 */
export async function untilServed({ server, ca, users }: ControlPlane): Promise<void> {
  const lists = Object.values(OWN_KINDS).map(({ plural }) => `/apis/${GROUP_VERSION}/${plural}`);
  for (const path of [...lists, `/openapi/v3/apis/${GROUP_VERSION}`]) {
    const status = (): Promise<number> => statusOf(server.url + path, ca, users.admin.token);
    await untilReady(server.process(), async () => ((await status()) === 200 ? true : undefined));
  }
}

/** Installs definitions, the platform namespace, RBAC and the admission policies, from the files that ship. */
export async function installPlatform(plane: ControlPlane): Promise<void> {
  await installDefinitions(plane);
  await createNamespace(plane, PLATFORM_NAMESPACE);
  await apply(plane, RBAC);
  await apply(plane, ADMISSION);
}

/** Makes a tenant: its namespace, and the aggregated role `admin` there for a user. */
export async function createTenant(plane: ControlPlane, namespace: string, username: string): Promise<void> {
  await createNamespace(plane, namespace);
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'tenant-admin', namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: username }],
  };
  await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], JSON.stringify(binding));
}
