import { hostAllowed } from '../../core/egress/host-binding.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { UrlSecret } from '../../core/orb/url-secrets.ts';
import type { EntryInUrl } from '../../core/orb/vault-status.ts';
import { LeastOf } from './least-of.ts';

/** Entry → hosts that the vault allows it to be sent to. */
export type AllowedHosts = ReadonlyMap<string, readonly string[]>;

const keyOf = (namespace: string, entry: string): string => `${namespace}/${entry}`;

/** Whether the vault lets the entry go where the URL goes. A host that only a run knows counts as allowed. */
export function isInUrl(hosts: AllowedHosts, { entry, host }: UrlSecret): boolean {
  const allowed = hosts.get(entry);
  return allowed !== undefined && (host === undefined || hostAllowed(host, allowed));
}

/** The Orbs of each namespace by the entries in their URLs, and by the hosts of these URLs. */
export class UrlSecretGroups {
  /** `namespace/entry` → host → Orbs. */
  readonly #groups = new Map<string, Map<UrlSecret['host'], LeastOf<OrbId>>>();

  add(namespace: string, orbId: OrbId, { entry, host }: UrlSecret): void {
    const key = keyOf(namespace, entry);
    const byHost = this.#groups.get(key) ?? new Map<UrlSecret['host'], LeastOf<OrbId>>();
    const ids = byHost.get(host) ?? new LeastOf<OrbId>();
    this.#groups.set(key, byHost.set(host, ids.add(orbId)));
  }

  delete(namespace: string, orbId: OrbId, { entry, host }: UrlSecret): void {
    const key = keyOf(namespace, entry);
    const byHost = this.#groups.get(key);
    const ids = byHost?.get(host);
    if (byHost === undefined || ids === undefined) return;
    ids.delete(orbId);
    if (ids.size === 0) byHost.delete(host);
    if (byHost.size === 0) this.#groups.delete(key);
  }

  /** Entries that URLs of the namespace's Orbs carry to an allowed host, each with the lowest Orb id of that host. */
  *find(namespace: string, hosts: AllowedHosts): Generator<EntryInUrl> {
    for (const entry of hosts.keys())
      for (const [host, { least }] of this.#groups.get(keyOf(namespace, entry)) ?? [])
        if (least !== undefined && isInUrl(hosts, { entry, host })) yield { entry, orbId: least };
  }
}
