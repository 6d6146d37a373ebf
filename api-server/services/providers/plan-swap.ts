import { newId } from '../../../core/receipt/ids.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import { explainUndefined } from '../../../core/manifest-rules/check-providers.ts';
import type { CompiledOrb } from '../../../core/orb/compiled-orb.ts';
import { problem } from '../../http/problem.ts';
import { refuse, type Reply, type RouteRequest, type Step } from '../../http/route.ts';
import { activeOf, evaluationRequest, namesOf, timeText, type FoundOrb } from './orb-state.ts';
import type { EvaluationSource, NewPin, ReplicaView } from '../../providers/port.ts';
import { EXPIRY_WITH_ONCE, type PinMode, type SwapBody } from './swap-body.ts';

export interface PlanDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: (bytes: number) => Uint8Array;
  readonly replica: ReplicaView;
  readonly lastEvaluation: EvaluationSource;
}

/** A manual swap that is allowed. */
export interface SwapPlan {
  readonly found: FoundOrb;
  readonly body: SwapBody;
  /** The active provider at the time of the request. */
  readonly from: string;
  readonly pin: NewPin;
  readonly requestedAt: number;
  readonly warnings: readonly string[];
}

const DAY_MS = 24 * 3_600_000;
// failover.md §8: time limit for handling a `once` swap.
const ONCE_MS = 10 * 60_000;

/** Without `swap_config` there is no provider to go back to, so the swap stays until the next one. */
const modeOf = ({ mode }: SwapBody, { manifest }: CompiledOrb): PinMode =>
  mode ?? (manifest.swap_config === undefined ? 'once' : 'soft');

function refuseName(request: RouteRequest, { provider }: SwapBody, orb: CompiledOrb): Reply | undefined {
  if (orb.providers.has(provider)) return undefined;
  if (namesOf(orb).includes(provider)) {
    return problem(request, 'provider-unresolved', { detail: explainUndefined(provider) });
  }
  const detail = `The manifest has: ${namesOf(orb).join(', ')}.`;
  return problem(request, 'provider-unknown', { detail });
}

function refuseChanged(request: RouteRequest, { expectedActive }: SwapBody, active: string): Reply | undefined {
  if (expectedActive === undefined || expectedActive === active) return undefined;
  return problem(request, 'active-changed', {
    detail: `${active} is active.`,
    extensions: { active_provider: active },
  });
}

/** Why the target should not be used; '' when no reason is known. */
async function unhealthyReason({ place, orb }: FoundOrb, provider: string, deps: PlanDeps): Promise<string> {
  const { namespace, orbId } = place;
  if (deps.replica.breakers(namespace, orbId)[provider] === 'open') return 'its breaker is open in this replica';
  const evaluation = await deps.lastEvaluation(evaluationRequest({ place, orb }, deps.clock.now()));
  const last = evaluation?.health[provider]?.lastProbe ?? null;
  return last === null || last.outcome === 'success' ? '' : `its last probe ended with ${last.outcome}`;
}

interface PinTerms {
  readonly mode: PinMode;
  readonly expiresAt: number;
  readonly warnings: readonly string[];
}

function termsOf(body: SwapBody, orb: CompiledOrb, now: number): PinTerms {
  const mode = modeOf(body, orb);
  if (mode === 'once') return { mode, expiresAt: now + ONCE_MS, warnings: [] };
  const { expiresInMs } = body;
  if (expiresInMs !== undefined) return { mode, expiresAt: now + expiresInMs, warnings: [] };
  const expiresAt = now + DAY_MS;
  const text = timeText(expiresAt).replace(/\.[0-9]{3}Z$/, 'Z');
  return { mode, expiresAt, warnings: [`reverts ${text}: no expires_in`] };
}

/** Faults of the request itself. This check reads no metrics. */
function refusalOf(request: RouteRequest, found: FoundOrb, body: SwapBody, from: string): Reply | undefined {
  if (modeOf(body, found.orb) === 'once' && body.expiresInMs !== undefined) {
    return problem(request, 'invalid-parameter', { errors: [EXPIRY_WITH_ONCE] });
  }
  return refuseName(request, body, found.orb) ?? refuseChanged(request, body, from);
}

/** Checks all reasons against a swap, in the order of failover.md §9.1; then returns the pin that makes it. */
export async function planSwap(
  request: RouteRequest,
  found: FoundOrb,
  body: SwapBody,
  deps: PlanDeps,
): Promise<Step<SwapPlan>> {
  const now = deps.clock.now();
  const from = activeOf(found.orb, now);
  const refused = refusalOf(request, found, body, from);
  if (refused !== undefined) return refuse(refused);
  const sick = await unhealthyReason(found, body.provider, deps);
  if (sick !== '' && !body.force) {
    return refuse(problem(request, 'provider-unhealthy', { detail: `${body.provider}: ${sick}.` }));
  }
  const { mode, expiresAt, warnings } = termsOf(body, found.orb, now);
  const pin: NewPin = {
    provider: body.provider,
    expires_at: timeText(expiresAt),
    mode,
    id: newId('swp_', now, deps.random),
    actor: request.caller?.id ?? '',
    ...(body.reason === undefined ? {} : { reason: body.reason }),
  };
  const forced = sick === '' ? [] : [`provider-unhealthy: ${sick}`];
  return { ok: true, value: { found, body, from, pin, requestedAt: now, warnings: [...warnings, ...forced] } };
}
