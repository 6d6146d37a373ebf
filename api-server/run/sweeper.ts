import type { OverdueRun } from '../../adapters/ledger/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { parseRunSeed, type RunSeed } from '../../core/run/record.ts';
import { problem } from '../http/problem.ts';
import { receiptRow, sealRun, summaryOf, type SealedRun } from './seal-run.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** A run is closed this long after its deadline (trust.md §1.5). */
const GRACE_MS = 60_000;
const INTERVAL_MS = 15_000;
const BATCH = 100;
/** Rows of policies that are erased in one transaction: some milliseconds, in which runs wait for the writer. */
const ERASED_AT_ONCE = 500;
/** Bounds the time of one sweep after a long pause. Steady, it is enough for 2 000 runs a second. */
const MOST_ERASURES = 60;

function closedAnswer(sealed: SealedRun): string {
  const { record } = sealed;
  const run = { run_id: record.execution.run_id, status: 'failed', attempts: [], receipt: summaryOf(record, true) };
  const reply = problem({ requestId: record.execution.run_id }, 'run-closed', {
    extensions: { run, maybe_executed: true },
  });
  return JSON.stringify({ status: reply.status, headers: reply.headers, body: reply.body });
}

function sealLostRun(runtime: Runtime, seed: RunSeed): SealedRun {
  const finishedAt = runtime.clock.now();
  return sealRun(runtime, seed, {
    outcome: 'platform_error',
    closedBy: 'sweeper',
    attempts: [],
    output: null,
    outputsComplete: false,
    exception: false,
    caller: seed.anonymous ? 'anonymous' : 'unknown',
    durationMs: Math.max(0, finishedAt - seed.started_at),
    clockStepped: false,
    finishedAt,
  });
}

async function closeRun(runtime: Runtime, overdue: OverdueRun): Promise<void> {
  const raw: unknown = JSON.parse(overdue.seed);
  const seed = isJsonObject(raw) ? parseRunSeed(raw) : undefined;
  if (seed === undefined) throw new TypeError(`run ${overdue.runId} has no readable seed`);
  const sealed = sealLostRun(runtime, seed);
  const { runId, tenant } = overdue;
  const result = await runtime.ledger.finishRun({
    runId,
    tenant,
    receipt: receiptRow(sealed),
    answer: closedAnswer(sealed),
  });
  if (result.kind === 'closed') return;
  await runtime.selfCheck.check(sealed.jws);
  runtime.metrics.run('platform_error', sealed.record.execution.duration_ms / 1000);
  runtime.logger.warn('a lost run was closed', { run_id: runId, receipt_id: sealed.record.receipt_id });
}

/** Erases records of policies whose time is over, in slices. */
async function erasePolicyRecords({ ledger, clock, settings }: Runtime): Promise<void> {
  const { decisionsMs, replaysMs } = settings.policyRetention;
  const now = clock.now();
  const due = { decisionsBefore: now - decisionsMs, replaysBefore: now - replaysMs, limit: ERASED_AT_ONCE };
  for (let slice = 0; slice < MOST_ERASURES; slice += 1)
    if ((await ledger.erasePolicyRecords(due)) < ERASED_AT_ONCE) return;
}

/** The result of one sweep. The next sweep begins with the runs that could not be closed. */
export interface SweepResult {
  readonly closed: number;
  readonly stuck: number;
}

/**
 * Writes the receipt of every run whose process was lost: `platform_error`, closed by the sweeper (trust.md §1.5).
 * One bad row never stops the others. Then erases what is kept for a time only.
 * @param stuck how many runs the last sweep could not close: this sweep reads as many more
 */
export async function sweep(runtime: Runtime, stuck = 0): Promise<SweepResult> {
  const overdue = await runtime.ledger.overdueRuns(runtime.clock.now() - GRACE_MS, BATCH + stuck);
  let closed = 0;
  for (const run of overdue) {
    try {
      await closeRun(runtime, run);
      closed += 1;
    } catch (error) {
      runtime.logger.error('an overdue run could not be closed', { run_id: run.runId, error });
    }
  }
  await runtime.ledger.eraseExpired(runtime.clock.now());
  await erasePolicyRecords(runtime);
  return { closed, stuck: overdue.length - closed };
}

/** Sweeps at start and every 15 s until `signal` aborts. */
export async function sweepUntil(runtime: Runtime, signal: AbortSignal): Promise<void> {
  let stuck = 0;
  while (!signal.aborted) {
    try {
      const swept = await sweep(runtime, stuck);
      stuck = swept.stuck;
      if (swept.closed >= BATCH) continue;
      await runtime.clock.sleep(INTERVAL_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      runtime.logger.error('sweep failed', { error });
      await runtime.clock.sleep(INTERVAL_MS, signal).catch(() => undefined);
    }
  }
}
