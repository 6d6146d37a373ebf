import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { objectName } from '../cluster/names.ts';
import type { ClusterPlace } from '../cluster/place.ts';
import { invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import {
  clusterVault,
  createLine,
  patchLine,
  patchOrbiset,
  readOrbiset,
  vaultName,
  writeSecretKey,
  type ClusterVault,
} from './cluster-vault.ts';
import { placeOfEntry, planBinding, type PatchOperation, type WantedEntry } from './plan-binding.ts';
import { readValue, REPLACE_HOSTS_FLAG } from './secret-input.ts';

/** @throws Failure the entry can't be bound without changing the meaning of others */
function operationsFor(orbiset: JsonObject, wanted: WantedEntry): readonly PatchOperation[] {
  const plan = planBinding(orbiset, wanted);
  if (plan.kind === 'conflict') throw invalid(plan.message, plan.next);
  return plan.kind === 'bound' ? [] : plan.operations;
}

function wantedEntry(
  entry: string,
  orbiset: JsonObject | undefined,
  hosts: readonly string[],
  args: Args,
): WantedEntry {
  const named = args.one('secret');
  const { secret, key } = placeOfEntry(orbiset, entry, named === undefined ? undefined : objectName(named, '--secret'));
  if (secret === '') throw usage(`--secret NAME is missing: no name can be made of ${entry}`);
  const replacesHosts = args.has(REPLACE_HOSTS_FLAG.name);
  return { entry, secret: objectName(secret, '--secret'), key, hosts, replacesHosts };
}

/** A whole vault for an Orbiset that does not exist yet. */
function newVault(wanted: WantedEntry): JsonObject {
  const [first] = operationsFor({}, wanted);
  const value = first?.value ?? {};
  const vault = member(value, 'vault');
  return isJsonObject(vault) ? vault : {};
}

/** What a verb of the vault did: for machines, and the text that it prints on standard output otherwise. */
export interface Done {
  readonly value: JsonObject;
  readonly text: string;
}

/** @returns the command that binds the entry; undefined when it is bound */
function bindingHint(
  vault: ClusterVault,
  orbiset: JsonObject | undefined,
  wanted: WantedEntry,
  io: Io,
): string | undefined {
  const operations = orbiset === undefined ? [] : operationsFor(orbiset, wanted);
  if (orbiset !== undefined && operations.length === 0) {
    io.err(`the Orbiset ${vaultName(vault)} binds it: in use within 5 s\n`);
    return undefined;
  }
  io.err(
    orbiset === undefined
      ? `there is no Orbiset ${vaultName(vault)} yet; this command creates one that binds it:\n`
      : `the Orbiset ${vaultName(vault)} does not bind it yet; this command binds it (--bind runs it):\n`,
  );
  return orbiset === undefined ? createLine(vault, newVault(wanted)) : patchLine(vault, operations);
}

async function bind(vault: ClusterVault, wanted: WantedEntry, io: Io): Promise<void> {
  const applied = await patchOrbiset(vault, (orbiset) => operationsFor(orbiset, wanted), io);
  const already = applied.length === 0 ? 'already binds' : 'binds';
  io.err(`the Orbiset ${vaultName(vault)} ${already} it for ${wanted.hosts.join(', ')}: in use within 5 s\n`);
}

/**
 * Writes one entry into a Secret of the namespace, and binds it or prints the command that binds it.
 * @throws Failure before anything is read or written: it can't be bound, or `--bind` without an Orbiset
 */
export async function setOnCluster(
  place: ClusterPlace,
  { entry, hosts }: { readonly entry: string; readonly hosts: readonly string[] },
  args: Args,
  io: Io,
): Promise<Done> {
  const vault = await clusterVault(place, args, io);
  const orbiset = await readOrbiset(vault, io);
  const wanted = wantedEntry(entry, orbiset, hosts, args);
  if (orbiset === undefined && args.has('bind'))
    throw invalid(
      `there is no Orbiset ${vaultName(vault)} to bind it to; nothing was written`,
      createLine(vault, newVault(wanted)),
      'or run this without --bind',
    );
  if (orbiset !== undefined) operationsFor(orbiset, wanted);
  await writeSecretKey(vault, wanted, { value: await readValue(entry, io), force: args.has('force') }, io);
  io.err(`wrote ${wanted.key} of the Secret ${vault.orbiset.namespace}/${wanted.secret}\n`);
  if (args.has('bind')) await bind(vault, wanted, io);
  const command = args.has('bind') ? undefined : bindingHint(vault, orbiset, wanted, io);
  const secret = `${vault.orbiset.namespace}/${wanted.secret}`;
  const value = { entry, hosts: [...hosts], secret, key: wanted.key, bound: command === undefined };
  return command === undefined ? { value, text: '' } : { value: { ...value, command }, text: `${command}\n` };
}
