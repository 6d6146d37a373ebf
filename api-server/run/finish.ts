import {
  LedgerError,
  type FinishResult,
  type IdempotencyClaim,
  type RunFinish,
  type StoredReceipt,
} from '../../adapters/ledger/port.ts';
import type { LogFields } from '../../adapters/telemetry/port.ts';
import { decisiveAttempt, endWithoutAttempt, runEnd, type RunEnd } from '../../core/attempts/classify.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { AttemptRecord } from '../../core/receipt/record.ts';
import type { RunEnding } from '../../core/run/record.ts';
import { ledgerCode, problem } from '../http/problem.ts';
import type { Reply } from '../http/route.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { answer, answerText, misconfigured, storedText } from './answer.ts';
import type { AttemptResult, CallerLimit } from './attempt.ts';
import type { CallResults } from './call-providers.ts';
import { explained, isUnsent } from './failure-text.ts';
import type { FinishedRun } from './finished-run.ts';
import { finishRows, hidesBody, reviewAnswer } from './policy-response.ts';
import { recordOf, summaryOf as storedSummaryOf } from './receipt-summary.ts';
import type { RunPolicy } from './run-policy.ts';
import { runOutputs } from './run-outputs.ts';
import { receiptRow, sealRunUnderLoad } from './seal-run.ts';
import type { Run } from './start.ts';

/** The provider's answer was one that policies do not let in: its score counts no failure. */
const NOT_LET_IN: RunEnd = { outcome: 'caller_error', problem: 'provider-failed' };

/** The provider had less time than the Orb declares, by a limit of Orbiset or policies: its score counts no failure. */
const CUT_SHORT: RunEnd = { outcome: 'caller_error', problem: 'provider-timeout' };

const endByLimit: Readonly<Record<CallerLimit, RunEnd>> = {
  restrictHosts: NOT_LET_IN,
  maxResponseBytes: NOT_LET_IN,
  timeoutMs: CUT_SHORT,
};

/** How a run ends: by an attempt, by a kill switch, or because no provider could be called. */
function endOf(run: Run, { results, stop }: CallResults, decisive: AttemptResult | undefined): RunEnd {
  const killed = run.live.killed();
  if (killed !== undefined && (stop === 'cut' || results.at(-1)?.exchange.kind !== 'answered'))
    return { outcome: 'platform_error', problem: killed };
  if (decisive === undefined)
    return stop === 'cut' && run.plan.shortenedBy !== undefined ? CUT_SHORT : endWithoutAttempt[stop];
  const { endedBy, exchange, usedSecret } = decisive;
  return endedBy === undefined ? runEnd(exchange, usedSecret) : endByLimit[endedBy];
}

/** The provider was called, and policies keep its answer back. */
const WITHHELD: { readonly end: RunEnd; readonly good: undefined } = {
  end: { outcome: 'policy_denied', problem: 'policy-denied' },
  good: undefined,
};

const problemOf = (end: RunEnd): FinishedRun['problem'] => (end.outcome === 'success' ? undefined : end.problem);

const NOTHING_MISSING: readonly string[] = [];

/**
 * Outputs that the answer lacks. A value that has a type is never null. What policies hide is not among them: whether
 * the provider sent it is hidden too.
 */
function missingOutputs(good: AttemptResult | undefined, policy: RunPolicy | undefined): readonly string[] {
  if (good === undefined || good.outputsComplete) return NOTHING_MISSING;
  const hidden = policy?.bound.redactResponse ?? [];
  const { outputs, written } = good;
  if (outputs === null) return (written?.outputs?.missing ?? NOTHING_MISSING).filter((name) => !hidden.includes(name));
  return Object.keys(outputs).filter((name) => outputs[name] === null && !hidden.includes(name));
}

// The wall clock may be stepped during a run. A difference up to one second counts as slewing (trust.md §4, `slo`).
const STEP_MS = 1000;

const attemptsOf = ({ results }: CallResults): readonly AttemptRecord[] => results.map(({ record }) => record);

/** Each attempt with its reason, which stands in no receipt. */
const explainedAttempts = ({ results }: CallResults): readonly JsonObject[] =>
  results.map(({ record, cause }) => explained(record, cause));

/** The facts of the end that don't depend on the outputs. */
function conclude(
  { clock }: Runtime,
  run: Run,
  calls: CallResults,
  { outcome }: RunEnd,
): Omit<RunEnding, 'output' | 'outputsComplete'> {
  const durationMs = Math.round(clock.monotonic() - run.began);
  const finishedAt = run.seed.started_at + durationMs;
  return {
    outcome,
    closedBy: 'runtime',
    attempts: attemptsOf(calls),
    exception: calls.results.some(({ exception }) => exception),
    caller: run.plan.caller?.standing() ?? 'anonymous',
    durationMs,
    clockStepped: Math.abs(clock.now() - finishedAt) > STEP_MS,
    finishedAt,
  };
}

/** Decides how a run ended and whether its outputs may leave, redacts them, and signs its receipt. Nothing is stored yet. */
export async function finishRun(runtime: Runtime, run: Run, calls: CallResults): Promise<FinishedRun> {
  const decisive = decisiveAttempt(calls.results);
  const found = endOf(run, calls, decisive);
  const answered = found.outcome === 'success' ? decisive : undefined;
  const review = reviewAnswer(runtime, run, answered);
  const { end, good } = review.denied === undefined ? { end: found, good: answered } : WITHHELD;
  const { outputs, outputBytes, output } = runOutputs(runtime, run.plan, good, review.policy);
  const sealed = await sealRunUnderLoad(runtime, run.seed, {
    ...conclude(runtime, run, calls, end),
    ...review.record,
    output: output?.record ?? null,
    outputsComplete: good?.outputsComplete === true,
  });
  return {
    run,
    calls,
    replica: runtime.settings.owner,
    problem: problemOf(end),
    decisive,
    outputs,
    outputBytes,
    missingOutputs: missingOutputs(good, review.policy),
    outputSalt: output?.salt,
    sealed,
    denied: review.denied,
    hidesBody: hidesBody(review),
    policyRows: review.policy && finishRows(runtime, run, review.policy, sealed),
  };
}

