import { LedgerError } from '../../../adapters/ledger/port.ts';
import { newId } from '../../../core/receipt/ids.ts';
import type { CompiledOrb } from '../../../core/orb/compiled-orb.ts';
import type { CompiledOrbiset } from '../../../core/orb/orbiset.ts';
import { ledgerCode, problem } from '../../http/problem.ts';
import type { ProblemCode } from '../../http/problems.ts';
import { QueryReader } from '../../http/query.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { orbisetRef } from '../../http/tenant.ts';
import { slotKeys } from '../../run/call-providers.ts';
import { dryRun } from './dry-run.ts';
import { claimOf, malformedKey, replay, type ClaimOf } from '../../run/idempotency.ts';
import { executeOperation } from './operation.ts';
import {
  checkInputs,
  chooseProviders,
  findOrb,
  unauthenticatedReply,
  refuseKey,
  unlessAnonymous,
  type ResolvedRun,
  type Step,
} from '../../run/plan-run.ts';
import type { RunPlan } from '../../run/plan.ts';
import { parseExecute, type ExecuteBody } from '../../run/request.ts';
import { executeRun } from '../../run/run.ts';
import type { Runtime } from '../../runtime/runtime.ts';

/** Options in the query. */
interface RunOptions {
  readonly dryRun: boolean;
  readonly debug: boolean;
}

/** A misspelt `dry_run` must not send a mail: unknown parameters and other values are refused. */
function runOptionsOf(request: RouteRequest): Step<RunOptions> {
  const query = new QueryReader(request.query, ['dry_run', 'debug']);
  const read = query.result({ dryRun: query.flag('dry_run'), debug: query.flag('debug') });
  return read.ok ? read : { ok: false, reply: problem(request, 'invalid-parameter', { errors: read.errors }) };
}

function findOrbiset(runtime: Runtime, request: RouteRequest): Step<CompiledOrbiset> {
  const ref = orbisetRef(request.params['id'] ?? '', request.caller);
  const orbiset = ref === undefined ? undefined : runtime.catalog.orbiset(ref.namespace, ref.name);
  return orbiset === undefined
    ? { ok: false, reply: problem(request, 'orbiset-not-found', {}) }
    : { ok: true, value: orbiset };
}

// A dry run shows names of the vault, so it needs a key.
const isOpen = (runtime: Runtime, orb: CompiledOrb, options: RunOptions): boolean =>
  runtime.settings.standalone && orb.anonymous && !options.dryRun;

/** The code that refuses every run of the Orbiset or of the Orb. */
function refusalOf(runtime: Runtime, orbiset: CompiledOrbiset, orb: CompiledOrb): ProblemCode | undefined {
  if (orbiset.suspended) return 'orbiset-suspended';
  if (orbiset.asksForPolicies) return 'policy-unavailable';
  return runtime.switches.refusal(orb.namespace, orb.orbId);
}

/** A request with all data that is known before its Orb is looked up. */
interface ParsedRequest {
  readonly request: RouteRequest;
  readonly options: RunOptions;
  readonly orbiset: CompiledOrbiset;
  readonly body: ExecuteBody;
  readonly claim: ClaimOf;
}

/**
 * Resolves the parts of a request that need no vault: Orb and inputs. Without a key only an open Orb is visible. Its
 * faults are then reported like those of a request with a key.
 */
function resolveRun(runtime: Runtime, { request, options, orbiset, body }: ParsedRequest): Step<ResolvedRun> {
  const orb = findOrb(runtime, request, orbiset, body.orbId);
  if (!orb.ok) return { ok: false, reply: unlessAnonymous(request, orb.reply) };
  if (request.caller === undefined && !isOpen(runtime, orb.value, options))
    return { ok: false, reply: unauthenticatedReply(request) };
  const refused = refusalOf(runtime, orbiset, orb.value);
  if (refused !== undefined) return { ok: false, reply: problem(request, refused, {}) };
  const inputs = checkInputs(request, orb.value, body);
  return inputs.ok ? { ok: true, value: { orbiset, orb: orb.value, inputs: inputs.value } } : inputs;
}

const smallest = (...limits: (number | undefined)[]): number =>
  Math.min(...limits.filter((limit) => limit !== undefined));

function timeoutOf(runtime: Runtime, orbiset: CompiledOrbiset, manifestMs: number): number {
  return smallest(runtime.settings.maxTimeoutMs, orbiset.limits.timeoutMs, manifestMs);
}

/** Checks the limits before a run is started. A refused request leaves no trace. */
function admit(runtime: Runtime, request: RouteRequest, plan: RunPlan): Reply | undefined {
  const { orbiset } = plan;
  const limit = orbiset.limits.inFlight;
  const inFlight = runtime.inFlight.count(`${orbiset.namespace}.${orbiset.name}`);
  if (limit !== undefined && inFlight >= limit) {
    return problem(request, 'rate-limited', {
      detail: `The Orbiset allows ${limit} runs in flight.`,
      headers: { 'retry-after': '1' },
    });
  }
  if (plan.eligible.every((ready) => runtime.slots.full(slotKeys(plan.orb, ready))))
    return problem(request, 'overloaded', { headers: { 'retry-after': '1' } });
  return runtime.selfCheck.failed ? problem(request, 'signing-misconfigured', {}) : undefined;
}

