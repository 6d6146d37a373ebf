import { hostAllowed } from '../egress/host-binding.ts';
import { isJsonObject } from '../json/json-value.ts';
import type { WantedCondition } from '../reconcile/conditions.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { specOf } from '../reconcile/read-object.ts';
import type { CompiledRequest } from '../template/compiled-request.ts';
import type { CompiledOrb } from './compiled-orb.ts';

/** Secrets that a request of a provider carries, and the host that it goes to. */
export interface SecretUse {
  readonly provider: string;
  readonly host: string;
  /** At least one. */
  readonly entries: readonly string[];
}

/** A host with a label from a secret is known only during a run, so it is not checked. */
function useOf(provider: string, { literalHost: host, secretsFor }: CompiledRequest): readonly SecretUse[] {
  // Without inputs every default applies, and with it the secrets in defaults.
  const entries = secretsFor({});
  return host === undefined || entries.length === 0 ? [] : [{ provider, host, entries }];
}

/** The secrets that runs and probes of a version send, and their hosts. Hosts differ by provider (failover.md §7). */
export const secretUsesOf = ({ providers }: Pick<CompiledOrb, 'providers'>): readonly SecretUse[] =>
  [...providers.values()].flatMap(({ name, request, probe }) => {
    const own = useOf(name, request);
    const probed = probe === undefined || probe.request === request ? [] : useOf(name, probe.request);
    return [...own, ...probed];
  });

/** An item of `spec.vault.secrets`. Without `keys` it binds every key of its Secret, and these can't be seen here. */
interface Binding {
  readonly keys: ReadonlySet<string> | undefined;
  readonly hosts: readonly string[];
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

function keysOf(keys: unknown): Binding['keys'] {
  if (isJsonObject(keys)) return new Set(Object.keys(keys));
  return Array.isArray(keys) ? new Set(textsOf(keys)) : undefined;
}

/** The stored spec may have any shape (security.md S29); an unreadable item binds nothing. */
function bindingsOf(orbiset: KubeObject): readonly Binding[] {
  const { vault } = specOf(orbiset);
  const secrets: unknown = isJsonObject(vault) ? vault['secrets'] : undefined;
  if (!Array.isArray(secrets)) return [];
  return secrets
    .filter(isJsonObject)
    .map(({ keys, allowedHosts }) => ({ keys: keysOf(keys), hosts: textsOf(allowedHosts) }));
}

const binds = (bindings: readonly Binding[], entry: string, host: string): boolean =>
  bindings.some(({ keys, hosts }) => (keys === undefined || keys.has(entry)) && hostAllowed(host, hosts));

const isBoundIn = (bindings: readonly Binding[], { host, entries }: SecretUse): boolean =>
  entries.every((entry) => binds(bindings, entry, host));

const MAX_NAMED = 3;
// A condition holds 1 KiB.
const MAX_LENGTH = 1000;

/**
 * Names the entries that no vault sends to the host. When each is in some vault but no vault has all, it names all of
 * them.
 */
function explainUse({ provider, host, entries }: SecretUse, vaults: readonly (readonly Binding[])[]): string {
  const nowhere = entries.filter((entry) => !vaults.some((bindings) => binds(bindings, entry, host)));
  const lost = nowhere.length === 0 ? entries : nowhere;
  return `"${provider}" is skipped in every run, because it lacks the secrets that it needs: bind ${lost.join(' and ')} with ${host} in allowedHosts, in spec.vault.secrets of an Orbiset that may run this Orb.`;
}

const condition = (status: 'True' | 'False', reason: string, message: string): WantedCondition => ({
  type: 'SecretsBound',
  status,
  reason,
  message,
});

/**
 * Whether each provider's secrets may go to its own host, in at least one of the Orbisets that may run the Orb
 * (failover.md §11, L6). A provider for which no Orbiset allows this is skipped in every run. The message leaves out
 * names of Orbisets: a shared Orb has more readers than they have.
 * @param orbisets all that may run the Orb; suspended ones count as not running it
 * @returns undefined when the Orb needs no secret, or no Orbiset runs it
 */
export function secretsBound(uses: readonly SecretUse[], orbisets: readonly KubeObject[]): WantedCondition | undefined {
  const vaults = orbisets.filter((orbiset) => specOf(orbiset)['suspended'] !== true).map(bindingsOf);
  if (uses.length === 0 || vaults.length === 0) return undefined;
  const lost = uses.filter((use) => !vaults.some((bindings) => isBoundIn(bindings, use)));
  if (lost.length === 0)
    return condition('True', 'HostsBound', 'At least one Orbiset allows the secrets of every provider for its host.');
  const texts = lost.slice(0, MAX_NAMED).map((use) => explainUse(use, vaults));
  return condition('False', 'HostNotBound', texts.join(' ').slice(0, MAX_LENGTH));
}
