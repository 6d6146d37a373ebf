import { vaultPath } from '../../adapters/vault-file/vault-path.ts';
import { readVaultFile, VaultFileError, type StoredSecret } from '../../adapters/vault-file/vault-file.ts';
import type { Args } from '../args/parse-args.ts';
import { DATA, type Flag } from '../args/verb.ts';
import { CONTEXT_FLAGS } from '../cluster/cluster-flags.ts';
import { invalid, usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';

/** Flags that say which vault is meant. */
export const VAULT_FLAGS: readonly Flag[] = [
  { name: 'orbiset', value: 'NAME', text: 'Orbiset with the vault (default)' },
  { name: 'namespace', short: 'n', value: 'NAME', text: 'its namespace (default; on a cluster that of the context)' },
  DATA,
  ...CONTEXT_FLAGS,
];

export const SECRET_FLAG: Flag = {
  name: 'secret',
  value: 'NAME',
  text: 'cluster: the Secret that holds it (where it is bound, else one named after KEY)',
};

export const BIND_FLAG: Flag = { name: 'bind', text: 'cluster: change the Orbiset too, not only print how' };

const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ENTRY = /^[A-Za-z0-9._-]{1,253}$/;

function nameOf(args: Args, flag: string): string {
  const name = args.one(flag) ?? 'default';
  if (!NAMESPACE.test(name))
    throw usage(`--${flag} ${printable(name)}: a name has lower-case letters, digits and "-", at most 63`);
  return name;
}

/** File of the vault that the flags mean. @throws Failure a name that is none: it would be a path */
export const vaultOf = (data: string, args: Args): string =>
  vaultPath(data, nameOf(args, 'namespace'), nameOf(args, 'orbiset'));

/** @throws Failure it can't stand in `{{orbiset.secrets.KEY}}` */
export function entryName(text: string): string {
  if (ENTRY.test(text)) return text;
  if (text.includes('='))
    throw usage('the value is read from standard input, never from an argument: other processes see arguments');
  throw invalid(`${printable(text)}: an entry has letters, digits, ".", "_" and "-", at most 253`);
}

/** @throws Failure the file is not one of ours */
export async function readVault(path: string): Promise<readonly StoredSecret[]> {
  try {
    return await readVaultFile(path);
  } catch (error) {
    if (error instanceof VaultFileError) throw invalid(error.message);
    throw error;
  }
}
