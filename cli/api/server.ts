import type { Args } from '../args/parse-args.ts';
import type { Flag } from '../args/verb.ts';
import { callerToken } from '../cluster/caller.ts';
import { CALLER_FLAG, CLUSTER_FLAGS } from '../cluster/cluster-flags.ts';
import { forwardedServer } from '../cluster/forwarded-server.ts';
import { clusterPlace, namesCluster, placeOf, type ClusterPlace } from '../cluster/place.ts';
import type { Server } from '../http.ts';
import { usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { readLogin } from '../login/stored-login.ts';
import { isSame, parseServer } from './address.ts';
import { givenKey, KEY_FLAG } from './api-key.ts';
import { localCredentials, type Credentials } from './local-credentials.ts';

/** Flags of every verb that talks to the API. */
export const SERVER_FLAGS: readonly Flag[] = [
  {
    name: 'server',
    value: 'URL',
    text: 'API to talk to (ORB_SERVER; else orb login, npm start here, or a cluster)',
  },
  KEY_FLAG,
  { name: 'data', value: 'DIR', text: 'data folder of npm start, for its address and key (.orb)' },
  ...CLUSTER_FLAGS,
  CALLER_FLAG,
];

const DEFAULT = 'http://127.0.0.1:8080';

function givenServer(args: Args, io: Io): URL | undefined {
  const flag = args.one('server');
  if (flag !== undefined) {
    const useless = args.has('as-serviceaccount') ? ['platform-namespace'] : CLUSTER_FLAGS.map(({ name }) => name);
    const given = useless.find((name) => args.has(name));
    if (given !== undefined) throw usage(`--server or --${given}, not both: each says where the API is`);
    return parseServer(flag, '--server');
  }
  if (namesCluster(args)) return undefined;
  const variable = io.env['ORB_SERVER'];
  return variable === undefined || variable === '' ? undefined : parseServer(variable, 'ORB_SERVER');
}

/** What a login stored, unless the command line says something else. */
async function storedServer(args: Args, io: Io): Promise<Credentials | undefined> {
  const login = args.has('data') || namesCluster(args) ? undefined : await readLogin(io);
  return login?.kind === 'server' ? { url: parseServer(login.server, 'orb login'), key: login.key } : undefined;
}

/** Keys that belong to an address: of `orb login` and of `npm start`. */
async function keyOf(base: URL, args: Args, io: Io): Promise<string | undefined> {
  const login = await readLogin(io);
  if (login?.kind === 'server' && isSame(parseServer(login.server, 'orb login'), base)) return login.key;
  const local = await localCredentials(args.one('data') ?? '.orb');
  return local !== undefined && isSame(local.url, base) ? local.key : undefined;
}

/** A flag comes before the environment: `--as-serviceaccount` before `ORB_API_KEY`, and not with `--key-file`. */
async function keyOrCaller(args: Args, io: Io): Promise<string | undefined> {
  const named = args.has('as-serviceaccount');
  if (named && args.has('key-file')) throw usage('--as-serviceaccount or --key-file, not both');
  return named ? undefined : givenKey(args, io);
}

async function addressed(base: URL, args: Args, io: Io): Promise<Server> {
  const given = await keyOrCaller(args, io);
  const caller = args.one('as-serviceaccount');
  if (caller === undefined) return { base, key: given ?? (await keyOf(base, args, io)) };
  const cluster = await io.openCluster(clusterPlace(args, await readLogin(io)).wish);
  return { base, key: await callerToken(caller, cluster, io) };
}

async function onCluster(place: ClusterPlace, args: Args, io: Io): Promise<Server> {
  const given = await keyOrCaller(args, io);
  const cluster = await io.openCluster(place.wish);
  const key = given ?? (await callerToken(place.serviceAccount, cluster, io));
  return forwardedServer(cluster, place.platformNamespace, key, io);
}

/**
 * Which API, and with which key: flags, then environment, then `orb login`, then what `npm start` left in its data folder,
 * then a kubeconfig: through its API server to a pod behind the labelled Service. The key is undefined when there is none:
 * some Orbs of `npm start` need none.
 */
export async function findServer(args: Args, io: Io): Promise<Server> {
  const given = givenServer(args, io);
  if (given !== undefined) return addressed(given, args, io);
  const stored = await storedServer(args, io);
  if (stored !== undefined) return { base: stored.url, key: (await givenKey(args, io)) ?? stored.key };
  const place = await placeOf(args, io);
  if (place.kind === 'cluster') return onCluster(place, args, io);
  const local = await localCredentials(place.data);
  const base = local?.url ?? parseServer(DEFAULT, 'the default');
  return { base, key: (await givenKey(args, io)) ?? local?.key };
}
