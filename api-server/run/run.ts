import { LedgerError, type FinishResult, type RunFinish, type StoredReceipt } from '../../adapters/ledger/port.ts';
import { encodeBase64Url } from '../../core/json/base64.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import type { AttemptRecord, CommitmentRecord } from '../../core/receipt/record.ts';
import { decisiveAttempt, runEnd, type RunEnd, type RunProblemCode } from '../../core/attempts/classify.ts';
import type { RunEnding } from '../../core/run/record.ts';
import { ledgerCode, problem } from '../http/problem.ts';
import type { Reply } from '../http/route.ts';
import { recordOf, summaryOf as storedSummaryOf } from './receipt-summary.ts';
import { answerText, replyOf, storedText, type RunAnswer } from './answer.ts';
import type { AttemptResult } from './attempt.ts';
import { callProviders, type CallResults } from './call-providers.ts';
import { commitJson, receiptRow, sealRun, summaryOf, type SealedRun } from './ending.ts';
import { replay } from './idempotency.ts';
import type { RunPlan } from './plan.ts';
import { seedOf, startRun, type StartedRun } from './start.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The outcome of a run. */
interface EndedRun {
  readonly calls: CallResults;
  readonly end: RunEnd;
  /** The attempt that decides the end, except after a kill switch; undefined: there was no attempt. */
  readonly decisive: AttemptResult | undefined;
}

const withoutAttempt: Readonly<Record<CallResults['stop'], RunEnd>> = {
  unavailable: { outcome: 'orb_error', problem: 'providers-unavailable' },
  quota: { outcome: 'caller_error', problem: 'provider-rate-limited' },
  cut: { outcome: 'timeout', problem: 'provider-timeout' },
  failed: { outcome: 'orb_error', problem: 'provider-failed' },
};

/** How a run ends: by an attempt, by a kill switch, or because no provider could be called. */
function endOf(run: StartedRun, calls: CallResults): EndedRun {
  const killed = run.live.killed();
  const decisive = decisiveAttempt(calls.results);
  const stopped = calls.stop === 'cut' || calls.results.at(-1)?.exchange.kind !== 'answered';
  if (killed !== undefined && stopped) return { calls, decisive, end: { outcome: 'platform_error', problem: killed } };
  const end = decisive === undefined ? withoutAttempt[calls.stop] : runEnd(decisive.exchange, decisive.usedSecret);
  return { calls, decisive, end };
}

interface RedactedOutputs {
  readonly outputs: JsonObject;
  readonly salt: Uint8Array;
  readonly record: CommitmentRecord;
}

/** Outputs for the caller: they contain no known form of a secret of this vault (security.md §5). */
function redactOutputs(runtime: Runtime, plan: RunPlan, outputs: JsonObject): RedactedOutputs {
  const { value: clean, hits } = plan.orbiset.redactor.json(outputs);
  const value = isJsonObject(clean) ? clean : {};
  if (hits > 0) {
    runtime.metrics.redactions(plan.orb.namespace, plan.orb.orbId, hits);
    if (runtime.echoWarnings.isDue(`${plan.orb.namespace}/${plan.orb.orbId}`))
      runtime.logger.warn('a provider echoed a secret', { run_id: plan.runId, orb_id: plan.orb.orbId, hits });
  }
  const { salt, record } = commitJson(runtime, value);
  return { outputs: value, salt, record };
}

// The wall clock may be stepped during a run. A difference up to one second counts as slewing (trust.md §4, `slo`).
const STEP_MS = 1000;

const attemptsOf = ({ results }: CallResults): readonly AttemptRecord[] => results.map(({ record }) => record);

