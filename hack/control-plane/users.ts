import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One user of the local control plane, with its credentials. */
export interface User {
  /** As the API server knows it: `system:serviceaccount:orb-system:orb-operator`. */
  readonly username: string;
  readonly token: string;
  readonly tokenFile: string;
  readonly kubeconfig: string;
}

/** `admin` may do everything; `operator` and `api` are the ServiceAccounts of those names (reliability.md §2.1). */
const USER_NAMES = ['admin', 'operator', 'api', 'tenant-a', 'tenant-b'] as const;
export type UserName = (typeof USER_NAMES)[number];

const PLATFORM = 'orb-system';
const TOKEN_BYTES = 24;

interface Identity {
  readonly username: string;
  readonly groups: readonly string[];
}

const serviceAccount = (name: string): Identity => ({
  username: `system:serviceaccount:${PLATFORM}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${PLATFORM}`],
});

const identities: Readonly<Record<UserName, Identity>> = {
  admin: { username: 'admin', groups: ['system:masters'] },
  operator: serviceAccount('orb-operator'),
  api: serviceAccount('orb-api'),
  'tenant-a': { username: 'tenant-a', groups: [] },
  'tenant-b': { username: 'tenant-b', groups: [] },
};

/** A kubeconfig with one cluster, one user and one context, as JSON, which is YAML. */
export function kubeconfigText(server: string, ca: string, token: string): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'orb-local',
    clusters: [
      { name: 'orb-local', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'orb-local', user: { token } }],
    contexts: [{ name: 'orb-local', context: { cluster: 'orb-local', user: 'orb-local', namespace: 'default' } }],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

export type Tokens = Readonly<Record<UserName, string>>;

const token = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Makes a token for each user and writes the file of `--token-auth-file`. */
export async function writeTokens(folder: string): Promise<Tokens> {
  const tokens: Tokens = {
    admin: token(),
    operator: token(),
    api: token(),
    'tenant-a': token(),
    'tenant-b': token(),
  };
  const rows = USER_NAMES.map((name) => {
    const { username, groups } = identities[name];
    return `${tokens[name]},${username},uid-${name},"${groups.join(',')}"`;
  });
  await writeFile(join(folder, 'tokens.csv'), `${rows.join('\n')}\n`, { mode: 0o600 });
  return tokens;
}

/** Writes token file and kubeconfig of one user. */
export async function writeUser(
  folder: string,
  name: UserName,
  secret: string,
  { server, ca }: { readonly server: string; readonly ca: string },
): Promise<User> {
  const tokenFile = join(folder, `${name}.token`);
  const kubeconfig = join(folder, `${name}.kubeconfig`);
  await writeFile(tokenFile, secret, { mode: 0o600 });
  await writeFile(kubeconfig, kubeconfigText(server, ca, secret), { mode: 0o600 });
  return { username: identities[name].username, token: secret, tokenFile, kubeconfig };
}
