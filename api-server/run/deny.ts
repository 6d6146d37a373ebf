import type { JsonObject } from '../../core/json/json-value.ts';
import { problem } from '../http/problem.ts';
import type { Reply, RouteRequest } from '../http/route.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { runView, storedText } from './answer.ts';
import { replay } from './idempotency.ts';
import type { ParsedRequest } from './parse.ts';
import { denialOptions } from './policy-answer.ts';
import { violationRows } from './policy-rows.ts';
import { observeDecisions, type DeniedRun } from './run-policy.ts';
import { commitText, receiptRow, sealRun, type SealedRun } from './seal-run.ts';
import { seedOf, startRow } from './start.ts';

/** A denied run ends when it begins: nothing is waited for. */
const NO_TIME_MS = 0;

function reply(request: RouteRequest, { policy, orbiset }: DeniedRun, sealed: SealedRun, openings: JsonObject): Reply {
  const options = denialOptions(policy, orbiset);
  const run = runView({ sealed }, { status: 'denied', isValid: true });
  return problem(request, 'policy-denied', { ...options, extensions: { ...options.extensions, run, ...openings } });
}

function observe({ metrics, logger }: Runtime, { requestId, caller }: RouteRequest, denied: DeniedRun): void {
  const { runId, orb, orbiset, policy } = denied;
  metrics.run('policy_denied', NO_TIME_MS);
  logger.info('run', {
    run_id: runId,
    request_id: requestId,
    orb_id: orb.orbId,
    orbiset: orbiset.fullName,
    caller: caller?.id ?? 'anonymous',
    outcome: 'policy_denied',
    decision_id: policy.decisionId,
  });
}

/**
 * Records a run that policies denied, and answers 403: no provider was called. Start and end are one transaction, with
 * the receipt (policy.md §3.1).
 */
export async function denyRun(
  runtime: Runtime,
  request: RouteRequest,
  denied: DeniedRun,
  { claim }: Pick<ParsedRequest, 'claim'>,
): Promise<Reply> {
  const { selfCheck, ledger } = runtime;
  if (selfCheck.failed) return problem(request, 'signing-misconfigured');
  const input = commitText(runtime, denied.policy.inputText);
  const run = { ...denied, caller: request.caller, claim, timeoutMs: NO_TIME_MS };
  const seed = seedOf(runtime, run, input);
  const sealed = sealRun(runtime, seed, {
    outcome: 'policy_denied',
    closedBy: 'runtime',
    attempts: [],
    exception: false,
    caller: request.caller?.standing() ?? 'anonymous',
    durationMs: NO_TIME_MS,
    clockStepped: false,
    finishedAt: seed.started_at,
    output: null,
    outputsComplete: false,
  });
  if (!(await selfCheck.check(sealed.jws))) return problem(request, 'signing-misconfigured');
  const violations = violationRows(runtime, denied.policy, sealed);
  const result = await ledger.recordRun(startRow(runtime, run, seed, false), {
    runId: denied.runId,
    tenant: seed.tenant,
    receipt: receiptRow(sealed),
    ...(claim === undefined ? {} : { answer: storedText(reply(request, denied, sealed, {})) }),
    ...(violations.length === 0 ? {} : { policy: { facts: [], violations } }),
  });
  if (result.kind === 'idempotent') return replay(request, result.entry);
  if (result.kind === 'grant-used') throw new TypeError('a denied run uses no approval');
  observeDecisions(runtime, denied.policy.phases);
  observe(runtime, request, denied);
  return reply(request, denied, sealed, { openings: { input: { salt: input.salt } } });
}
