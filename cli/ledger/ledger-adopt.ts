import { KeysError } from '../../adapters/keys/key-folder.ts';
import { keysForNewOrigin, type NewOrigin } from '../../adapters/keys/new-origin.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Verb } from '../args/verb.ts';
import { CLUSTER_FLAGS, PLATFORM_NAMESPACE } from '../cluster/cluster-flags.ts';
import { clusterPlace } from '../cluster/place.ts';
import { announceCluster } from '../cluster/announce-cluster.ts';
import { EXIT, invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { readText } from '../io/read-file.ts';
import { readLogin } from '../io/stored-login.ts';
import { folderPlace, secretPlace, type AdoptPlace } from './adopt-place.ts';
import { namespaceFor, SECRET, secretName } from './secret-flags.ts';

const MAX_PEM = 16 * 1024;

const MEANING = `A new log begins from the ledger as it is now, under another name. It means:
- Receipts that this ledger has keep verifying: fetch their bundles again, they are proven by the new log.
- Receipts that it does not have are unknown to the API from here on. A bundle of theirs that somebody kept still proves what
  was signed, but whoever has seen the new keys document refuses its proof: their history was given up.
- Idempotency keys of lost runs are forgotten: a request that is sent again runs again.
- Everybody who follows the log sees that its name changed. Tell them why.
`;

async function placeFor(args: Args, io: Io): Promise<AdoptPlace> {
  const data = args.one('data');
  if (args.has('secret') === (data !== undefined))
    throw usage('--secret for a cluster, or --data DIR for a folder: one of them says where the keys are');
  if (data !== undefined) return folderPlace(data);
  const place = clusterPlace(args, await readLogin(io));
  const ref = { namespace: namespaceFor(args, place.platformNamespace), name: secretName(args) };
  const cluster = await io.openCluster(place.wish);
  announceCluster(cluster, place, io);
  return secretPlace(cluster, ref, io);
}

async function rootPemFor(args: Args, { name, rootPem }: AdoptPlace, io: Io): Promise<string> {
  const file = args.one('root-key');
  const pem = file === undefined ? rootPem : await readText(file, MAX_PEM, io);
  if (pem !== undefined) return pem;
  throw invalid(
    `the root's private key is not in ${name}: it was taken offline, as it should be`,
    '--root-key FILE, with the file that it was taken to',
  );
}

async function adopt(args: Args, io: Io): Promise<readonly [AdoptPlace, NewOrigin]> {
  try {
    const place = await placeFor(args, io);
    const made = await keysForNewOrigin(place.keys, await rootPemFor(args, place, io), io.clock.now());
    if (args.has('yes')) await place.replace(made.keysJws);
    return [place, made];
  } catch (error) {
    if (error instanceof KeysError) throw invalid(error.message, 'nothing was changed');
    throw error;
  }
}

export const ledgerAdoptVerb: Verb = {
  name: 'ledger adopt',
  summary: 'Begins a new log from the ledger as it is, when its history is in doubt (503 ledger-forked).',
  usage: '--new-origin (--secret [NAME] | --data DIR)',
  count: [0, 1],
  flags: [
    { name: 'new-origin', text: 'what is adopted gets a name of its own: orbs.example/log becomes orbs.example/log-2' },
    { name: 'secret', inline: 'NAME', text: `cluster: the Secret with the keys (${SECRET})` },
    { name: 'namespace', short: 'n', value: 'NAME', text: `cluster: namespace of the Secret (${PLATFORM_NAMESPACE})` },
    { name: 'data', value: 'DIR', text: 'data folder of npm start, which is stopped' },
    { name: 'root-key', value: 'FILE', text: 'private key of the root (PEM), where it was taken offline; - is stdin' },
    { name: 'yes', text: 'does it; without it the verb says what it would do' },
    ...CLUSTER_FLAGS,
  ],
  about: `${MEANING}The root signs the new name into the keys document; the next start of the API takes it over.`,
  examples: [
    '{orb} ledger adopt --new-origin --data .orb --yes',
    '{orb} ledger adopt --new-origin --secret -n orb-system --root-key root-orbs.example-1a2B3c4D.pem --yes',
  ],
  run: async (args, io) => {
    if (!args.has('new-origin')) throw usage('--new-origin is needed: it is the one way to adopt a ledger');
    const [place, { logOrigin, sequence }] = await adopt(args, io);
    const change = `${place.keys.logOrigin} → ${logOrigin}, keys document ${sequence} in ${place.name}`;
    io.err(MEANING);
    if (!args.has('yes')) throw usage(`nothing was changed; it would be: ${change}`, '--yes does it');
    io.err(`signed: ${change}\nnext: ${place.next}\n`);
    io.out(`${logOrigin}\n`);
    return EXIT.ok;
  },
};
