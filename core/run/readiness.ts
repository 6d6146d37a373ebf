import { hostAllowed } from '../egress/host-binding.ts';
import type { CompiledProvider } from '../orb/compiled-orb.ts';
import type { VaultEntry } from '../orb/orbiset.ts';

/** An entry of a vault, and the host that it would be sent to; '' when secrets are part of the host. */
interface NeededEntry {
  readonly entry: string;
  readonly host: string;
}

/** What a vault lacks for the providers of an Orb. */
export interface VaultReadiness {
  /** Why the first provider can't be called; undefined: some provider can. */
  readonly reason: 'secret-missing' | 'secret-host-not-allowed' | undefined;
  /** Entries that any provider needs and the vault does not have, each once, in the order of the providers. */
  readonly missing: readonly NeededEntry[];
}

type Vault = ReadonlyMap<string, VaultEntry>;

function reasonOf({ request }: CompiledProvider, vault: Vault): VaultReadiness['reason'] {
  const entries = request.secretsFor({}).map((name) => vault.get(name));
  if (entries.includes(undefined)) return 'secret-missing';
  const { literalHost } = request;
  if (literalHost === undefined) return undefined;
  const isRefused = entries.some((entry) => entry !== undefined && !hostAllowed(literalHost, entry.allowedHosts));
  return isRefused ? 'secret-host-not-allowed' : undefined;
}

/**
 * Whether a run could call a provider with a vault, as far as this is known without its inputs. A caller that gives every
 * input may need fewer entries, because defaults can hold secrets too.
 * @param providers at least one, in the order of the attempts
 */
export function vaultReadiness(providers: readonly CompiledProvider[], vault: Vault): VaultReadiness {
  const missing = new Map<string, NeededEntry>();
  for (const { request } of providers)
    for (const entry of request.secretsFor({}))
      if (!vault.has(entry) && !missing.has(entry)) missing.set(entry, { entry, host: request.literalHost ?? '' });
  const reasons = providers.map((provider) => reasonOf(provider, vault));
  return { reason: reasons.includes(undefined) ? undefined : reasons[0], missing: [...missing.values()] };
}
