import { LedgerError } from '../../adapters/ledger/port.ts';
import { newId } from '../../core/receipt/ids.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import { ledgerCode, problem } from '../http/problem.ts';
import { QueryReader } from '../http/query.ts';
import type { Reply, Route, RouteRequest } from '../http/route.ts';
import { orbisetRef } from '../http/tenant.ts';
import { slotKeys } from './call-providers.ts';
import { dryRun } from './dry-run.ts';
import { claimOf, malformedKey, replay, type ClaimOf } from './idempotency.ts';
import { executeOperation } from './operation.ts';
import {
  checkInputs,
  chooseProviders,
  findOrb,
  hidden,
  refuseKey,
  unlessAnonymous,
  type Meaning,
  type Step,
} from './plan-run.ts';
import type { RunPlan } from './plan.ts';
import { parseExecute, type ExecuteBody } from './request.ts';
import { executeRun } from './run.ts';
import type { Runtime } from './runtime.ts';

/** What the query asks for. */
interface Wishes {
  readonly dryRun: boolean;
  readonly debug: boolean;
}

/** A misspelt `dry_run` must not send a mail: unknown parameters and other values are refused. */
function wishesOf(request: RouteRequest): Step<Wishes> {
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

// What would be sent shows names of the vault: it takes a key.
const isOpen = (runtime: Runtime, orb: CompiledOrb, wishes: Wishes): boolean =>
  runtime.settings.standalone && orb.anonymous && !wishes.dryRun;

/** A request with everything that was found out before its Orb was looked up. */
interface Asked {
  readonly request: RouteRequest;
  readonly wishes: Wishes;
  readonly orbiset: CompiledOrbiset;
  readonly body: ExecuteBody;
  readonly claim: ClaimOf;
}

/**
 * Everything about a request that needs no vault: who, where, which Orb, with what. Without a key only an open Orb is
 * known to be there, and it speaks plainly.
 */
function understand(runtime: Runtime, { request, wishes, orbiset, body }: Asked): Step<Meaning> {
  const orb = findOrb(runtime, request, orbiset, body.orbId);
  if (!orb.ok) return { ok: false, reply: unlessAnonymous(request, orb.reply) };
  if (request.caller === undefined && !isOpen(runtime, orb.value, wishes)) return { ok: false, reply: hidden(request) };
  const switched = orbiset.suspended
    ? 'orbiset-suspended'
    : runtime.switches.refusal(orb.value.namespace, orb.value.orbId);
  if (switched !== undefined) return { ok: false, reply: problem(request, switched, {}) };
  const inputs = checkInputs(request, orb.value, body);
  return inputs.ok ? { ok: true, value: { orbiset, orb: orb.value, inputs: inputs.value } } : inputs;
}

const smallest = (...limits: (number | undefined)[]): number =>
  Math.min(...limits.filter((limit) => limit !== undefined));

function timeoutOf(runtime: Runtime, orbiset: CompiledOrbiset, manifestMs: number): number {
  return smallest(runtime.settings.maxTimeoutMs, orbiset.limits.timeoutMs, manifestMs);
}

/** Limits that hold before a run is started; a refused request left nothing behind. */
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

/** The answer of an earlier request with the same key; an anonymous one learns of its own only when it starts. */
async function earlier(runtime: Runtime, { request, orbiset, claim, wishes }: Asked): Promise<Reply | undefined> {
  if (claim.kind !== 'claim' || wishes.dryRun || request.caller === undefined) return undefined;
  const { path, key } = claim.claim;
  const entry = await runtime.ledger.idempotent(orbiset.namespace, path, key);
  return entry === undefined ? undefined : replay(request, claim.claim, entry);
}

async function start(runtime: Runtime, asked: Asked, meaning: Meaning): Promise<Reply> {
  const { request, wishes, claim } = asked;
  const { orbiset, orb, inputs } = meaning;
  const runId = newId('run_', runtime.clock.now(), runtime.random);
  const chosen = chooseProviders(runtime, request, meaning, runId);
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
    debug: runtime.settings.standalone && request.caller !== undefined && wishes.debug,
  };
  return admit(runtime, request, plan) ?? executeRun(runtime, plan);
}

function tooLarge(request: RouteRequest, orbiset: CompiledOrbiset): Reply | undefined {
  const limit = orbiset.limits.requestBytes;
  if (limit === undefined || request.body.length <= limit) return undefined;
  return problem(request, 'body-too-large', { detail: `The Orbiset allows ${limit} bytes.` });
}

/** Reads a request as far as it goes without looking at Orbs; an anonymous one is told of no fault. */
function ask(runtime: Runtime, request: RouteRequest): Step<Asked> {
  const wishes = wishesOf(request);
  if (!wishes.ok) return wishes;
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
  return { ok: true, value: { request, wishes: wishes.value, orbiset: orbiset.value, body: parsed.body, claim } };
}

/**
 * The Orbiset as it is now: it may have been suspended, and the values of its vault overwritten, while the ledger was
 * asked. From here to the rendered request nothing waits.
 */
function stillThere(runtime: Runtime, asked: Asked): Step<Asked> {
  const { namespace, name } = asked.orbiset;
  const orbiset = runtime.catalog.orbiset(namespace, name);
  return orbiset === undefined
    ? { ok: false, reply: problem(asked.request, 'orbiset-not-found', {}) }
    : { ok: true, value: { ...asked, orbiset } };
}

async function execute(runtime: Runtime, request: RouteRequest): Promise<Reply> {
  const asked = ask(runtime, request);
  if (!asked.ok) return unlessAnonymous(request, asked.reply);
  const before = await earlier(runtime, asked.value);
  if (before !== undefined) return before;
  const current = stillThere(runtime, asked.value);
  if (!current.ok) return unlessAnonymous(request, current.reply);
  const meaning = understand(runtime, current.value);
  if (!meaning.ok) return meaning.reply;
  return current.value.wishes.dryRun
    ? dryRun(runtime, request, meaning.value)
    : start(runtime, current.value, meaning.value);
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
      runtime.logger.error('the ledger is away', { request_id: request.requestId, error });
      return problem(request, ledgerCode(error), {});
    }
  },
});
