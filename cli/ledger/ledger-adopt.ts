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

const MEANING = `A new log starts from the current ledger, under a new name. Consequences:
- Receipts in this ledger still verify. Fetch their bundles again: the new log proves them.
- The API no longer knows receipts that are not in this ledger. A saved bundle of such a receipt still proves what was
  signed. But a verifier that has seen the new keys document refuses its proof, because that history was given up.
- Idempotency keys of lost runs are forgotten: a repeated request runs again.
- Followers of the log see that its name changed. Tell them why.
`;

async function placeFor(args: Args, io: Io): Promise<AdoptPlace> {
  const data = args.one('data');
  if (args.has('secret') === (data !== undefined))
    throw usage('--secret for a cluster, or --data DIR for a folder: one of them says where the keys are');
  if (data !== undefined) return folderPlace(data);
  const place = clusterPlace(args, await readLogin(io));
  const ref = { namespace: namespaceFor(args, place.platformNamespace), name: secretName(args) };
  const cluster = await io.openCluster(place.selection);
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
  usage: '--new-origin (--secret [NAME] | --data DIR)',
  count: [0, 1],
  flags: [
    { name: 'new-origin', text: 'the new log gets a new name: orbs.example/log becomes orbs.example/log-2' },
    { name: 'secret', inline: 'NAME', text: `cluster: the Secret with the keys (${SECRET})` },
    { name: 'namespace', short: 'n', value: 'NAME', text: `cluster: namespace of the Secret (${PLATFORM_NAMESPACE})` },
    { name: 'data', value: 'DIR', text: 'data folder of npm start, which is stopped' },
    { name: 'root-key', value: 'FILE', text: 'private key of the root (PEM), if it is kept offline; - is stdin' },
    { name: 'yes', text: 'apply the change; without --yes the command only shows it' },
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
