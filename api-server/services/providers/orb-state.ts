import type { Catalog } from '../../../adapters/catalog/port.ts';
import { SWAP_DEFAULTS } from '../../../core/failover/defaults.ts';
import { effectiveProvider, isPinFollowed } from '../../../core/orb/effective-provider.ts';
import { pinEnd } from '../../../core/failover/pin-end.ts';
import type { FailoverPin } from '../../../core/failover/types.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { parseOrbId } from '../../../core/manifest/orb-id.ts';
import type { CompiledOrb } from '../../../core/orb/compiled-orb.ts';
import { tenantFor } from '../../http/namespace.ts';
import { problem } from '../../http/problem.ts';
import { refuse, type RouteRequest, type Step } from '../../http/route.ts';
import { orbNotFound } from '../../orbs/orb-not-found.ts';
import { ownIds } from '../../orbs/visible-orbs.ts';
import { refuseKey } from '../../run/authorise.ts';
import { notReady } from '../../run/resolve.ts';
import type { EvaluationRequest, OrbPlace } from '../../providers/port.ts';

/** An Orb of the caller's tenant with the version that runs. */
export interface FoundOrb {
  readonly place: OrbPlace;
  readonly orb: CompiledOrb;
}

/** What finds an Orb, and what was meant when it is not there. */
export type FindingCatalog = Pick<Catalog, 'orb' | 'all' | 'invalid'>;

/** The Orb of `{orb_id}` in a path (design.md §2): of the caller's tenant only. */
export function findOrb(catalog: FindingCatalog, request: RouteRequest): Step<FoundOrb> {
  const tenant = tenantFor(request, 'orb-not-found', 'orb-ambiguous');
  if (!tenant.ok) return tenant;
  const parsed = parseOrbId(request.params['orb_id'] ?? '');
  if (!parsed.ok) return refuse(problem(request, 'orb-not-found'));
  const orbId = parsed.value;
  const limited = refuseKey(request, orbId);
  if (limited !== undefined) return refuse(limited);
  const entry = catalog.orb(tenant.tenant, orbId);
  if (entry === undefined) {
    const known = ownIds(catalog, tenant.tenant, request.caller?.orbs);
    const searched = { catalog, namespace: tenant.tenant, known, at: { parameter: 'orb_id' } };
    return refuse(orbNotFound(request, orbId, searched));
  }
  if (entry.compiled === undefined) return refuse(notReady(request, entry, tenant.tenant));
  const { namespace, name } = entry;
  return { ok: true, value: { place: { namespace, name, orbId }, orb: entry.compiled } };
}

/**
 * The active provider of an Orb as this process sees it; a ramp's share does not count.
 * @param now ms since epoch
 */
export function activeOf(orb: Pick<CompiledOrb, 'pin' | 'failover' | 'providers' | 'order'>, now: number): string {
  const active = effectiveProvider(orb, { now });
  if (active === undefined) throw new TypeError('an Orb compiles only with a provider');
  return active;
}

/** The pin that decides now, with its effective end. @param now ms since epoch */
export function pinInForce(orb: CompiledOrb, now: number): FailoverPin | undefined {
  const { pin, failover } = orb;
  if (pin === undefined || !isPinFollowed(orb, now)) return undefined;
  return { ...pin, expiresAt: pinEnd(pin, failover?.pin) };
}

/** Every provider that the manifest names, with or without execution: primary, fallbacks, then the others. */
export function namesOf({ manifest, providers }: Pick<CompiledOrb, 'manifest' | 'providers'>): readonly string[] {
  const { provider, swap_config: swap, providers: defined = {} } = manifest;
  const first = swap?.primary ?? provider;
  return [...new Set([first, ...(swap?.fallbacks ?? []), provider, ...Object.keys(defined), ...providers.keys()])];
}

export const primaryOf = ({ manifest }: Pick<CompiledOrb, 'manifest'>): string =>
  manifest.swap_config?.primary ?? manifest.provider;

export const timeText = (ms: number): string => new Date(ms).toISOString();

/** A pin in the form of the answers. */
export const pinView = ({ provider, mode, expiresAt, actor, reason }: FailoverPin): JsonObject => ({
  provider,
  mode,
  expires_at: timeText(expiresAt),
  actor,
  reason,
});

/** A pin in the form of the answers, or null. */
export const pinOrNull = (pin: FailoverPin | undefined): JsonObject | null => (pin === undefined ? null : pinView(pin));

export const ownerWarnings = (owners: readonly string[]): readonly string[] =>
  owners.map((owner) => `pin-owned-by:${owner}: it returns with the next sync`);

/** The query for the metrics of an Orb. */
export function evaluationRequest({ place, orb }: FoundOrb, now: number): EvaluationRequest {
  const { namespace, orbId } = place;
  const quantile = orb.manifest.swap_config?.latency?.quantile ?? SWAP_DEFAULTS.latency.quantile;
  return { namespace, orbId, quantile, active: { provider: activeOf(orb, now), since: orb.failover?.since ?? 0 } };
}