function conclude(runtime: Runtime, run: StartedRun, { calls, end, decisive }: EndedRun): RunEnding {
  const durationMs = Math.round(runtime.clock.monotonic() - run.began);
  const finishedAt = run.seed.started_at + durationMs;
  return {
    outcome: end.outcome,
    closedBy: 'runtime',
    attempts: attemptsOf(calls),
    output: null,
    outputsComplete: end.outcome === 'success' && decisive?.outputsComplete === true,
    exception: calls.results.some(({ exception }) => exception),
    caller: run.plan.caller?.standing() ?? 'anonymous',
    durationMs,
    clockStepped: Math.abs(runtime.clock.now() - finishedAt) > STEP_MS,
    finishedAt,
  };
}

function answerOf(
  run: StartedRun,
  { calls, end, decisive }: EndedRun,
  redacted: RedactedOutputs | undefined,
): Omit<RunAnswer, 'sealed'> {
  return {
    plan: run.plan,
    problem: end.outcome === 'success' ? undefined : end.problem,
    outputs: redacted?.outputs ?? {},
    openings: {
      input: { salt: encodeBase64Url(run.inputSalt) },
      ...(redacted === undefined ? {} : { output: { salt: encodeBase64Url(redacted.salt) } }),
    },
    attempt: decisive,
    maybeExecuted: calls.results.some(({ maybeExecuted }) => maybeExecuted),
    retryAfterMs: calls.retryAfterMs,
  };
}

type Settled = readonly [committed: FinishResult, good: boolean];

const finishRow = (run: StartedRun, sealed: SealedRun): RunFinish => ({
  runId: run.plan.runId,
  tenant: run.seed.tenant,
  receipt: receiptRow(sealed),
});

/** Commits and checks the receipt in parallel. The row is sent first, because it takes longer (performance.md §3.2). */
function commitAndCheck(runtime: Runtime, run: StartedRun, sealed: SealedRun): Promise<Settled> {
  const stored = runtime.ledger.finishRun(finishRow(run, sealed));
  return Promise.all([stored, runtime.selfCheck.check(sealed.jws)]);
}

/** With an `Idempotency-Key` the check comes first: a repeat must never show a bad receipt as good. */
async function checkAndCommit(runtime: Runtime, run: StartedRun, answer: RunAnswer): Promise<Settled> {
  const good = await runtime.selfCheck.check(answer.sealed.jws);
  const text = good ? answerText(answer) : storedText(misconfigured(run.plan, answer.sealed));
  return [await runtime.ledger.finishRun({ ...finishRow(run, answer.sealed), answer: text }), good];
}

function ledgerFailedReply(run: StartedRun, calls: CallResults, error: LedgerError): Reply {
  return problem(run.plan, ledgerCode(error), {
    detail: 'The run may have been executed; its receipt follows when the ledger is back.',
    extensions: {
      maybe_executed: true,
      run: { run_id: run.plan.runId, status: 'failed', attempts: attemptsOf(calls).map((one) => ({ ...one })) },
    },
  });
}

/** The receipt that another process wrote for this run. It is checked like any receipt that is read. */
const summaryOfStored = async (runtime: Runtime, stored: StoredReceipt): Promise<JsonObject> =>
  storedSummaryOf(stored, recordOf(stored.jws), await runtime.selfCheck.verifies(stored.jws));

async function runClosedReply(runtime: Runtime, run: StartedRun): Promise<Reply> {
  const stored = await runtime.ledger.receiptOfRun(run.seed.tenant, run.plan.runId);
  return problem(run.plan, 'run-closed', {
    extensions: {
      maybe_executed: true,
      run: {
        run_id: run.plan.runId,
        status: 'failed',
        attempts: [],
        ...(stored === undefined ? {} : { receipt: await summaryOfStored(runtime, stored) }),
      },
    },
  });
}

/** Outputs for the caller, with their commitment; undefined when there are no outputs. */
function outputsOf(runtime: Runtime, plan: RunPlan, { end, decisive }: EndedRun): RedactedOutputs | undefined {
  if (end.outcome !== 'success' || !plan.orb.hasOutputs || !decisive?.outputs) return undefined;
  return redactOutputs(runtime, plan, decisive.outputs);
}

