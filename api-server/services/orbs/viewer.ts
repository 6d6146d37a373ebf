import type { OrbViewer } from './orb-view.ts';

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : Number(one.name > other.name);

/** What a tenant sees of Orbs. */
export const viewerFor = (runtime: OrbViewer['runtime'], tenant: string): OrbViewer => ({
  runtime,
  tenant,
  orbisets: runtime.catalog.orbisets(tenant).toSorted(byName),
});