/** The answer is undefined when the receipt does not verify. */
type Settled = readonly [committed: FinishResult, answer: Reply | undefined];

const finishRow = ({ run, sealed, policyRows }: FinishedRun): RunFinish => ({
  runId: run.plan.runId,
  tenant: run.seed.tenant,
  receipt: receiptRow(sealed),
  ...(policyRows === undefined ? {} : { policy: policyRows }),
});

async function checkAndAnswer({ selfCheck }: Runtime, finished: FinishedRun): Promise<Reply | undefined> {
  const { jws, fits } = finished.sealed;
  return (fits ?? (await selfCheck.check(jws))) ? answer(finished) : undefined;
}

/**
 * Commits the receipt, and checks it and writes the answer meanwhile. The row is sent first, because it takes longer
 * (performance.md §3.2).
 */
function commitAndCheck(runtime: Runtime, finished: FinishedRun): Promise<Settled> {
  return Promise.all([runtime.ledger.finishRun(finishRow(finished)), checkAndAnswer(runtime, finished)]);
}

/** The answer of a run that sent nothing is not kept: a repeat is a new run. */
async function checkAndFree(runtime: Runtime, finished: FinishedRun): Promise<Settled> {
  return Promise.all([
    runtime.ledger.finishRun({ ...finishRow(finished), freesKey: true }),
    checkAndAnswer(runtime, finished),
  ]);
}

/** With an `Idempotency-Key` the check comes first: a repeat must never show a bad receipt as good. */
async function checkAndCommit(runtime: Runtime, finished: FinishedRun): Promise<Settled> {
  const good = await checkAndAnswer(runtime, finished);
  const text = good === undefined ? storedText(misconfigured(finished)) : answerText(finished);
  return [await runtime.ledger.finishRun({ ...finishRow(finished), answer: text }), good];
}

function settleBy(claim: IdempotencyClaim | undefined, { calls }: FinishedRun): typeof commitAndCheck {
  if (claim === undefined) return commitAndCheck;
  return isUnsent(calls) ? checkAndFree : checkAndCommit;
}

function ledgerFailedReply({ run: { plan }, calls }: FinishedRun, error: LedgerError): Reply {
  return problem(plan, ledgerCode(error), {
    detail: 'The run may have been executed; its receipt follows when the ledger is back.',
    extensions: {
      maybe_executed: true,
      run: { run_id: plan.runId, status: 'failed', attempts: explainedAttempts(calls) },
    },
  });
}

/** The receipt that another process wrote for this run. It is checked like any receipt that is read. */
const summaryOfStored = async ({ selfCheck }: Runtime, stored: StoredReceipt): Promise<JsonObject> =>
  storedSummaryOf(stored, recordOf(stored.jws), await selfCheck.verifies(stored.jws));

async function runClosedReply(runtime: Runtime, { plan, seed }: Run): Promise<Reply> {
  const stored = await runtime.ledger.receiptOfRun(seed.tenant, plan.runId);
  const receipt = stored === undefined ? {} : { receipt: await summaryOfStored(runtime, stored) };
  const run = { run_id: plan.runId, status: 'failed', attempts: [], ...receipt };
  return problem(plan, 'run-closed', { extensions: { maybe_executed: true, run } });
}

/**
 * Counts every run in the metrics. The log has a line at `info` only for a run that did not complete. A completed run
 * has its receipt, and a line costs more than its Merkle leaf (performance.md §2). The line holds why attempts failed,
 * beside the ids of run and receipt: neither receipt nor ledger holds it.
 */
function observe({ metrics, logger }: Runtime, { run: { plan }, sealed: { record }, calls }: FinishedRun): void {
  const { execution, orb } = record;
  metrics.run(execution.outcome, execution.duration_ms / 1000);
  const fields = (): LogFields => ({
    run_id: execution.run_id,
    request_id: plan.requestId,
    orb_id: orb.id,
    orbiset: plan.orbiset.fullName,
    caller: plan.caller?.id ?? 'anonymous',
    outcome: execution.outcome,
    duration_ms: execution.duration_ms,
    provider: execution.attempts.at(-1)?.provider ?? plan.eligible[0].provider.name,
    receipt_id: record.receipt_id,
    attempts: explainedAttempts(calls),
  });
  if (execution.outcome === 'success') logger.debug('run', fields);
  else logger.info('run', fields());
}

/**
 * Commits the receipt and checks its signature.
 * @returns the answer of the run: another one when commit or check failed, or when the sweeper closed the run before
 */
export async function storeReceipt(runtime: Runtime, finished: FinishedRun): Promise<Reply> {
  const { run } = finished;
  const { runId: run_id, claim } = run.plan;
  try {
    const [committed, good] = await settleBy(claim, finished)(runtime, finished);
    if (committed.kind === 'closed') return await runClosedReply(runtime, run);
    observe(runtime, finished);
    if (good !== undefined) return good;
    runtime.logger.error('a receipt does not verify with the published key: no more runs are started', { run_id });
    return misconfigured(finished);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    runtime.logger.error('the receipt of a run could not be stored', { run_id, error });
    return ledgerFailedReply(finished, error);
  }
}
