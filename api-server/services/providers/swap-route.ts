import { LedgerError, type IdempotencyClaim, type Ledger } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import type { Sha256 } from '../../../core/json/digest.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { claimAt, malformedKey, replay, type ClaimOf } from '../../run/idempotency.ts';
import { awaitSwap, type SwapState } from './await-swap.ts';
import { pinStoreUnavailable } from './pin-store-unavailable.ts';
import { swapOperation } from './operations.ts';
import {
  activeOf,
  findOrb,
  ownerWarnings,
  pinInForce,
  pinOrNull,
  pinView,
  timeText,
  type FindingCatalog,
} from './orb-state.ts';
import { planSwap, type PlanDeps, type SwapPlan } from './plan-swap.ts';
import type { PinStore } from '../../providers/port.ts';
import { parseSwap } from './swap-body.ts';
import { failoverPinOf } from '../../../core/failover/pin.ts';
import type { FailoverPin } from '../../../core/failover/types.ts';

export interface SwapDeps extends PlanDeps {
  readonly catalog: FindingCatalog;
  readonly pins: PinStore;
  readonly ledger: Pick<Ledger, 'idempotent' | 'keepAnswer' | 'openIncidents'>;
  readonly clock: Clock;
  readonly sha256: Sha256;
  readonly logger: Pick<Logger, 'warn'>;
}

type Status = 'completed' | 'unchanged' | 'dry_run' | 'accepted';

interface Outcome {
  readonly status: Status;
  readonly active: string;
  readonly replaced: FailoverPin | undefined;
  readonly warnings: readonly string[];
  readonly receiptId?: string | undefined;
  readonly completedAt: number | null;
}

function answer({ found, from, pin, requestedAt, warnings }: SwapPlan, outcome: Outcome): Reply {
  const { receiptId } = outcome;
  const value: JsonObject = {
    swap_id: pin.id,
    orb_id: found.place.orbId,
    status: outcome.status,
    from,
    provider: pin.provider,
    active_provider: outcome.active,
    pin: pin.mode === 'once' ? null : pinView(failoverPinOf(pin)),
    replaced_pin: pinOrNull(outcome.replaced),
    warnings: [...warnings, ...outcome.warnings],
    receipt: receiptId === undefined ? null : { receipt_id: receiptId, status: 'pending' },
    requested_at: timeText(requestedAt),
    completed_at: outcome.completedAt === null ? null : timeText(outcome.completedAt),
  };
  const reply = json(value);
  return outcome.status === 'accepted' ? { ...reply, status: 202 } : reply;
}

/**
 * The pin in force, if it equals the requested one: same provider, mode, reason and actor. Its end may differ by a
 * hundredth of the requested duration. Example: a request that is repeated some seconds later has an end some seconds
 * later.
 */
function equalPin({ found, pin, requestedAt }: SwapPlan, now: number): FailoverPin | undefined {
  const there = pinInForce(found.orb, now);
  const wanted = failoverPinOf(pin);
  if (there === undefined) return undefined;
  const isSame =
    there.provider === wanted.provider &&
    there.mode === wanted.mode &&
    there.reason === wanted.reason &&
    there.actor === wanted.actor;
  const isNear = Math.abs(there.expiresAt - wanted.expiresAt) <= (wanted.expiresAt - requestedAt) / 100;
  return isSame && isNear ? there : undefined;
}

/** Answers without a write: a dry run, and a swap that was made already. */
function replyWithoutWrite(plan: SwapPlan, now: number): Reply | undefined {
  const { orb } = plan.found;
  const equal = equalPin(plan, now);
  const replaced = equal === undefined ? pinInForce(orb, now) : undefined;
  const outcome = { active: activeOf(orb, now), replaced, warnings: [], completedAt: null };
  if (plan.body.dryRun) return answer(plan, { ...outcome, status: 'dry_run' });
  if (equal === undefined || outcome.active !== plan.pin.provider) return undefined;
  const kept = { ...plan, pin: { ...plan.pin, id: equal.id, expires_at: timeText(equal.expiresAt) } };
  return answer(kept, { ...outcome, status: 'unchanged', completedAt: now });
}

