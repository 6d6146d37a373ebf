import type { OrbisetSpec } from '../../crds/orbiset.ts';
import { hostAllowed } from '../egress/host-binding.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';

type Vault = NonNullable<OrbisetSpec['vault']>;
type Binding = NonNullable<Vault['secrets']>[number];
type Pairs = readonly (readonly [entry: string, key: string])[];

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const isPattern = (host: string): boolean => host.startsWith('*');

/** Whether the others allow every host of a pattern: `a.b.example` and `*.b.example` lie in `*.example`. */
function liesIn(pattern: string, others: readonly string[]): boolean {
  if (pattern === '*') return others.includes('*');
  return isPattern(pattern)
    ? hostAllowed(`x${pattern.slice(1)}`, others.filter(isPattern))
    : hostAllowed(pattern, others);
}

function pairsOf(keys: unknown): Pairs {
  if (!isJsonObject(keys)) return textsOf(keys).map((key) => [key, key]);
  return Object.entries(keys).flatMap(([entry, key]) => (typeof key === 'string' ? [[entry, key] as const] : []));
}

/** Entries that both have. Without `keys`, a binding has every key of its Secret. */
function narrowKeys(last: Binding['keys'], present: unknown): Binding['keys'] {
  if (present === undefined || (!Array.isArray(present) && !isJsonObject(present))) return last;
  const wanted = pairsOf(present);
  if (last === undefined) return Object.fromEntries(wanted);
  const known = new Map(pairsOf(last));
  return Object.fromEntries(wanted.filter(([entry, key]) => known.get(entry) === key));
}

/** A list, or an empty one for null and for a member that is absent. Undefined: a value of another type. */
function listOf(value: unknown): readonly unknown[] | undefined {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : undefined;
}

/** Hosts that both allow, each written as in the narrower list. */
function narrowHosts(last: Binding['allowedHosts'], present: unknown): Binding['allowedHosts'] {
  const hosts = listOf(present);
  if (hosts === undefined) return last;
  const named = textsOf(hosts);
  const narrower = named.filter((host) => liesIn(host, last));
  return [...narrower, ...last.filter((host) => liesIn(host, named) && !liesIn(host, narrower))];
}

function narrowBinding(last: Binding, items: readonly JsonObject[]): readonly Binding[] {
  const item = items.find(({ name }) => name === last.name);
  if (item === undefined) return [];
  const allowedHosts = narrowHosts(last.allowedHosts, item['allowedHosts']);
  const keys = narrowKeys(last.keys, item['keys']);
  return allowedHosts.length === 0 ? [] : [{ name: last.name, allowedHosts, ...(keys === undefined ? {} : { keys }) }];
}

/**
 * What a vault may still do while a later generation of its Orbiset is not valid. The last valid vault keeps what the
 * later generation names too: taking a right away counts at once, as a suspension does (security.md S1). A right that
 * the later generation adds counts once the generation is valid. Example: `allowedHosts: []` is not valid, and no
 * secret of that binding is sent to any host.
 * @param last of the last valid generation
 * @param present `spec.vault` of this generation, in any shape. What is absent or null is taken away. A value of
 *   another type says nothing, so the last right stays: a typing mistake stops no Orb
 */
export function narrowVault(last: Vault, present: unknown): Vault {
  const vault = present ?? {};
  const secrets = isJsonObject(vault) ? listOf(vault['secrets']) : undefined;
  if (secrets === undefined) return last;
  const items = secrets.filter(isJsonObject);
  return { ...last, secrets: (last.secrets ?? []).flatMap((binding) => narrowBinding(binding, items)) };
}
