import { LedgerError, type IdempotencyClaim } from '../../../adapters/ledger/port.ts';
import { ledgerCode, problem } from '../../http/problem.ts';
import { LONG_BYTES } from '../../http/long-body.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { admit, refuseQuota, takeRate } from '../../run/admit.ts';
import { refuseKey, unlessAnonymous } from '../../run/authorise.ts';
import { callProviders } from '../../run/call-providers.ts';
import { denyRun } from '../../run/deny.ts';
import { withDeprecation } from '../../run/deprecation.ts';
import { finishRun, storeReceipt } from '../../run/finish.ts';
import { replay } from '../../run/idempotency.ts';
import { parseRequest, type ParsedRequest } from '../../run/parse.ts';
import { shareOf, type RunPlan } from '../../run/plan.ts';
import { planRun, resolveRun, type Planned } from '../../run/resolve.ts';
import { approvalsOf, asksForApproval, countRun, type Approval, type DeniedRun } from '../../run/run-policy.ts';
import { startRun } from '../../run/start.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { dryRun } from './dry-run.ts';
import { executeOperation } from './operation.ts';

/** The answer of an earlier request with the same key. An anonymous request gets its own only when it starts. */
async function earlierAnswer(
  { ledger }: Runtime,
  request: RouteRequest,
  { orbiset, dryRun: isDry }: ParsedRequest,
  claim: IdempotencyClaim,
): Promise<Reply | undefined> {
  if (isDry || request.caller === undefined) return undefined;
  const entry = await ledger.idempotent(orbiset.namespace, claim);
  return entry === undefined ? undefined : replay(request, entry);
}

/** A fault of the request is answered first. Only a caller that could have a run learns about the quota. */
const wrongOr = (full: Reply, resolved: ReturnType<typeof resolveRun>): Reply => (resolved.ok ? full : resolved.reply);

/** After a long body was read, other tenants have their turn before its run is planned. */
const leaveTurn = (request: RouteRequest): Promise<void> | undefined =>
  request.body.length > LONG_BYTES ? request.longTurn() : undefined;

/**
 * From a request to its answer. Each step returns what the next step needs, or the answer that ends the request: parse,
 * authorise, resolve and decide, and for a run `executePlan`, or `recordDenied` when policies deny it.
 */
async function execute(runtime: Runtime, request: RouteRequest): Promise<Reply> {
  const parsed = parseRequest(runtime, request);
  if (!parsed.ok) return unlessAnonymous(request, parsed.reply);

  await leaveTurn(request);
  const refused = refuseKey(request, parsed.value.orbId);
  if (refused !== undefined) return refused;
  const { claim } = parsed.value;
  const before = claim && (await earlierAnswer(runtime, request, parsed.value, claim));
  if (before !== undefined) return before;

  if (parsed.value.dryRun) {
    const resolved = resolveRun(runtime, request, parsed.value);
    return resolved.ok ? dryRun(runtime, request, resolved.value, parsed.value) : resolved.reply;
  }
  const full = await refuseQuota(runtime, request, parsed.value.orbiset.namespace);
  if (full !== undefined) return wrongOr(full, resolveRun(runtime, request, parsed.value));
  const planned = planOf(runtime, request, parsed.value, []);
  if (planned.ok) return executePlan(runtime, request, planned.value);
  return 'denied' in planned ? executeDenied(runtime, request, parsed.value, planned.denied) : planned.reply;
}

/**
 * Resolves a request and plans its run. Nothing waits from the Orbiset to the rendered requests: Orbiset, vault, Orb and
 * policies are of the same moment.
 */
function planOf(
  runtime: Runtime,
  request: RouteRequest,
  parsed: ParsedRequest,
  approvals: readonly Approval[],
): Planned {
  const resolved = resolveRun(runtime, request, parsed);
  if (!resolved.ok) return resolved;
  const { claim, debug } = parsed;
  return planRun(runtime, request, resolved.value, { claim, debug, approvals });
}

/** Records a run that policies denied. It takes tokens like every run, except of its Orb, which is not called. */
async function recordDenied(
  runtime: Runtime,
  request: RouteRequest,
  denied: DeniedRun,
  asked: Pick<ParsedRequest, 'claim'>,
): Promise<Reply> {
  const admitted = takeRate(runtime, request, denied.orbiset, undefined);
  if (!admitted.ok) return admitted.reply;
  const { giveBack, addHeaders } = admitted.value;
  try {
    return addHeaders(await denyRun(runtime, request, denied, asked));
  } catch (error) {
    giveBack();
    throw error;
  }
}

/** A run that policies denied. One that waits for an approval is planned again when there is one; else it is recorded. */
async function executeDenied(
  runtime: Runtime,
  request: RouteRequest,
  parsed: ParsedRequest,
  denied: DeniedRun,
): Promise<Reply> {
  if (!asksForApproval(denied.policy)) return recordDenied(runtime, request, denied, parsed);
  const approvals = await approvalsOf(runtime, denied.policy);
  const planned = planOf(runtime, request, parsed, approvals);
  if (planned.ok) return executePlan(runtime, request, planned.value);
  return 'denied' in planned ? recordDenied(runtime, request, planned.denied, parsed) : planned.reply;
}

/** One run: admit, start, call, finish, answer. A durable start, then a signed and durable end (trust.md §1.5). */
async function executePlan(runtime: Runtime, request: RouteRequest, plan: RunPlan): Promise<Reply> {
  const uncount = countRun(runtime, plan.policy);
  const admitted = admit(runtime, request, plan);
  if (!admitted.ok) {
    uncount();
    return admitted.reply;
  }
  const { giveBack, addHeaders } = admitted.value;

  const started = await startRun(runtime, plan);
  if (!started.ok) {
    uncount();
    giveBack();
    return 'denied' in started ? recordDenied(runtime, request, started.denied, plan) : addHeaders(started.reply);
  }
  const run = started.value;
  try {
    const share = shareOf(plan);
    // The ledger confirms many starts at once, and providers answer many calls at once: short pieces share the loop best.
    const calls = await runtime.turns.run(share, () => callProviders(runtime, run));
    const finished = await runtime.turns.run(share, () => finishRun(runtime, run, calls));
    const reply = await storeReceipt(runtime, finished); // with the answer, which is written meanwhile
    return withDeprecation(runtime, plan, addHeaders(reply));
  } finally {
    run.live.end();
  }
}

/** `POST /orbisets/{id}/execute` (spec §4.1, design.md §3): one run, one receipt. */
export const executeRoute = (runtime: Runtime): Route => ({
  method: 'post',
  path: '/orbisets/{id}/execute',
  scope: 'orbs:execute',
  ...(runtime.settings.standalone ? { anonymous: 'maybe' as const } : {}),
  sheds: true,
  accepts: 'application/json',
  operation: executeOperation,
  handle: async (request) => {
    try {
      return await execute(runtime, request);
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      runtime.logger.error('the ledger is unavailable', { request_id: request.requestId, error });
      return problem(request, ledgerCode(error));
    }
  },
});
