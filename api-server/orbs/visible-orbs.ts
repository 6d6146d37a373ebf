import type { Catalog, OrbEntry } from '../../adapters/catalog/port.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import { nameOfId } from '../../core/orb/invalid-source.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import { listsOrb, resolveOrb } from '../../core/orb/resolve-orb.ts';
import type { PublishedVersions } from '../../core/run/published.ts';
import type { RouteRequest } from '../http/route.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Where Orbs are found. */
export interface OrbSources {
  readonly catalog: Pick<Catalog, 'orb' | 'all'>;
  readonly published: Pick<PublishedVersions, 'version'>;
  /** Namespace of shared Orbs (design.md §2). */
  readonly platformNamespace: string;
}

/** The Orbs that a request may see. */
export interface Viewer {
  readonly namespace: string;
  /** Orbisets of the namespace: the Orbs of other namespaces that they list are visible too. */
  readonly orbisets: readonly Pick<CompiledOrbiset, 'namespace' | 'orbs'>[];
  /** Orbs that the key is limited to; undefined: not limited. */
  readonly limitedTo: readonly string[] | undefined;
}

/** An Orb that a tenant can name in a run. */
export interface VisibleOrb {
  readonly entry: OrbEntry;
  /** Its bytes are not those of its publication, so no run of it starts. */
  readonly differs: boolean;
}

const digestOf = ({ compiled }: OrbEntry): string | undefined => compiled?.digest;

/** How an Orbiset finds an Orb, as a run of it does. */
export function visibleIn(
  { catalog, published, platformNamespace }: OrbSources,
  orbiset: Viewer['orbisets'][number],
  orbId: OrbId,
): VisibleOrb | undefined {
  const found = resolveOrb(catalog, orbiset, orbId, { platformNamespace, published: published.version, digestOf });
  if (found.kind === 'found') return { entry: found.entry, differs: false };
  if (found.kind !== 'differs') return undefined;
  const entry = catalog.orb(published.version(orbId)?.namespace ?? platformNamespace, orbId);
  return entry && { entry, differs: true };
}

/** The ids of a tenant's own Orbs. @param limitedTo Orbs that the key is limited to; undefined: not limited */
export function ownIds(
  catalog: Pick<Catalog, 'all'>,
  namespace: string,
  limitedTo: readonly string[] | undefined,
): ReadonlySet<OrbId> {
  const ids = new Set<OrbId>();
  for (const { namespace: home, orbId } of catalog.all())
    if (home === namespace && (limitedTo === undefined || listsOrb(limitedTo, orbId))) ids.add(orbId);
  return ids;
}

/**
 * The ids of the Orbs that a run of the tenant can name: its own, and those that its Orbisets list and that are there.
 * It looks at every Orb twice: a millisecond or two for 10 000.
 */
export function visibleIds(sources: OrbSources, { namespace, orbisets, limitedTo }: Viewer): ReadonlySet<OrbId> {
  const own = ownIds(sources.catalog, namespace, limitedTo);
  const listed = new Set(orbisets.flatMap(({ orbs }) => orbs));
  if (listed.size === 0) return own;
  const ids = new Set(own);
  for (const { orbId } of sources.catalog.all()) {
    if (ids.has(orbId) || !(listed.has(orbId) || listed.has(nameOfId(orbId)))) continue;
    if (limitedTo !== undefined && !listsOrb(limitedTo, orbId)) continue;
    if (orbisets.some((orbiset) => visibleIn(sources, orbiset, orbId) !== undefined)) ids.add(orbId);
  }
  return ids;
}

/** The ids that a request may name in an Orbiset. */
export function idsInOrbiset(
  { catalog, published, settings }: Pick<Runtime, 'catalog' | 'published' | 'settings'>,
  { caller }: Pick<RouteRequest, 'caller'>,
  orbiset: Viewer['orbisets'][number],
): ReadonlySet<OrbId> {
  const sources = { catalog, published, platformNamespace: settings.platformNamespace };
  return visibleIds(sources, { namespace: orbiset.namespace, orbisets: [orbiset], limitedTo: caller?.orbs });
}