/**
 * Starts the run unless the rate of the Orbiset is used up. Only requests for a run count. A dry run, a stored answer
 * or a request that another limit refused does not count. A run that could not start returns its token.
 */
async function startWithinRate(runtime: Runtime, request: RouteRequest, plan: RunPlan): Promise<Reply> {
  const { namespace, name, limits } = plan.orbiset;
  const perSecond = limits.ratePerSecond;
  if (perSecond === undefined) return (await executeRun(runtime, plan)).reply;
  const orbiset = `${namespace}.${name}`;
  const { allowed, headers } = runtime.rates.take(orbiset, perSecond, runtime.clock.monotonic());
  if (!allowed) {
    return problem(request, 'rate-limited', { detail: `The Orbiset allows ${perSecond} runs a second.`, headers });
  }
  const { reply, started } = await executeRun(runtime, plan);
  if (!started) runtime.rates.giveBack(orbiset);
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

/** The answer of an earlier request with the same key. An anonymous request gets its own only when it starts. */
async function earlier(
  runtime: Runtime,
  { request, orbiset, claim, options }: ParsedRequest,
): Promise<Reply | undefined> {
  if (claim.kind !== 'claim' || options.dryRun || request.caller === undefined) return undefined;
  const { path, key } = claim.claim;
  const entry = await runtime.ledger.idempotent(orbiset.namespace, path, key);
  return entry === undefined ? undefined : replay(request, claim.claim, entry);
}

async function start(runtime: Runtime, parsedRequest: ParsedRequest, resolved: ResolvedRun): Promise<Reply> {
  const { request, options, claim } = parsedRequest;
  const { orbiset, orb, inputs } = resolved;
  const runId = newId('run_', runtime.clock.now(), runtime.random);
  const chosen = chooseProviders(runtime, request, resolved, runId);
  if (!chosen.ok) return chosen.reply;
  const [first] = chosen.value;
  const plan: RunPlan = {
    runId,
    requestId: request.requestId,
    traceparent: request.traceparent,
    orbiset,
    orb,
    inputs,
    eligible: chosen.value,
    caller: request.caller,
    timeoutMs: timeoutOf(runtime, orbiset, first.provider.timeoutMs),
    claim: claim.kind === 'claim' ? claim.claim : undefined,
    debug: runtime.settings.standalone && request.caller !== undefined && options.debug,
  };
  return admit(runtime, request, plan) ?? startWithinRate(runtime, request, plan);
}

function tooLarge(request: RouteRequest, orbiset: CompiledOrbiset): Reply | undefined {
  const limit = orbiset.limits.requestBytes;
  if (limit === undefined || request.body.length <= limit) return undefined;
  return problem(request, 'body-too-large', {
    detail: `The Orbiset allows ${limit} bytes (spec.limits.request_bytes).`,
  });
}

/** Parses a request without looking at Orbs. The caller of this function hides faults from anonymous requests. */
function parseRequest(runtime: Runtime, request: RouteRequest): Step<ParsedRequest> {
  const options = runOptionsOf(request);
  if (!options.ok) return options;
  const orbiset = findOrbiset(runtime, request);
  if (!orbiset.ok) return orbiset;
  const refused = tooLarge(request, orbiset.value);
  if (refused !== undefined) return { ok: false, reply: refused };
  const claim = claimOf(runtime, request, orbiset.value);
  if (claim.kind === 'malformed') return { ok: false, reply: malformedKey(request) };
  const parsed = parseExecute(request);
  if (!parsed.ok) return parsed;
  const limited = refuseKey(request, parsed.body.orbId);
  if (limited !== undefined) return { ok: false, reply: limited };
  return { ok: true, value: { request, options: options.value, orbiset: orbiset.value, body: parsed.body, claim } };
}

/**
 * Reads the Orbiset again. During the call to the ledger it may have been suspended, and the values of its vault
 * overwritten. From here to the rendered request nothing waits.
 */
function rereadOrbiset(runtime: Runtime, parsedRequest: ParsedRequest): Step<ParsedRequest> {
  const { namespace, name } = parsedRequest.orbiset;
  const orbiset = runtime.catalog.orbiset(namespace, name);
  return orbiset === undefined
    ? { ok: false, reply: problem(parsedRequest.request, 'orbiset-not-found', {}) }
    : { ok: true, value: { ...parsedRequest, orbiset } };
}

async function execute(runtime: Runtime, request: RouteRequest): Promise<Reply> {
  const parsedRequest = parseRequest(runtime, request);
  if (!parsedRequest.ok) return unlessAnonymous(request, parsedRequest.reply);
  const before = await earlier(runtime, parsedRequest.value);
  if (before !== undefined) return before;
  const current = rereadOrbiset(runtime, parsedRequest.value);
  if (!current.ok) return unlessAnonymous(request, current.reply);
  const resolved = resolveRun(runtime, current.value);
  if (!resolved.ok) return resolved.reply;
  return current.value.options.dryRun
    ? dryRun(runtime, request, resolved.value)
    : start(runtime, current.value, resolved.value);
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
      return problem(request, ledgerCode(error), {});
    }
  },
});
