import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { callerToken } from '../cluster/caller.ts';
import { CALLER_FLAG, CLUSTER_FLAGS } from '../cluster/cluster-flags.ts';
import { clusterPlace, namesCluster, placeOf, type ClusterPlace } from '../cluster/place.ts';
import { invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { loginFile, readLogin } from '../io/stored-login.ts';
import { isSameServer, parseServer } from './address.ts';
import { givenKey, KEY_FLAG, type GivenKey } from './api-key.ts';
import { forwardedServer } from './forwarded-server.ts';
import { OTHER_PLATFORM, type Server } from './http.ts';

/** The credentials that `npm start` wrote for the command line. */
interface Credentials {
  readonly url: URL;
  readonly key: string;
  /** The file that holds them. */
  readonly file: string;
}

async function readCredentials(data: string): Promise<JsonObject | undefined> {
  const path = join(data, 'credentials.json');
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw invalid(`${path}: it can't be read (${errorCode(error) ?? 'no JSON'})`);
  }
}

/** @returns undefined when no credentials are stored @throws Failure the file is damaged */
async function localCredentials(data: string): Promise<Credentials | undefined> {
  const { url, api_key: key } = (await readCredentials(data)) ?? {};
  if (typeof url !== 'string' || typeof key !== 'string' || !URL.canParse(url)) return undefined;
  return { url: parseServer(url, 'credentials.json'), key, file: join(data, 'credentials.json') };
}

/** Flags of every verb that talks to the API. */
export const SERVER_FLAGS: readonly Flag[] = [
  {
    name: 'server',
    value: 'URL',
    text: 'API to call (ORB_SERVER; else orb login, npm start here, or a cluster)',
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

/** The server that a login stored, unless the command line names another. */
async function storedServer(args: Args, io: Io): Promise<Credentials | undefined> {
  const login = args.has('data') || namesCluster(args) ? undefined : await readLogin(io);
  return login?.kind === 'server'
    ? { url: parseServer(login.server, 'orb login'), key: login.key, file: loginFile(io) }
    : undefined;
}

const keyIn = ({ key, file }: Credentials): GivenKey => ({ key, keySource: file });

/** Keys that belong to an address: those of `orb login` and of `npm start`. */
async function keyOf(base: URL, args: Args, io: Io): Promise<GivenKey | undefined> {
  const login = await readLogin(io);
  if (login?.kind === 'server' && isSameServer(parseServer(login.server, 'orb login'), base))
    return { key: login.key, keySource: loginFile(io) };
  const local = await localCredentials(args.one('data') ?? '.orb');
  return local !== undefined && isSameServer(local.url, base) ? keyIn(local) : undefined;
}

/** A flag comes before the environment: `--as-serviceaccount` before `ORB_API_KEY`, and not with `--key-file`. */
async function keyOrCaller(args: Args, io: Io): Promise<GivenKey | undefined> {
  const named = args.has('as-serviceaccount');
  if (named && args.has('key-file')) throw usage('--as-serviceaccount or --key-file, not both');
  return named ? undefined : givenKey(args, io);
}

async function addressed(base: URL, args: Args, io: Io): Promise<Server> {
  const given = await keyOrCaller(args, io);
  const caller = args.one('as-serviceaccount');
  if (caller === undefined) return { base, key: undefined, ...(given ?? (await keyOf(base, args, io))) };
  const cluster = await io.openCluster(clusterPlace(args, await readLogin(io)).selection);
  return { base, key: await callerToken(caller, cluster, io) };
}

async function onCluster(place: ClusterPlace, args: Args, io: Io): Promise<Server> {
  const given = await keyOrCaller(args, io);
  const cluster = await io.openCluster(place.selection);
  const key = given?.key ?? (await callerToken(place.serviceAccount, cluster, io));
  return { ...(await forwardedServer(cluster, place.platformNamespace, key, io)), ...given };
}

/**
 * Finds the API and its key: by flags, then environment, `orb login`, the data folder of `npm start`, a kubeconfig.
 * With a kubeconfig, the connection goes through its API server to a pod behind the labelled Service. The key may be
 * undefined: some Orbs of `npm start` need no key.
 */
export async function findServer(args: Args, io: Io): Promise<Server> {
  const given = givenServer(args, io);
  if (given !== undefined)
    return { ...(await addressed(given, args, io)), ...(args.has('server') ? {} : { source: 'ORB_SERVER' }) };
  const stored = await storedServer(args, io);
  if (stored !== undefined)
    return { base: stored.url, source: `orb login (${stored.file})`, ...((await givenKey(args, io)) ?? keyIn(stored)) };
  const place = await placeOf(args, io);
  if (place.kind === 'cluster') return onCluster(place, args, io);
  const local = await localCredentials(place.data);
  if (local === undefined) {
    const source = `no file: it is the default of npm start, and there is no ${join(place.data, 'credentials.json')}`;
    return { base: parseServer(DEFAULT, 'the default'), source, key: undefined, ...(await givenKey(args, io)) };
  }
  // The person may mean another platform, and would not notice the folder. A login was made on purpose.
  if (!args.has('data'))
    io.err(`calls ${local.url.origin}, which npm start left in ${local.file}; ${OTHER_PLATFORM}\n`);
  return { base: local.url, source: local.file, ...((await givenKey(args, io)) ?? keyIn(local)) };
}
