import { withFileLock } from '../../adapters/private-file/file-lock.ts';
import { writeVaultFile } from '../../adapters/vault-file/vault-file.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Verb } from '../args/verb.ts';
import { placeOf } from '../cluster/place.ts';
import { EXIT, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { hostsOf, readValue } from './secret-input.ts';
import { setOnCluster } from './set-on-cluster.ts';
import { BIND_FLAG, entryName, readVault, SECRET_FLAG, VAULT_FLAGS, vaultOf } from './vault.ts';

interface Wanted {
  readonly entry: string;
  readonly hosts: readonly string[];
}

async function setInFolder(data: string, { entry, hosts }: Wanted, args: Args, io: Io): Promise<void> {
  if (['secret', 'bind', 'force'].some((flag) => args.has(flag)))
    throw usage('--secret, --bind and --force are for a cluster: npm start has no Secrets');
  const path = vaultOf(data, args);
  const value = await readValue(entry, io);
  const known = await withFileLock(path, io.clock, io.signal, async () => {
    const entries = await readVault(path);
    await writeVaultFile(path, [...entries.filter(({ name }) => name !== entry), { name: entry, value, hosts }]);
    return entries.some(({ name }) => name === entry);
  });
  io.err(`${known ? 'replaced' : 'added'} ${entry} for ${hosts.join(', ')} in ${path}\n`);
}

export const secretsSetVerb: Verb = {
  usage: 'KEY',
  count: [1, 1],
  flags: [
    { name: 'host', value: 'HOST', repeats: true, text: "host to which it may be sent: a host, *.suffix, or '*'" },
    ...VAULT_FLAGS,
    SECRET_FLAG,
    BIND_FLAG,
    { name: 'force', text: 'cluster: replace a value that another writer put into the Secret' },
  ],
  about:
    'Manifests name it {{orbiset.secrets.KEY}}. A running server uses it within 5 s.\nOn a cluster it is written into a Secret, and the kubectl line that binds this to the Orbiset is printed on stdout; --bind\nruns it.',
  examples: [
    '{orb} secrets set SENDGRID_API_KEY --host api.sendgrid.com < key.txt',
    '{orb} secrets set SENDGRID_API_KEY --host api.sendgrid.com --orbiset support -n acme --context production < key.txt',
  ],
  run: async (args, io) => {
    const wanted = { entry: entryName(args.positionals[0] ?? ''), hosts: hostsOf(args) };
    const place = await placeOf(args, io);
    if (place.kind === 'cluster') await setOnCluster(place, wanted, args, io);
    else await setInFolder(place.data, wanted, args, io);
    return EXIT.ok;
  },
};
