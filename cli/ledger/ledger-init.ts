import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { initKeys } from '../../adapters/keys/init-keys.ts';
import { FILES, KeysError } from '../../adapters/keys/key-folder.ts';
import { loadKeys } from '../../adapters/keys/load-keys.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { isHttpsOrigin } from '../../core/network/https-origin.ts';
import type { Verb } from '../args/verb.ts';
import { CLUSTER_FLAGS, PLATFORM_NAMESPACE } from '../cluster/cluster-flags.ts';
import { kubectlOf } from '../cluster/kubectl-line.ts';
import { clusterPlace } from '../cluster/place.ts';
import { announceCluster } from '../cluster/announce-cluster.ts';
import { EXIT, invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { jsonText, printable } from '../io/output.ts';
import { readLogin } from '../io/stored-login.ts';
import type { PlatformKeys } from '../../adapters/keys/port.ts';
import { canaryOptions, initCanarySecrets } from './canary-secrets.ts';
import { initKeySecret, type KeySecret } from './key-secret.ts';
import { namespaceFor, SECRET, secretName } from './secret-flags.ts';
import { initTlsSecret, tlsOptions } from './tls-secret.ts';

/** Keys of a platform in a Secret. */
interface KeysInSecret {
  /** kubectl with flags that name the cluster. */
  readonly kubectl: string;
  readonly namespace: string;
  readonly name: string;
  readonly keys: Pick<PlatformKeys, 'issuer' | 'root'>;
}

const ROOT = FILES.privateKey('root');
const KID_LENGTH = 8;

/** A different name for each root: `root-orbs.example-1a2B3c4D.pem`. */
function fileName({ issuer, root }: KeysInSecret['keys']): string {
  const host = new URL(issuer).host.replaceAll(/[^a-z0-9.-]+/g, '-');
  return `root-${host}-${root.kid.slice(0, KID_LENGTH)}.pem`;
}

/**
 * Two lines for a POSIX shell that move the root's private key out of a Secret. There may be no other copy. So the
 * first overwrites no file, and creates a file only with a key. The second removes the key only when the file holds it
 * byte by byte. Each line may be run again, alone, or after the other failed.
 */
function rootLines({ kubectl, namespace, name, keys }: KeysInSecret): readonly string[] {
  const file = fileName(keys);
  const secret = `secret ${name} -n ${namespace}`;
  const read = `${kubectl} get ${secret} -o jsonpath='{.data.${ROOT.replace('.', String.raw`\.`)}}'`;
  const remove = `${kubectl} patch ${secret} --type json -p '[{"op":"remove","path":"/data/${ROOT}"}]'`;
  return [
    `(set -C; umask 077; key=$(${read}) && test -n "$key" && printf %s "$key" | base64 -d > ${file})`,
    `test -s ${file} && ${read} | base64 -d | cmp - ${file} && ${remove}`,
  ];
}

const ISSUER = 'https://orbs.localhost';

/** Keys and the place where they are stored. */
interface Kept extends KeySecret {
  readonly where: string;
  /** Command lines that move the root's private key away. */
  readonly takeAway: readonly string[];
}

/** @throws Failure (64) */
function issuerOf(args: Args): string | undefined {
  const text = args.one('issuer');
  if (text === undefined || isHttpsOrigin(text)) return text;
  throw usage(
    `--issuer ${printable(text)}: an https origin without a path and without :443, such as https://orbs.example`,
  );
}

const CLUSTER_ONLY = ['tls-secret', 'tls-host', 'canary-secret', 'canary-tls-secret', 'canary-tls-host'];
const CERTIFICATE = 'a certificate of its own CA (ca.crt), good for ten years';

function reportSecret(outcome: 'made' | 'kept', name: string, what: string, io: Io): void {
  io.err(outcome === 'made' ? `made the Secret ${name}: ${what}\n` : `the Secret ${name} is there: kept\n`);
}

async function inSecret(args: Args, issuer: string, io: Io): Promise<Kept> {
  const name = secretName(args);
  const [tls, canary] = [tlsOptions(args), canaryOptions(args)];
  const place = clusterPlace(args, await readLogin(io));
  const namespace = namespaceFor(args, place.platformNamespace);
  const cluster = await io.openCluster(place.selection);
  announceCluster(cluster, place, io);
  const kept = await initKeySecret(cluster, { namespace, name }, issuer, io);
  const isOurs = !args.has('issuer') || kept.keys.issuer === issuer; // keys of another issuer end the verb
  if (tls !== undefined && isOurs)
    reportSecret(await initTlsSecret(cluster, namespace, tls, io), `${namespace}/${tls.name}`, CERTIFICATE, io);
  const ofCanary = isOurs ? await initCanarySecrets(cluster, namespace, canary, io) : [];
  for (const secret of ofCanary) reportSecret(secret.outcome, `${namespace}/${secret.name}`, secret.what, io);
  const takeAway = rootLines({ kubectl: kubectlOf(place.selection, cluster), namespace, name, keys: kept.keys });
  return { ...kept, where: `the Secret ${namespace}/${name}`, takeAway };
}

async function inFolder(data: string, issuer: string, io: Io): Promise<Kept> {
  const folder = join(data, 'keys');
  const outcome = await initKeys(folder, { issuer, now: io.clock.now(), random: io.random });
  const keys = await loadKeys(folder);
  const root = join(folder, ROOT);
  const hasRoot = await stat(root).then(
    () => true,
    () => false,
  );
  return { keys, outcome, hasRoot, where: folder, takeAway: [`move ${root} to where no service reads it`] };
}

async function init(args: Args, wantedIssuer: string | undefined, io: Io): Promise<Kept> {
  const data = args.one('data');
  if (args.has('secret') === (data !== undefined))
    throw usage('--secret for a cluster, or --data DIR for a folder: one of them says where the keys go');
  const ofCluster = CLUSTER_ONLY.find((flag) => args.has(flag));
  if (data !== undefined && ofCluster !== undefined) throw usage(`--${ofCluster} goes with --secret`);
  try {
    return await (data === undefined
      ? inSecret(args, wantedIssuer ?? ISSUER, io)
      : inFolder(data, wantedIssuer ?? ISSUER, io));
  } catch (error) {
    if (error instanceof KeysError) throw invalid(error.message, 'keys are never overwritten; nothing was changed');
    throw error;
  }
}

function report({ keys, outcome, hasRoot, where, takeAway }: Kept, isNamed: boolean, io: Io): void {
  io.err(
    outcome === 'made'
      ? `made the keys of ${keys.issuer} in ${where}\n`
      : `${where} holds the keys of ${keys.issuer}: kept\n`,
  );
  if (outcome === 'made' && !isNamed)
    io.err('every receipt names this issuer permanently; set your own with --issuer URL before the first run\n');
  if (hasRoot)
    io.err(
      `the root's private key signs new keys only; take it offline:\n${takeAway.map((line) => `  ${line}\n`).join('')}`,
    );
  io.err('to verify receipts, pin the root with\n');
  io.out(`${io.program} trust add ${keys.issuer} --root '${jsonText({ ...keys.root.jwk }, 0)}'\n`);
}

export const ledgerInitVerb: Verb = {
  usage: '--secret [NAME] | --data DIR',
  count: [0, 1],
  flags: [
    {
      name: 'secret',
      inline: 'NAME',
      text: `cluster: write to this Secret (${SECRET}); --keys DIR reads the mounted Secret`,
    },
    { name: 'namespace', short: 'n', value: 'NAME', text: `cluster: namespace of the Secret (${PLATFORM_NAMESPACE})` },
    { name: 'data', value: 'DIR', text: 'write to DIR/keys, as npm start does' },
    { name: 'issuer', value: 'URL', text: `https origin in every receipt; fixed from then on (${ISSUER})` },
    {
      name: 'tls-secret',
      value: 'NAME',
      text: 'cluster: also a kubernetes.io/tls Secret for the API, with its own CA',
    },
    { name: 'tls-host', value: 'HOST', repeats: true, text: 'name or address in that certificate' },
    {
      name: 'canary-secret',
      value: 'NAME',
      text: 'cluster: also the signature secret of the signal source orb-canary',
    },
    {
      name: 'canary-tls-secret',
      value: 'NAME',
      text: 'cluster: also a kubernetes.io/tls Secret for the prober of the status, with its own CA',
    },
    { name: 'canary-tls-host', value: 'HOST', repeats: true, text: 'name or address in that certificate' },
    ...CLUSTER_FLAGS,
  ],
  about:
    'Nothing is overwritten: complete keys of the same issuer are kept (exit 0), anything else is refused (exit 2).\nThe keys exist nowhere else: back them up.',
  examples: ['{orb} ledger init --secret -n orb-system --issuer https://orbs.example', '{orb} ledger init --data .orb'],
  run: async (args, io) => {
    const wantedIssuer = issuerOf(args);
    const kept = await init(args, wantedIssuer, io);
    if (wantedIssuer !== undefined && kept.keys.issuer !== wantedIssuer)
      throw invalid(
        `${kept.where} holds the keys of another issuer, ${kept.keys.issuer}; nothing was changed`,
        `--issuer ${kept.keys.issuer} keeps it; another issuer needs another ledger and another place for its keys`,
      );
    report(kept, wantedIssuer !== undefined, io);
    return EXIT.ok;
  },
};
