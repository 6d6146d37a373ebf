import { withFileLock } from '../../adapters/private-file/file-lock.ts';
import { writeVaultFile } from '../../adapters/vault-file/vault-file.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { placeOf } from '../cluster/place.ts';
import { EXIT, usage } from '../io/failure.ts';
import { doneFormat, printDone } from '../args/print-done.ts';
import type { Io } from '../io/io.ts';
import { hostsOf, readValue, REPLACE_HOSTS_FLAG } from './secret-input.ts';
import { setOnCluster, type Done } from './set-on-cluster.ts';
import { BIND_FLAG, entryName, readVault, SECRET_FLAG, VAULT_FLAGS, vaultOf } from './vault.ts';

interface Wanted {
  readonly entry: string;
  readonly hosts: readonly string[];
}

async function setInFolder(data: string, { entry, hosts }: Wanted, args: Args, io: Io): Promise<Done> {
  if (['secret', 'bind', 'force'].some((flag) => args.has(flag)))
    throw usage('--secret, --bind and --force are for a cluster: npm start has no Secrets');
  const path = vaultOf(data, args);
  const value = await readValue(entry, io);
  const { known, all } = await withFileLock(path, io.clock, io.signal, async () => {
    const entries = await readVault(path);
    const before = entries.find(({ name }) => name === entry);
    const kept = args.has(REPLACE_HOSTS_FLAG.name) ? [] : (before?.hosts ?? []);
    const after = [...new Set([...kept, ...hosts])];
    await writeVaultFile(path, [...entries.filter(({ name }) => name !== entry), { name: entry, value, hosts: after }]);
    return { known: before !== undefined, all: after };
  });
  const more = all.length > hosts.length ? '; --replace-hosts keeps only the hosts named with it' : '';
  io.err(`${known ? 'replaced' : 'added'} ${entry} for ${all.join(', ')} in ${path}${more}\n`);
  return { value: { entry, hosts: all, file: path, replaced: known }, text: '' };
}

export const secretsSetVerb: Verb = {
  usage: 'KEY',
  count: [1, 1],
  flags: [
    { name: 'host', value: 'HOST', repeats: true, text: "host to which it may be sent: a host, *.suffix, or '*'" },
    REPLACE_HOSTS_FLAG,
    ...VAULT_FLAGS,
    SECRET_FLAG,
    BIND_FLAG,
    { name: 'force', text: 'cluster: replace a value that another writer put into the Secret' },
    OUTPUT,
  ],
  about:
    'Manifests name it {{orbiset.secrets.KEY}}. A host is added to those that KEY has. A running server uses it within 5 s.\nOn a cluster it is written into a Secret, and the kubectl line that binds this to the Orbiset is printed on stdout; --bind\nruns it.',
  examples: [
    '{orb} secrets set SENDGRID_API_KEY --host api.sendgrid.com < key.txt',
    '{orb} secrets set SENDGRID_API_KEY --host api.sendgrid.com --orbiset support -n acme --context production < key.txt',
  ],
  run: async (args, io) => {
    const wanted = { entry: entryName(args.positionals[0] ?? ''), hosts: hostsOf(args) };
    const format = doneFormat(args);
    const place = await placeOf(args, io);
    const { value, text } =
      place.kind === 'cluster'
        ? await setOnCluster(place, wanted, args, io)
        : await setInFolder(place.data, wanted, args, io);
    await printDone(format, value, text, io);
    return EXIT.ok;
  },
};
