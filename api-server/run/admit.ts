import { problem } from '../http/problem.ts';
import { refuse, type Reply, type RouteRequest, type Step } from '../http/route.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { slotKeys } from './call-providers.ts';
import type { RunPlan } from './plan.ts';

/** Limits that count nothing. A refused request leaves no trace. */
function refuseLoad(runtime: Runtime, request: RouteRequest, { orb, orbiset, eligible }: RunPlan): Reply | undefined {
  const { inFlight } = orbiset.limits;
  if (inFlight !== undefined && runtime.inFlight.count(orbiset.fullName) >= inFlight) {
    return problem(request, 'rate-limited', {
      detail: `The Orbiset allows ${inFlight} runs in flight.`,
      headers: { 'retry-after': '1' },
    });
  }
  const { slots } = runtime;
  if (!slots.hasRoom && !eligible.some((ready) => slots.free(slotKeys(orb, ready))))
    return problem(request, 'overloaded', { headers: { 'retry-after': '1' } });
  return runtime.selfCheck.failed ? problem(request, 'signing-misconfigured') : undefined;
}

/** What an admitted run does with the rate of its Orbiset. */
export interface Admitted {
  /** Returns the token of a run that did not start. */
  readonly giveBack: () => void;
  readonly addHeaders: (reply: Reply) => Reply;
}

const WITHOUT_RATE: Step<Admitted> = {
  ok: true,
  value: { giveBack: () => undefined, addHeaders: (reply) => reply },
};

/**
 * Takes a token of the Orbiset's rate. Each run takes one, also a run that policies deny: its record is a transaction of
 * the ledger and a signature, so without the rate a caller could fill the ledger as fast as it sends.
 */
export function takeRate(
  runtime: Runtime,
  request: RouteRequest,
  { fullName, limits }: RunPlan['orbiset'],
): Step<Admitted> {
  const { ratePerSecond } = limits;
  if (ratePerSecond === undefined) return WITHOUT_RATE;
  const { allowed, headers } = runtime.rates.take(fullName, ratePerSecond, runtime.clock.monotonic());
  if (!allowed) {
    const detail = `The Orbiset allows ${ratePerSecond} runs a second.`;
    return refuse(problem(request, 'rate-limited', { detail, headers }));
  }
  const giveBack = (): void => runtime.rates.giveBack(fullName);
  const addHeaders = (reply: Reply): Reply => ({ ...reply, headers: { ...reply.headers, ...headers } });
  return { ok: true, value: { giveBack, addHeaders } };
}

/**
 * Checks the limits, and takes a token of the Orbiset's rate last. Only requests for a run count. A dry run, a stored
 * answer or a request that another limit refused does not count.
 */
export function admit(runtime: Runtime, request: RouteRequest, plan: RunPlan): Step<Admitted> {
  const refused = refuseLoad(runtime, request, plan);
  return refused === undefined ? takeRate(runtime, request, plan.orbiset) : refuse(refused);
}
