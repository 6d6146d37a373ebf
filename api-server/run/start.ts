import { LedgerError, type RunStart, type StartResult } from '../../adapters/ledger/port.ts';
import type { CommitmentRecord } from '../../core/receipt/record.ts';
import type { RunSeed } from '../../core/run/record.ts';
import { ledgerCode, problem } from '../http/problem.ts';
import type { Reply } from '../http/route.ts';
import type { LiveRun } from '../runtime/runs-in-flight.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { RunPlan } from './plan.ts';

/** A run between its start row and its answer. */
export interface StartedRun {
  readonly plan: RunPlan;
  readonly seed: RunSeed;
  readonly live: LiveRun;
  readonly inputSalt: Uint8Array;
  /** Monotonic ms of the start. */
  readonly began: number;
}

/** The parts of a run's receipt that are known at its start; the sweeper makes a receipt of them if the run is lost. */
export function seedOf(runtime: Runtime, plan: RunPlan, input: CommitmentRecord): RunSeed {
  const { orb, orbiset } = plan;
  return {
    run_id: plan.runId,
    tenant: orbiset.namespace,
    orb_id: orb.orbId,
    orb_namespace: orb.namespace,
    manifest_digest: orb.digest,
    irreversible: orb.irreversible,
    slo_ms: orb.sloMs,
    self: orb.namespace === orbiset.namespace,
    anonymous: plan.caller === undefined,
    has_inputs: orb.hasInputs,
    has_outputs: orb.hasOutputs,
    input,
    started_at: runtime.clock.now(),
  };
}

function startRow(runtime: Runtime, plan: RunPlan, seed: RunSeed): RunStart {
  return {
    runId: plan.runId,
    tenant: seed.tenant,
    startedAt: seed.started_at,
    deadlineAt: seed.started_at + plan.timeoutMs,
    owner: runtime.settings.owner,
    seed: JSON.stringify(seed),
    ...(plan.claim === undefined ? {} : { idempotency: plan.claim }),
  };
}

/** Writes the start row. @returns a problem when the ledger can't store it: nothing is sent then */
export async function startRun(runtime: Runtime, plan: RunPlan, seed: RunSeed): Promise<StartResult | Reply> {
  try {
    return await runtime.ledger.startRun(startRow(runtime, plan, seed));
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    runtime.logger.error('a run could not be started', { run_id: plan.runId, error });
    return problem(plan, ledgerCode(error), {});
  }
}
