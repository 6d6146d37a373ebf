import { LedgerError } from '../../adapters/ledger/port.ts';
import { newId } from '../../core/receipt/ids.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import { problem } from '../http/problems.ts';
import type { Reply, Route, RouteRequest } from '../http/route.ts';
import { orbisetRef } from '../http/tenant.ts';
import { dryRun } from './dry-run.ts';
import { claimOf, replay, type ClaimOf } from './idempotency.ts';
import { executeOperation } from './operation.ts';
import { checkInputs, chooseProvider, findOrb, hidden, unlessAnonymous, type Meaning, type Step } from './plan-run.ts';
import type { RunPlan } from './plan.ts';
import { parseExecute } from './request.ts';
import { executeRun, slotKeys } from './run.ts';
import type { Runtime } from './runtime.ts';

const flag = (request: RouteRequest, name: string): boolean => request.query.get(name) === 'true';

function findOrbiset(runtime: Runtime, request: RouteRequest): Step<CompiledOrbiset> {
  const ref = orbisetRef(request.params['id'] ?? '', request.caller);
  const orbiset = ref === undefined ? undefined : runtime.catalog.orbiset(ref.namespace, ref.name);
  return orbiset === undefined
    ? { ok: false, reply: problem(request, 'orbiset-not-found', {}) }
    : { ok: true, value: orbiset };
}

// What would be sent shows names of the vault: it takes a key.
const isOpen = (runtime: Runtime, request: RouteRequest, orb: CompiledOrb): boolean =>
  runtime.settings.standalone && orb.anonymous && !flag(request, 'dry_run');

/**
 * Everything about a request that needs no vault: who, where, which Orb, with what. Without a key only an open Orb is
 * known to be there, and it speaks plainly.
 */
function understand(runtime: Runtime, request: RouteRequest, orbiset: CompiledOrbiset): Step<Meaning> {
  const parsed = parseExecute(request);
  if (!parsed.ok) return { ok: false, reply: unlessAnonymous(request, parsed.reply) };
  const orb = findOrb(runtime, request, orbiset, parsed.body.orbId);
  if (!orb.ok) return { ok: false, reply: unlessAnonymous(request, orb.reply) };
  if (request.caller === undefined && !isOpen(runtime, request, orb.value))
    return { ok: false, reply: hidden(request) };
  if (orbiset.suspended) return { ok: false, reply: problem(request, 'orbiset-suspended', {}) };
  const inputs = checkInputs(request, orb.value, parsed.body);
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
  if (runtime.slots.full(slotKeys(plan))) return problem(request, 'overloaded', { headers: { 'retry-after': '1' } });
  return runtime.selfCheck.failed ? problem(request, 'signing-misconfigured', {}) : undefined;
}

async function earlier(
  runtime: Runtime,
  request: RouteRequest,
  orbiset: CompiledOrbiset,
  claim: ClaimOf,
): Promise<Reply | undefined> {
  if (claim.kind !== 'claim') return undefined;
  const { path, key } = claim.claim;
  const entry = await runtime.ledger.idempotent(orbiset.namespace, path, key);
  return entry === undefined ? undefined : replay(request, claim.claim, entry);
}

async function start(runtime: Runtime, request: RouteRequest, meaning: Meaning, claim: ClaimOf): Promise<Reply> {
  const { orbiset, orb, inputs } = meaning;
  const chosen = chooseProvider(runtime, request, meaning);
  if (!chosen.ok) return chosen.reply;
  const plan: RunPlan = {
    runId: newId('run_', runtime.clock.now(), runtime.random),
    requestId: request.requestId,
    traceparent: request.traceparent,
    orbiset,
    orb,
    inputs,
    ready: chosen.value,
    caller: request.caller,
    timeoutMs: timeoutOf(runtime, orbiset, chosen.value.provider.timeoutMs),
    claim: claim.kind === 'claim' ? claim.claim : undefined,
    debug: runtime.settings.standalone && request.caller !== undefined && flag(request, 'debug'),
  };
  return admit(runtime, request, plan) ?? executeRun(runtime, plan);
}

function tooLarge(request: RouteRequest, orbiset: CompiledOrbiset): Reply | undefined {
  const limit = orbiset.limits.requestBytes;
  if (limit === undefined || request.body.length <= limit) return undefined;
  return problem(request, 'body-too-large', { detail: `The Orbiset allows ${limit} bytes.` });
}

async function execute(runtime: Runtime, request: RouteRequest): Promise<Reply> {
  const found = findOrbiset(runtime, request);
  if (!found.ok) return unlessAnonymous(request, found.reply);
  const orbiset = found.value;
  const refused = tooLarge(request, orbiset);
  if (refused !== undefined) return unlessAnonymous(request, refused);
  const claim = claimOf(runtime, request, `/orbisets/${orbiset.namespace}.${orbiset.name}/execute`);
  if (claim.kind === 'malformed') {
    return unlessAnonymous(
      request,
      problem(request, 'invalid-parameter', {
        errors: [
          {
            header: 'Idempotency-Key',
            code: 'idempotency-key-malformed',
            detail: 'Idempotency-Key is 1 to 255 visible ASCII characters.',
          },
        ],
      }),
    );
  }
  const dry = flag(request, 'dry_run');
  const before = dry || request.caller === undefined ? undefined : await earlier(runtime, request, orbiset, claim);
  if (before !== undefined) return before;
  const meaning = understand(runtime, request, orbiset);
  if (!meaning.ok) return meaning.reply;
  return dry ? dryRun(runtime, request, meaning.value) : start(runtime, request, meaning.value, claim);
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
      return problem(request, 'ledger-unavailable', {});
    }
  },
});
