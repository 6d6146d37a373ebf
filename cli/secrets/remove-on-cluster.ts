import type { Args } from '../args/parse-args.ts';
import { objectName } from '../cluster/names.ts';
import type { ClusterPlace } from '../cluster/place.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { clusterVault, patchLine, patchOrbiset, readOrbiset, removeSecretKey, vaultName } from './cluster-vault.ts';
import { placeOfEntry, planUnbinding } from './plan-binding.ts';

/** Unbinds first: an entry that is bound and missing would be reported until somebody unbinds it. */
export async function removeOnCluster(place: ClusterPlace, entry: string, args: Args, io: Io): Promise<void> {
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
  if (args.has('bind') || operations.length === 0) return;
  io.err(`the Orbiset ${vaultName(vault)} still binds it; this line does not, --bind would have:\n`);
  io.out(`${patchLine(vault, operations)}\n`);
}