async function write(plan: SwapPlan, request: RouteRequest, deps: SwapDeps): Promise<Reply> {
  const { pins, catalog, clock } = deps;
  const set = await pins.set(plan.found.place, plan.pin);
  if (set.kind === 'gone') return problem(request, 'orb-not-found');
  if (set.kind === 'away') return pinStoreUnavailable(request, set);
  const shown: SwapState = await awaitSwap(plan, { catalog, clock }, request.signal);
  return answer(plan, {
    status: shown.at === null ? 'accepted' : 'completed',
    active: shown.active,
    replaced: set.replaced,
    warnings: ownerWarnings(set.owners),
    receiptId: shown.receiptId,
    completedAt: shown.at,
  });
}

/**
 * Keeps the answer under the key after the change was made. A crash in between leaves a key without an answer, and the
 * same request then sets the same pin again.
 */
async function keep(
  reply: Reply,
  { tenant, claim, requestId }: { tenant: string; claim: IdempotencyClaim; requestId: string },
  { ledger, logger }: SwapDeps,
): Promise<Reply> {
  const { status, headers, body } = reply;
  try {
    const kept = { requestId, answer: JSON.stringify({ status, headers, body: String(body) }) };
    const earlier = await ledger.keepAnswer(tenant, claim, kept);
    return earlier === undefined ? reply : replay({ requestId }, earlier);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    logger.warn('the answer to a swap was not kept', { request_id: requestId, error });
    return reply;
  }
}

/** Requests of this process whose key has no answer yet. */
type Running = Set<string>;

interface Claimed {
  readonly tenant: string;
  readonly claim: IdempotencyClaim;
}

async function once(
  claimed: Claimed,
  request: RouteRequest,
  deps: SwapDeps,
  make: () => Promise<Reply>,
): Promise<Reply> {
  const { tenant, claim } = claimed;
  const earlier = await deps.ledger.idempotent(tenant, claim);
  if (earlier !== undefined) return replay(request, earlier);
  const reply = await make();
  // A refusal changed nothing, so the same request may be repeated.
  return reply.status >= 400 ? reply : keep(reply, { tenant, claim, requestId: request.requestId }, deps);
}

async function swap(request: RouteRequest, deps: SwapDeps, running: Running): Promise<Reply> {
  const found = findOrb(deps.catalog, request);
  if (!found.ok) return found.reply;
  const { namespace, orbId } = found.value.place;
  const claim: ClaimOf = claimAt(deps, request, `/providers/${namespace}/${orbId}/swap`);
  if (claim.kind === 'malformed') return malformedKey(request);
  const body = parseSwap(request);
  if (!body.ok) return body.reply;
  const make = async (): Promise<Reply> => {
    const plan = await planSwap(request, found.value, body.value, deps);
    if (!plan.ok) return plan.reply;
    return replyWithoutWrite(plan.value, deps.clock.now()) ?? write(plan.value, request, deps);
  };
  if (claim.kind === 'none' || body.value.dryRun) return make();
  const place = JSON.stringify([namespace, claim.claim.path, claim.claim.key]);
  if (running.has(place)) return problem(request, 'idempotency-in-progress');
  running.add(place);
  try {
    return await once({ tenant: namespace, claim: claim.claim }, request, deps, make);
  } finally {
    running.delete(place);
  }
}

/** `POST /providers/{orb_id}/swap` (failover.md §9.1): a manual swap. It sets a pin, except in the mode `once`. */
export function swapRoute(deps: SwapDeps): Route {
  const running: Running = new Set();
  return {
    method: 'post',
    path: '/providers/{orb_id}/swap',
    scope: 'providers:swap',
    accepts: 'application/json',
    operation: swapOperation,
    handle: (request) => swap(request, deps, running),
  };
}