async function settle(runtime: Runtime, run: StartedRun, answer: RunAnswer): Promise<Reply> {
  const { plan } = run;
  const [committed, good] =
    plan.claim === undefined
      ? await commitAndCheck(runtime, run, answer.sealed)
      : await checkAndCommit(runtime, run, answer);
  if (committed.kind === 'closed') return runClosedReply(runtime, run);
  observe(runtime, run, answer.sealed);
  if (good) return replyOf(answer);
  runtime.logger.error('a receipt does not verify with the published key: no more runs are started', {
    run_id: plan.runId,
  });
  return misconfigured(plan, answer.sealed);
}

async function finish(runtime: Runtime, run: StartedRun, calls: CallResults): Promise<Reply> {
  const { plan } = run;
  const ended = endOf(run, calls);
  const redacted = outputsOf(runtime, plan, ended);
  const ending = { ...conclude(runtime, run, ended), output: redacted?.record ?? null };
  const sealed = sealRun(runtime, run.seed, ending);
  try {
    return await settle(runtime, run, { ...answerOf(run, ended, redacted), sealed });
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    runtime.logger.error('the receipt of a run could not be stored', { run_id: plan.runId, error });
    return ledgerFailedReply(run, calls, error);
  }
}

function misconfigured(plan: RunPlan, sealed: SealedRun): Reply {
  const code: RunProblemCode = 'signing-misconfigured';
  const attempts = sealed.record.execution.attempts.map((attempted) => ({ ...attempted }));
  const shown = { run_id: plan.runId, status: 'failed', attempts, receipt: summaryOf(sealed.record, false) };
  return problem(plan, code, { extensions: { run: shown, maybe_executed: true } });
}

/**
 * Counts every run in the metrics. The log has a line at `info` only for a run that did not complete. A completed run
 * has its receipt, and a line costs more than its Merkle leaf (performance.md §2).
 */
function observe(runtime: Runtime, run: StartedRun, sealed: SealedRun): void {
  const { execution, orb } = sealed.record;
  runtime.metrics.run(execution.outcome, execution.duration_ms / 1000);
  const level = execution.outcome === 'success' ? 'debug' : 'info';
  runtime.logger[level]('run', {
    run_id: execution.run_id,
    request_id: run.plan.requestId,
    orb_id: orb.id,
    orbiset: `${run.plan.orbiset.namespace}.${run.plan.orbiset.name}`,
    caller: run.plan.caller?.id ?? 'anonymous',
    outcome: execution.outcome,
    duration_ms: execution.duration_ms,
    provider: execution.attempts.at(-1)?.provider ?? run.plan.eligible[0].provider.name,
    receipt_id: sealed.record.receipt_id,
  });
}

/** The answer to a planned run. */
interface ExecutedRun {
  readonly reply: Reply;
  /** False: no row was written. The answer is a stored one, or a refusal with its reason. */
  readonly started: boolean;
}

/** Executes a planned run: durable start, its attempts, signed and durable end (trust.md §1.5). */
export async function executeRun(runtime: Runtime, plan: RunPlan): Promise<ExecutedRun> {
  const { salt, record } = commitJson(runtime, plan.inputs);
  const seed = seedOf(runtime, plan, record);
  const began = runtime.clock.monotonic();
  const live = runtime.inFlight.begin(
    { orbiset: `${plan.orbiset.namespace}.${plan.orbiset.name}`, orb: plan.orb },
    plan.timeoutMs,
  );
  try {
    const start = await startRun(runtime, plan, seed);
    if ('status' in start) return { reply: start, started: false };
    if (start.kind === 'idempotent') return { reply: replay(plan, plan.claim, start.entry), started: false };
    const started: StartedRun = { plan, seed, live, inputSalt: salt, began };
    return { reply: await finish(runtime, started, await callProviders(runtime, started)), started: true };
  } finally {
    live.end();
  }
}
