import { vaultPath } from '../../adapters/vault-file/vault-path.ts';
import { readVaultFile, VaultFileError, type StoredSecret } from '../../adapters/vault-file/vault-file.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { DATA } from '../args/verb.ts';
import { CONTEXT_FLAGS } from '../cluster/cluster-flags.ts';
import { namespaceOf } from '../cluster/names.ts';
import { invalid, usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';

/** Flags that name the vault. */
export const VAULT_FLAGS: readonly Flag[] = [
  { name: 'orbiset', value: 'NAME', text: 'Orbiset with the vault (default)' },
  { name: 'namespace', short: 'n', value: 'NAME', text: 'its namespace (default; on a cluster that of the context)' },
  DATA,
  ...CONTEXT_FLAGS,
];

export const SECRET_FLAG: Flag = {
  name: 'secret',
  value: 'NAME',
  text: 'cluster: the Secret that holds it (default: the bound Secret, else one named after KEY)',
};

export const BIND_FLAG: Flag = {
  name: 'bind',
  text: 'cluster: also change the Orbiset, instead of printing the command',
};

const ENTRY = /^[A-Za-z0-9._-]{1,253}$/;

const nameOf = (args: Args, flag: string): string => namespaceOf(args.one(flag) ?? 'default', `--${flag}`);

/** File of the vault that the flags name. @throws Failure not a valid name: it could be a path */
export const vaultOf = (data: string, args: Args): string =>
  vaultPath(data, nameOf(args, 'namespace'), nameOf(args, 'orbiset'));

/** @throws Failure it is not allowed in `{{orbiset.secrets.KEY}}` */
export function entryName(text: string): string {
  if (ENTRY.test(text)) return text;
  if (text.includes('='))
    throw usage('the value is read from standard input, never from an argument: other processes see arguments');
  throw invalid(`${printable(text)}: an entry has letters, digits, ".", "_" and "-", at most 253`);
}

/** @throws Failure the file is not a vault file of this program */
export async function readVault(path: string): Promise<readonly StoredSecret[]> {
  try {
    return await readVaultFile(path);
  } catch (error) {
    if (error instanceof VaultFileError) throw invalid(error.message);
    throw error;
  }
}
