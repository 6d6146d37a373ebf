import { withFileLock } from '../../adapters/private-file/file-lock.ts';
import { writeVaultFile } from '../../adapters/vault-file/vault-file.ts';
import type { Args } from '../args/parse-args.ts';
import type { Verb } from '../args/verb.ts';
import { placeOf } from '../cluster/place.ts';
import { EXIT, invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { removeOnCluster } from './remove-on-cluster.ts';
import { BIND_FLAG, entryName, readVault, SECRET_FLAG, VAULT_FLAGS, vaultOf } from './vault.ts';

async function removeInFolder(data: string, entry: string, args: Args, io: Io): Promise<void> {
  const path = vaultOf(data, args);
  await withFileLock(path, io.clock, io.signal, async () => {
    const entries = await readVault(path);
    const left = entries.filter(({ name }) => name !== entry);
    if (left.length === entries.length) throw invalid(`there is no entry ${entry} in ${path}`);
    await writeVaultFile(path, left);
  });
  io.err(`removed ${entry} from ${path}\n`);
}

export const secretsRemoveVerb: Verb = {
  name: 'secrets remove',
  summary: 'Removes a secret from the vault of an Orbiset.',
  usage: 'KEY',
  count: [1, 1],
  flags: [...VAULT_FLAGS, SECRET_FLAG, { ...BIND_FLAG, text: 'cluster: take it out of the Orbiset too' }],
  examples: [
    '{orb} secrets remove SENDGRID_API_KEY',
    '{orb} secrets remove SENDGRID_API_KEY -n acme --orbiset support --bind',
  ],
  run: async (args, io) => {
    const entry = entryName(args.positionals[0] ?? '');
    const place = await placeOf(args, io);
    if (place.kind === 'cluster') await removeOnCluster(place, entry, args, io);
    else await removeInFolder(place.data, entry, args, io);
    return EXIT.ok;
  },
};
