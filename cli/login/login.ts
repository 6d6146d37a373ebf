import { resolve } from 'node:path';
import { parseApiKey } from '../../core/api-key/format.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { parseServer } from '../api/address.ts';
import { fetchReply } from '../api/answer.ts';
import { parseKey } from '../api/api-key.ts';
import { formatOf } from '../args/format.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { CALLER_FLAG, CLUSTER_FLAGS } from '../cluster/cluster-flags.ts';
import { clusterPlace, namesCluster } from '../cluster/place.ts';
import { announceCluster } from '../cluster/announce-cluster.ts';
import { EXIT, invalid, usage, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, printable, table } from '../io/output.ts';
import { decode, readText } from '../io/read-file.ts';
import { loginFile, readLogin, removeLogin, writeLogin, type Login } from '../io/stored-login.ts';

const MAX_KEY_BYTES = 16 * 1024;
const TIMEOUT_MS = 15_000;

/** The part of a key that is not secret. */
function keyName(key: string): string {
  const parsed = parseApiKey(key);
  return parsed === undefined ? 'a token' : `the API key ${parsed.keyId}`;
}

const said = (text: string | undefined, otherwise: string): string => text ?? otherwise;

/** The stored login as rows that may be shown. */
function rowsOf(known: Login): readonly (readonly [string, string])[] {
  if (known.kind === 'server')
    return [
      ['server', known.server],
      ['key', keyName(known.key)],
    ];
  return [
    ['cluster', `context ${said(known.context, 'that is current')} of ${said(known.kubeconfig, 'your kubeconfig')}`],
    ['platform', `namespace ${said(known.platformNamespace, 'orb-system')}`],
    ['caller', said(known.serviceAccount, 'an API key of ORB_API_KEY or --key-file, or your own ServiceAccount')],
  ];
}

const textOf = (known: Login): string => table(rowsOf(known).map(([name, text]) => [name, printable(text)]));
const valueOf = (known: Login): JsonObject => Object.fromEntries(rowsOf(known));

async function readKey(args: Args, io: Io): Promise<string> {
  const file = args.one('key-file');
  if (file !== undefined) return parseKey(await readText(file, MAX_KEY_BYTES, io), file);
  const typed = io.input.isTerminal
    ? await io.input.readHidden('API key (not shown): ')
    : await io.input.read(MAX_KEY_BYTES);
  return parseKey(decode(typed, 'standard input'), 'standard input');
}

/** Any answer except 401 shows that the API knows the key. @throws Failure it doesn't, or can't be reached */
async function checkKey(base: URL, key: string, io: Io): Promise<void> {
  const headers = { accept: 'application/json' };
  const reply = await fetchReply(
    { base, key },
    { method: 'GET', path: 'receipts?limit=1', headers, timeoutMs: TIMEOUT_MS },
    io,
  );
  if (reply.kind === 'problem' && reply.status === 401)
    throw invalid(
      `${base.origin} refuses this key; nothing was stored`,
      'orb keys create creates one, if you have the permission',
    );
}

async function toServer(address: string, args: Args, io: Io): Promise<Login> {
  if (namesCluster(args)) throw usage('--server, or flags of a cluster: not both');
  const base = parseServer(address, '--server');
  const key = await readKey(args, io);
  await checkKey(base, key, io);
  return { kind: 'server', server: base.href, key };
}

async function toCluster(args: Args, io: Io): Promise<Login> {
  if (args.has('key-file')) throw usage('--key-file is for --server; on a cluster set ORB_API_KEY when you call');
  const { selection, platformNamespace, serviceAccount } = clusterPlace(args, undefined);
  const cluster = await io.openCluster(selection); // reports a missing context now
  announceCluster(cluster, {}, io);
  return {
    kind: 'cluster',
    context: cluster.context, // by name: the current context changes, and a login must not change with it
    kubeconfig: selection.kubeconfig === undefined ? undefined : resolve(selection.kubeconfig),
    platformNamespace,
    serviceAccount,
  };
}

async function status(args: Args, io: Io): Promise<Exit> {
  const format = formatOf(args, ['text', 'json', 'yaml']);
  const known = await readLogin(io);
  if (known === undefined) {
    io.err(`not logged in: there is no ${loginFile(io)}\n`);
    return EXIT.negative;
  }
  io.out(format === 'json' || format === 'yaml' ? await dataText(valueOf(known), format) : textOf(known));
  return EXIT.ok;
}

async function logout(io: Io): Promise<Exit> {
  io.err((await removeLogin(io)) ? `removed ${loginFile(io)}\n` : 'you were not logged in\n');
  return EXIT.ok;
}

async function login(args: Args, io: Io): Promise<Exit> {
  const address = args.one('server');
  if (address === undefined && !namesCluster(args))
    throw usage('--server URL is missing, or --context NAME for a cluster of your kubeconfig');
  const made = address === undefined ? await toCluster(args, io) : await toServer(address, args, io);
  await writeLogin(io, made);
  io.err(`stored in ${loginFile(io)}, readable only by you:\n${textOf(made)}`);
  return EXIT.ok;
}

export const loginVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [
    { name: 'server', value: 'URL', text: 'this API; the key comes from standard input, or from a hidden prompt' },
    { name: 'key-file', value: 'FILE', text: 'file with the API key' },
    ...CLUSTER_FLAGS,
    CALLER_FLAG,
    { name: 'status', text: 'show what is saved; exit 1: nothing' },
    { name: 'logout', text: 'delete what is saved' },
    OUTPUT,
  ],
  about: '--server, ORB_SERVER, --data and other flags of a cluster take precedence over it. The file has mode 0600.',
  examples: [
    '{orb} login --server https://orbs.example < key.txt',
    '{orb} login --context production --as-serviceaccount acme/caller',
    '{orb} login --status',
  ],
  run: async (args, io) => {
    if (args.has('status') && args.has('logout')) throw usage('--status or --logout, not both');
    if (args.has('status')) return status(args, io);
    return args.has('logout') ? logout(io) : login(args, io);
  },
};
