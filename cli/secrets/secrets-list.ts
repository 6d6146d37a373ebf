import { formatOf } from '../args/format.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { placeOf } from '../cluster/place.ts';
import { EXIT, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, printable, table, type Format } from '../io/output.ts';
import { listOnCluster, type ListedEntry } from './list-on-cluster.ts';
import { readVault, VAULT_FLAGS, vaultOf } from './vault.ts';

async function printFolder(data: string, args: Args, format: Format, io: Io): Promise<void> {
  if (args.has('all-namespaces')) throw usage('-A is for a cluster; npm start has a vault file for each Orbiset');
  const entries = await readVault(vaultOf(data, args));
  const shown = entries.map(({ name, hosts }) => ({ name, hosts: [...hosts] }));
  if (format === 'json' || format === 'yaml') io.out(await dataText({ secrets: shown }, format));
  else if (format === 'name') io.out(shown.map(({ name }) => `${name}\n`).join(''));
  else io.out(table([['ENTRY', 'HOSTS'], ...shown.map(({ name, hosts }) => [name, printable(hosts.join(', '))])]));
}

const HEAD = ['NAMESPACE', 'ORBISET', 'ENTRY', 'HOSTS', 'SECRET', 'STATE'];
const rowOf = ({ namespace, orbiset, entry, hosts, secret, state }: ListedEntry): readonly string[] =>
  [namespace, orbiset, entry, hosts.join(', '), secret, state].map(printable);

async function printCluster(entries: readonly ListedEntry[], format: Format, io: Io): Promise<void> {
  if (format === 'json' || format === 'yaml') {
    const secrets = entries.map(({ entry, hosts, ...rest }) => ({ name: entry, hosts: [...hosts], ...rest }));
    io.out(await dataText({ secrets }, format));
  } else if (format === 'name') io.out(entries.map(({ entry }) => `${printable(entry)}\n`).join(''));
  else io.out(table([HEAD, ...entries.map(rowOf)]));
}

export const secretsListVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [
    ...VAULT_FLAGS,
    { name: 'all-namespaces', short: 'A', text: 'cluster: the vaults of every namespace' },
    OUTPUT_LIST,
  ],
  about: 'On a cluster it shows what the Orbisets bind and what the API found; no Secret is read.',
  examples: ['{orb} secrets list', '{orb} secrets list -n acme --context production'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml', 'name']);
    const place = await placeOf(args, io);
    if (place.kind === 'cluster') await printCluster(await listOnCluster(place, args, io), format, io);
    else await printFolder(place.data, args, format, io);
    return EXIT.ok;
  },
};
