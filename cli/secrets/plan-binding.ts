import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { objectAt, member } from '../../core/json/members.ts';
import { bindingsOf, type Binding } from './bindings.ts';

/** Operation of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'test' | 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: JsonValue;
}

/** A vault entry to bind. */
export interface WantedEntry {
  readonly entry: string;
  readonly secret: string;
  /** Key in the Secret. */
  readonly key: string;
  readonly hosts: readonly string[];
  /** Whether these hosts take the place of those that the entry has; otherwise they are added. */
  readonly replacesHosts: boolean;
}

/** How to change an Orbiset so that it binds an entry. */
export type BindingPlan =
  | { readonly kind: 'bound' }
  | { readonly kind: 'patch'; readonly operations: readonly PatchOperation[] }
  /** It can't bind the entry without changing the meaning of other entries. */
  | { readonly kind: 'conflict'; readonly message: string; readonly next: string };

const SECRETS = '/spec/vault/secrets';

const segment = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1');
const sameHosts = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && other.every((host) => one.includes(host));

/** The list may have changed since it was read: each patch tests that its position holds the right Secret. */
const testOperation = ({ index, secret }: Binding): PatchOperation => ({
  op: 'test',
  path: `${SECRETS}/${index}/name`,
  value: secret,
});

/** Adds the first missing member with everything below it. */
function addBinding(orbiset: JsonObject, { entry, secret, key, hosts }: WantedEntry): PatchOperation {
  const keys: JsonValue = entry === key ? [entry] : { [entry]: key };
  const binding = { name: secret, allowedHosts: [...hosts], keys };
  const spec = member(orbiset, 'spec');
  const vault = member(objectAt(orbiset, 'spec'), 'vault');
  if (spec === undefined) return { op: 'add', path: '/spec', value: { vault: { secrets: [binding] } } };
  if (vault === undefined) return { op: 'add', path: '/spec/vault', value: { secrets: [binding] } };
  if (member(vault, 'secrets') === undefined) return { op: 'add', path: SECRETS, value: [binding] };
  return { op: 'add', path: `${SECRETS}/-`, value: binding };
}

/** Hosts of the entry afterwards. An entry that is new in a Secret never gets the hosts of the others silently. */
function hostsAfter(binding: Binding, { entry, key, hosts, replacesHosts }: WantedEntry): readonly string[] {
  const isKnown = binding.form !== 'all' && binding.keys.get(entry) === key;
  return isKnown && !replacesHosts ? [...new Set([...binding.hosts, ...hosts])] : hosts;
}

function hostOperations(binding: Binding, wanted: WantedEntry): BindingPlan {
  const { entry, secret } = wanted;
  const hosts = hostsAfter(binding, wanted);
  if (sameHosts(binding.hosts, hosts)) return { kind: 'patch', operations: [] };
  const isAlone = binding.form !== 'all' && [...binding.keys.keys()].every((known) => known === entry);
  if (isAlone)
    return {
      kind: 'patch',
      operations: [{ op: 'replace', path: `${SECRETS}/${binding.index}/allowedHosts`, value: [...hosts] }],
    };
  return {
    kind: 'conflict',
    message: `the Secret ${secret} is bound to ${binding.hosts.join(', ')}, and all its values share these hosts`,
    next: `--secret NAME puts ${entry} into a Secret of its own, or name the hosts that are bound`,
  };
}

function keyOperations(binding: Binding, { entry, key, secret }: WantedEntry): BindingPlan {
  const path = `${SECRETS}/${binding.index}/keys`;
  const known = binding.keys.get(entry);
  if (binding.form === 'all' || known === key) return { kind: 'patch', operations: [] };
  if (known === undefined && binding.form === 'map')
    return { kind: 'patch', operations: [{ op: 'add', path: `${path}/${segment(entry)}`, value: key }] };
  if (known === undefined && entry === key)
    return { kind: 'patch', operations: [{ op: 'add', path: `${path}/-`, value: entry }] };
  return {
    kind: 'conflict',
    message: `${entry} is bound to the key ${known ?? entry} of the Secret ${secret}`,
    next: `edit spec.vault.secrets of the Orbiset, or remove it first: orb secrets remove ${entry}`,
  };
}

/** Another Secret that gives the entry. An entry that two Secrets give counts as missing (security.md §6.1). */
const otherBinding = (bindings: readonly Binding[], { entry, secret }: WantedEntry): Binding | undefined =>
  bindings.find((binding) => binding.secret !== secret && binding.keys.has(entry));

/** @param orbiset as the API server gives it */
export function planBinding(orbiset: JsonObject, wanted: WantedEntry): BindingPlan {
  const bindings = bindingsOf(orbiset);
  const other = otherBinding(bindings, wanted);
  if (other !== undefined)
    return {
      kind: 'conflict',
      message: `${wanted.entry} comes from the Secret ${other.secret}; from two, it would count as missing`,
      next: `--secret ${other.secret} replaces its value there`,
    };
  const binding = bindings.find(({ secret }) => secret === wanted.secret);
  if (binding === undefined) return { kind: 'patch', operations: [addBinding(orbiset, wanted)] };
  const [keys, hosts] = [keyOperations(binding, wanted), hostOperations(binding, wanted)];
  if (keys.kind !== 'patch') return keys;
  if (hosts.kind !== 'patch') return hosts;
  const operations = [...keys.operations, ...hosts.operations];
  return operations.length === 0
    ? { kind: 'bound' }
    : { kind: 'patch', operations: [testOperation(binding), ...operations] };
}

/** Removes an entry from an Orbiset; a Secret that would give no other entry is unbound. `bound` never. */
export function planUnbinding(orbiset: JsonObject, entry: string): readonly PatchOperation[] {
  const binding = bindingsOf(orbiset).find(({ keys }) => keys.has(entry));
  if (binding === undefined) return [];
  const path = `${SECRETS}/${binding.index}`;
  if (binding.keys.size === 1) return [testOperation(binding), { op: 'remove', path }];
  if (binding.form === 'map') return [testOperation(binding), { op: 'remove', path: `${path}/keys/${segment(entry)}` }];
  const position = [...binding.keys.keys()].indexOf(entry);
  const at = `${path}/keys/${position}`;
  return [testOperation(binding), { op: 'test', path: at, value: entry }, { op: 'remove', path: at }];
}

/** Where an entry is stored: in the Secret that binds it, else in a Secret that is named after it. */
export function placeOfEntry(
  orbiset: JsonObject | undefined,
  entry: string,
  named: string | undefined,
): { readonly secret: string; readonly key: string } {
  const bindings = orbiset === undefined ? [] : bindingsOf(orbiset);
  const binding = bindings.find(({ secret, keys }) => keys.has(entry) && (named === undefined || named === secret));
  if (binding !== undefined) return { secret: binding.secret, key: binding.keys.get(entry) ?? entry };
  const derived = entry
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return { secret: named ?? derived, key: entry };
}
