import { KubeError } from '../../adapters/kube/port.ts';
import { requestToken, serviceAccountRef, whoAmI, type ServiceAccountRef } from '../../adapters/kube/token-request.ts';
import type { Cluster } from '../io/cluster.ts';
import { invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';

/** Audience of the tokens that the API accepts (design.md §3). */
const AUDIENCE = 'orb-api';
// The shortest lifetime that Kubernetes allows.
const TOKEN_SECONDS = 600;

/** `NS/NAME`, or `NAME` in the namespace of the context. @throws Failure (64) */
function refOf(text: string, cluster: Cluster): ServiceAccountRef {
  const [one = '', other, ...more] = text.split('/');
  const ref = other === undefined ? serviceAccountRef(cluster.namespace, one) : serviceAccountRef(one, other);
  if (ref !== undefined && more.length === 0) return ref;
  throw usage(`--as-serviceaccount ${printable(text)}: NAMESPACE/NAME, or NAME in the namespace of the context`);
}

/** Only ServiceAccounts get tokens for an audience: a person calls with a key, or as a ServiceAccount. */
async function ownAccount(cluster: Cluster, io: Io): Promise<ServiceAccountRef> {
  const { username, serviceAccount } = await whoAmI(cluster.client, io.signal);
  if (serviceAccount !== undefined) return serviceAccount;
  throw invalid(
    `${printable(username)} is no ServiceAccount: Kubernetes makes tokens for the API only for those`,
    'with an API key: set ORB_API_KEY or --key-file (orb keys create makes one)',
    'or --as-serviceaccount NAMESPACE/NAME: you need create on serviceaccounts/token for it',
  );
}

async function tokenOf({ namespace, name }: ServiceAccountRef, cluster: Cluster, io: Io): Promise<string> {
  const tokenRequest = { audience: AUDIENCE, seconds: TOKEN_SECONDS };
  try {
    return await requestToken(cluster.client, { namespace, name }, tokenRequest, io.signal);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.status === 404)
      throw invalid(
        `there is no ServiceAccount ${name} in the namespace ${namespace}`,
        `kubectl create serviceaccount ${name} -n ${namespace}`,
      );
    if (error.status !== 403) throw error;
    throw invalid(
      `you may not make tokens of the ServiceAccount ${namespace}/${name}`,
      `kubectl create role orb-token -n ${namespace} --verb=create --resource=serviceaccounts/token --resource-name=${name}`,
      `and kubectl create rolebinding for you, by an administrator; or use an API key: ORB_API_KEY or --key-file`,
    );
  }
}

/**
 * A token that the API accepts, of the named ServiceAccount, or of the user if the user is a ServiceAccount.
 * @throws Failure the caller is not a ServiceAccount, it does not exist, or the caller may not request its token
 */
export async function callerToken(named: string | undefined, cluster: Cluster, io: Io): Promise<string> {
  return tokenOf(named === undefined ? await ownAccount(cluster, io) : refOf(named, cluster), cluster, io);
}
