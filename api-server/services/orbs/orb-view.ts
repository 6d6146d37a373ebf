import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import type { OrbId } from '../../../core/manifest/orb-id.ts';
import type { CompiledOrb } from '../../../core/orb/compiled-orb.ts';
import { providersInOrder } from '../../../core/orb/effective-provider.ts';
import type { CompiledOrbiset } from '../../../core/orb/orbiset.ts';
import { vaultReadiness } from '../../../core/run/readiness.ts';
import { faultOf } from '../../orbs/orb-not-found.ts';
import { visibleIn, type OrbSources, type VisibleOrb } from '../../orbs/visible-orbs.ts';
import type { ProblemCode } from '../../http/problems.ts';
import { refusalOf } from '../../run/resolve.ts';
import type { Runtime } from '../../runtime/runtime.ts';

/** What an answer about Orbs is made from. */
export interface OrbViewer {
  readonly runtime: Pick<Runtime, 'catalog' | 'published' | 'settings' | 'switches' | 'clock'>;
  readonly tenant: string;
  /** Every Orbiset of the tenant, by name. */
  readonly orbisets: readonly CompiledOrbiset[];
}

export const sourcesFor = ({ catalog, published, settings }: OrbViewer['runtime']): OrbSources => ({
  catalog,
  published,
  platformNamespace: settings.platformNamespace,
});

interface InOrbiset {
  readonly orbiset: CompiledOrbiset;
  readonly found: VisibleOrb;
}

/** The code that a run would be refused with, whatever its vault holds. */
function refused({ runtime }: OrbViewer, { orbiset, found }: InOrbiset): ProblemCode | undefined {
  if (found.differs) return 'orb-differs-from-publication';
  const { compiled } = found.entry;
  return compiled === undefined ? 'orb-not-ready' : refusalOf(runtime, orbiset, compiled);
}

interface OrbisetView {
  readonly reason: string | undefined;
  readonly view: JsonObject;
  readonly missing: readonly string[];
}

function orbisetView(viewer: OrbViewer, place: InOrbiset): OrbisetView {
  const { compiled } = place.found.entry;
  const { orbiset } = place;
  const now = viewer.runtime.clock.now();
  const vault =
    compiled === undefined
      ? { reason: undefined, missing: [] }
      : vaultReadiness(providersInOrder(compiled, { now }), orbiset.vault);
  const reason = refused(viewer, place) ?? vault.reason;
  const missing_secrets = vault.missing.map(({ entry, host }) => ({ entry, host }));
  const view = { orbiset: orbiset.fullName, ready: reason === undefined, reason: reason ?? null, missing_secrets };
  return { reason, view, missing: vault.missing.map(({ entry }) => entry) };
}

const typed = (definitions: Readonly<Record<string, object>>): JsonObject =>
  Object.fromEntries(
    Object.entries(definitions).map(([name, definition]): [string, JsonValue] => [
      name,
      { type: 'string', ...(isJsonObject(definition) ? definition : {}) },
    ]),
  );

/** What a caller has to know of a manifest; empty of an Orb that was never valid. */
function contractOf(orb: CompiledOrb | undefined): JsonObject {
  if (orb === undefined) return { description: '', inputs: {}, outputs: {}, providers: [] };
  const { description = '', inputs, outputs } = orb.manifest;
  return { description, inputs: typed(inputs), outputs: typed(outputs), providers: [...orb.order] };
}

/** A tenant without an Orbiset can run nothing. */
const NO_ORBISET = 'orbiset-not-found';

/**
 * An Orb as `GET /orbs` shows it.
 * @returns undefined: no Orbiset of the tenant may run it, and it is not the tenant's own
 */
export function orbView(viewer: OrbViewer, orbId: OrbId): JsonObject | undefined {
  const { runtime, tenant, orbisets } = viewer;
  const own = runtime.catalog.orb(tenant, orbId);
  const places = orbisets.flatMap((orbiset): readonly InOrbiset[] => {
    const found = visibleIn(sourcesFor(runtime), orbiset, orbId);
    return found === undefined ? [] : [{ orbiset, found }];
  });
  const entry = own ?? places[0]?.found.entry;
  if (entry === undefined) return undefined;
  const views = places.map((place) => orbisetView(viewer, place));
  const isReady = views.some(({ reason }) => reason === undefined);
  const unready = entry.compiled === undefined ? 'orb-not-ready' : (views[0]?.reason ?? NO_ORBISET);
  return {
    orb_id: orbId,
    namespace: entry.namespace,
    ...contractOf(entry.compiled),
    ready: isReady,
    reason: isReady ? null : unready,
    fault: faultOf(entry, tenant) ?? null,
    missing_secrets: [...new Set(views.flatMap(({ missing }) => missing))],
    orbisets: views.map(({ view }) => view),
  };
}
