import { member } from '../../core/json/members.ts';
import { isLabelName, isObjectName } from '../../core/reconcile/kube-name.ts';
import { KINDS } from './kinds.ts';
import type { Kind, KubeClient } from './port.ts';

/** Namespace and name of a ServiceAccount. */
export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
}

/** The identity that the API server sees in our calls. */
export interface Identity {
  readonly username: string;
  /** Undefined for users that are not ServiceAccounts: no token can be made for them. */
  readonly serviceAccount: ServiceAccountRef | undefined;
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** @returns undefined when the texts can't be names, because they would change the path */
export const serviceAccountRef = (namespace: string, name: string): ServiceAccountRef | undefined =>
  isLabelName(namespace) && isObjectName(name) ? { namespace, name } : undefined;

/** The subresource `serviceaccounts/NAME/token`: created like an object of its own. */
const tokensOf = (name: string): Kind => ({
  group: '',
  version: 'v1',
  kind: 'TokenRequest',
  plural: `serviceaccounts/${name}/token`,
  namespaced: true,
});

/**
 * Makes a token of a ServiceAccount for one audience (TokenRequest); never log it.
 * @param seconds life, at least 600; the API server may shorten it
 * @throws KubeError 403: no `create` on `serviceaccounts/token`; 404: no such ServiceAccount
 */
export async function requestToken(
  client: KubeClient,
  { namespace, name }: ServiceAccountRef,
  { audience, seconds }: { readonly audience: string; readonly seconds: number },
  signal: AbortSignal,
): Promise<string> {
  const tokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { namespace },
    spec: { audiences: [audience], expirationSeconds: seconds },
  };
  const { status } = await client.create(tokensOf(name), tokenRequest, signal);
  const token = member(status, 'token');
  if (typeof token !== 'string' || token === '') throw new TypeError('the API server answers a TokenRequest with none');
  return token;
}

/** Asks the API server for our identity (SelfSubjectReview; every user may). */
export async function whoAmI(client: KubeClient, signal: AbortSignal): Promise<Identity> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
  const { status } = await client.create(KINDS.selfSubjectReview, review, signal);
  const found = member(member(status, 'userInfo'), 'username');
  const username = typeof found === 'string' ? found : '';
  const [, namespace = '', name = ''] = SERVICE_ACCOUNT.exec(username) ?? [];
  return { username, serviceAccount: serviceAccountRef(namespace, name) };
}
