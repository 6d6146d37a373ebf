import { withFileLock } from '../../adapters/private-file/file-lock.ts';
import { writeVaultFile } from '../../adapters/vault-file/vault-file.ts';
import type { Verb } from '../args/verb.ts';
import { EXIT, invalid } from '../io/failure.ts';
import { entryName, readVault, VAULT_FLAGS, vaultOf } from './vault.ts';

export const secretsRemoveVerb: Verb = {
  name: 'secrets remove',
  summary: 'Removes a secret from a vault of npm start.',
  usage: 'KEY',
  count: [1, 1],
  flags: VAULT_FLAGS,
  examples: ['{orb} secrets remove SENDGRID_API_KEY'],
  run: async (args, io) => {
    const name = entryName(args.positionals[0] ?? '');
    const path = vaultOf(args);
    await withFileLock(path, io.clock, io.signal, async () => {
      const entries = await readVault(path);
      const left = entries.filter((entry) => entry.name !== name);
      if (left.length === entries.length) throw invalid(`there is no entry ${name} in ${path}`);
      await writeVaultFile(path, left);
    });
    io.err(`removed ${name} from ${path}\n`);
    return EXIT.ok;
  },
};
