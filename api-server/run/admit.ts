import { problem } from '../http/problem.ts';
import { rateProblem } from '../http/rate-problem.ts';
import { refuse, type Reply, type RouteRequest, type Step } from '../http/route.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { slotKeys } from './call-providers.ts';
import { shareOf, type RunPlan } from './plan.ts';

/** Limits that count nothing. A refused request leaves no trace. */
function refuseLoad(runtime: Runtime, request: RouteRequest, plan: RunPlan): Reply | undefined {
  const { orb, orbiset, eligible } = plan;
  const { inFlight } = orbiset.limits;
  if (inFlight !== undefined && runtime.inFlight.count(orbiset.fullName) >= inFlight) {
    return problem(request, 'rate-limited', {
      detail: `The Orbiset allows ${inFlight} runs in flight.`,
      headers: { 'retry-after': '1' },
      extensions: { limit: 'orbiset' },
    });
  }
  const { slots } = runtime;
  const share = shareOf(plan);
  if (!slots.hasRoom(share) && !eligible.some((ready) => slots.free(share, slotKeys(orb, ready))))
    return problem(request, 'overloaded', { headers: { 'retry-after': '1' } });
  return runtime.selfCheck.failed ? problem(request, 'signing-misconfigured') : undefined;
}

/**
 * Refuses a run of a tenant that has its quota of the ledger. It is asked before the run, also before one that policies
 * deny: both would write a receipt. A run that began is never refused its receipt.
 * @returns undefined: the run may start, or there is no quota
 */
export async function refuseQuota(
  { settings: { ledgerQuotaBytes }, ledger }: Runtime,
  request: RouteRequest,
  tenant: string,
): Promise<Reply | undefined> {
  if (ledgerQuotaBytes === 0) return undefined;
  const { bytes } = await ledger.tenantUsage(tenant);
  if (bytes < ledgerQuotaBytes) return undefined;
  const detail = `The tenant has ${bytes} bytes in the ledger and may have ${ledgerQuotaBytes} (--ledger-quota, in the chart api.ledgerQuota).`;
  return problem(request, 'quota-exceeded', { detail });
}

/** What an admitted run does with the rates that it took tokens of. */
export interface Admitted {
  /** Returns the tokens of a run that did not start. */
  readonly giveBack: () => void;
  readonly addHeaders: (reply: Reply) => Reply;
}

/**
 * Takes a token of each rate that holds for the run. Each run takes them, also a run that policies deny: its record is a
 * transaction of the ledger and a signature, so without rates a caller could fill the ledger as fast as it sends.
 * @param orb undefined: policies denied the run, so it calls no provider
 */
export function takeRate(
  runtime: Runtime,
  request: RouteRequest,
  { fullName, namespace, limits }: RunPlan['orbiset'],
  orb: RunPlan['orb'] | undefined,
): Step<Admitted> {
  const run = {
    orbiset: fullName,
    ratePerSecond: limits.ratePerSecond,
    tenant: namespace,
    orb: orb && `${orb.namespace}/${orb.orbId}`,
  };
  const verdict = runtime.rates.take(run, runtime.clock.monotonic());
  if (!verdict.allowed) return refuse(rateProblem(request, verdict));
  const { headers, giveBack } = verdict;
  const addHeaders = (reply: Reply): Reply => ({ ...reply, headers: { ...reply.headers, ...headers } });
  return { ok: true, value: { giveBack, addHeaders } };
}

/**
 * Checks the limits, and takes tokens of the rates last. Only requests for a run count. A dry run, a stored answer or a
 * request that another limit refused does not count.
 */
export function admit(runtime: Runtime, request: RouteRequest, plan: RunPlan): Step<Admitted> {
  const refused = refuseLoad(runtime, request, plan);
  return refused === undefined ? takeRate(runtime, request, plan.orbiset, plan.orb) : refuse(refused);
}
