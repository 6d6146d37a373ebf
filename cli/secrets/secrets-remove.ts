import { withFileLock } from '../../adapters/private-file/file-lock.ts';
import { writeVaultFile } from '../../adapters/vault-file/vault-file.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { objectName } from '../cluster/names.ts';
import { placeOf, type ClusterPlace } from '../cluster/place.ts';
import { EXIT, invalid } from '../io/failure.ts';
import { doneFormat, printDone } from '../args/print-done.ts';
import type { Io } from '../io/io.ts';
import { clusterVault, patchLine, patchOrbiset, readOrbiset, removeSecretKey, vaultName } from './cluster-vault.ts';
import type { Done } from './set-on-cluster.ts';
import { placeOfEntry, planUnbinding } from './plan-binding.ts';
import { BIND_FLAG, entryName, readVault, SECRET_FLAG, VAULT_FLAGS, vaultOf } from './vault.ts';

/** Unbinds first: an entry that is bound and missing would be reported until a user unbinds it. */
async function removeOnCluster(place: ClusterPlace, entry: string, args: Args, io: Io): Promise<Done> {
  const vault = await clusterVault(place, args, io);
  const orbiset = await readOrbiset(vault, io);
  const named = args.one('secret');
  const found = placeOfEntry(orbiset, entry, named === undefined ? undefined : objectName(named, '--secret'));
  const { secret, key } = { ...found, secret: objectName(found.secret, '--secret') };
  const operations = orbiset === undefined ? [] : planUnbinding(orbiset, entry);
  if (args.has('bind') && operations.length > 0) {
    await patchOrbiset(vault, (newest) => planUnbinding(newest, entry), io);
    io.err(`the Orbiset ${vaultName(vault)} no longer binds ${entry}\n`);
  }
  if (!(await removeSecretKey(vault, { secret, key }, io)))
    throw invalid(`there is no ${key} in a Secret ${vault.orbiset.namespace}/${secret}`, '--secret NAME names another');
  io.err(`removed ${key} of the Secret ${vault.orbiset.namespace}/${secret}\n`);
  const value = { entry, secret: `${vault.orbiset.namespace}/${secret}`, key };
  if (args.has('bind') || operations.length === 0) return { value: { ...value, bound: false }, text: '' };
  io.err(`the Orbiset ${vaultName(vault)} still binds it; this command removes the binding (--bind runs it):\n`);
  const line = patchLine(vault, operations);
  return { value: { ...value, bound: true, command: line }, text: `${line}\n` };
}

async function removeInFolder(data: string, entry: string, args: Args, io: Io): Promise<Done> {
  const path = vaultOf(data, args);
  await withFileLock(path, io.clock, io.signal, async () => {
    const entries = await readVault(path);
    const left = entries.filter(({ name }) => name !== entry);
    if (left.length === entries.length) throw invalid(`there is no entry ${entry} in ${path}`);
    await writeVaultFile(path, left);
  });
  io.err(`removed ${entry} from ${path}\n`);
  return { value: { entry, file: path }, text: '' };
}

export const secretsRemoveVerb: Verb = {
  usage: 'KEY',
  count: [1, 1],
  flags: [...VAULT_FLAGS, SECRET_FLAG, { ...BIND_FLAG, text: 'cluster: also remove it from the Orbiset' }, OUTPUT],
  examples: [
    '{orb} secrets remove SENDGRID_API_KEY',
    '{orb} secrets remove SENDGRID_API_KEY -n acme --orbiset support --bind',
  ],
  run: async (args, io) => {
    const entry = entryName(args.positionals[0] ?? '');
    const format = doneFormat(args);
    const place = await placeOf(args, io);
    const { value, text } =
      place.kind === 'cluster'
        ? await removeOnCluster(place, entry, args, io)
        : await removeInFolder(place.data, entry, args, io);
    await printDone(format, value, text, io);
    return EXIT.ok;
  },
};
