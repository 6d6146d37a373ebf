import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Args } from '../../adapters/process/arguments.ts';
import type { ClusterSelection } from '../io/cluster.ts';
import { usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { readLogin, type Login } from '../io/stored-login.ts';
import { PLATFORM_NAMESPACE } from './cluster-flags.ts';
import { namespaceOf } from './names.ts';

/** A platform on a cluster, and the caller. */
export interface ClusterPlace {
  readonly kind: 'cluster';
  readonly selection: ClusterSelection;
  readonly platformNamespace: string;
  /** `NS/NAME` or `NAME`; undefined: not given. */
  readonly serviceAccount: string | undefined;
  /** The local data folder of `npm start` that a login overrides; absent: no such folder, or a flag decided. */
  readonly passedOver?: string;
}

/** Where a platform is: the data folder of `npm start`, or a cluster. */
export type Place = { readonly kind: 'local'; readonly data: string } | ClusterPlace;

const FLAGS = ['kubeconfig', 'context', 'platform-namespace', 'as-serviceaccount'] as const;
const DATA = '.orb';

/** Whether the command line names a cluster. */
export const namesCluster = (args: Args): boolean => FLAGS.some((flag) => args.has(flag));

const isThere = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
};

const isSet = (text: string | undefined): boolean => text !== undefined && text !== '';

/** Whether a kubeconfig exists where kubectl looks for it, or the ServiceAccount of a pod. */
const hasCluster = async (io: Io): Promise<boolean> =>
  isSet(io.env['KUBECONFIG']) ||
  isSet(io.env['KUBERNETES_SERVICE_HOST']) ||
  (await isThere(join(io.home, '.kube', 'config')));

type StoredCluster = Extract<Login, { kind: 'cluster' }>;

function selectionOf(args: Args, stored: StoredCluster | undefined): ClusterSelection {
  const kubeconfig = args.one('kubeconfig') ?? stored?.kubeconfig;
  const context = args.one('context') ?? stored?.context;
  return { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) };
}

/** Flags, then the stored login. Another kubeconfig or context is another cluster: the stored values don't apply. */
export function clusterPlace(args: Args, login: Login | undefined): ClusterPlace {
  const isOther = args.has('kubeconfig') || args.has('context');
  const stored = login?.kind === 'cluster' && !isOther ? login : undefined;
  const platform = args.one('platform-namespace') ?? stored?.platformNamespace ?? PLATFORM_NAMESPACE;
  return {
    kind: 'cluster',
    selection: selectionOf(args, stored),
    platformNamespace: namespaceOf(platform, '--platform-namespace'),
    serviceAccount: args.one('as-serviceaccount') ?? stored?.serviceAccount,
  };
}

/** @throws Failure (64) flags of both kinds of place */
function dataOf(args: Args): string | undefined {
  const data = args.one('data');
  if (data !== undefined && namesCluster(args))
    throw usage('--data is the folder of npm start: not with flags of a cluster');
  return data;
}

/**
 * Flags, then `orb login`, then the name `kubectl orb`, then the data folder of `npm start` here, then a kubeconfig.
 * @throws Failure (64) flags of both kinds of place
 */
export async function placeOf(args: Args, io: Io): Promise<Place> {
  const data = dataOf(args);
  if (data !== undefined) return { kind: 'local', data };
  const login = await readLogin(io);
  if (namesCluster(args) || io.plugin) return clusterPlace(args, login);
  const isHere = await isThere(DATA);
  if (login?.kind === 'cluster') return { ...clusterPlace(args, login), ...(isHere ? { passedOver: DATA } : {}) };
  if (isHere || !(await hasCluster(io))) return { kind: 'local', data: DATA };
  return clusterPlace(args, login);
}
