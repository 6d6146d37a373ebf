import { LedgerError, type RunStart } from '../../adapters/ledger/port.ts';
import { jcs } from '../../core/json/jcs.ts';
import { publishedFacts } from '../../core/run/published.ts';
import type { RunSeed } from '../../core/run/record.ts';
import { ledgerCode, problem } from '../http/problem.ts';
import { refuse, type Step } from '../http/route.ts';
import type { LiveRun } from '../runtime/runs-in-flight.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { replay } from './idempotency.ts';
import type { RunPlan } from './plan.ts';
import { policyRecord, startRows } from './policy-rows.ts';
import { observeDecisions, unapproved, type DeniedRun } from './run-policy.ts';
import { commitText, type Commitment } from './seal-run.ts';

/** A run between its start row and its answer. */
export interface Run {
  readonly plan: RunPlan;
  readonly seed: RunSeed;
  readonly live: LiveRun;
  /** base64url. */
  readonly inputSalt: string;
  /** Monotonic ms of the start. */
  readonly began: number;
}

/** What a seed is made of: a plan, or a run that policies denied. */
type Seeded = Pick<RunPlan, 'runId' | 'orb' | 'orbiset' | 'caller' | 'policy'>;

/** The parts of a run's receipt that are known at its start; the sweeper makes a receipt of them if the run is lost. */
export function seedOf(
  { clock, published }: Runtime,
  { runId, orb, orbiset, caller, policy }: Seeded,
  { record }: Commitment,
): RunSeed {
  return {
    run_id: runId,
    tenant: orbiset.namespace,
    orb_id: orb.orbId,
    orb_namespace: orb.namespace,
    manifest_digest: orb.digest,
    irreversible: orb.effect === 'irreversible',
    slo_ms: orb.sloMs,
    ...publishedFacts(orb, orbiset.namespace, published),
    anonymous: caller === undefined,
    has_inputs: orb.hasInputs,
    has_outputs: orb.hasOutputs,
    input: record,
    started_at: policy?.startedAt ?? clock.now(),
    ...(policy === undefined ? {} : { policy: policyRecord(policy) }),
  };
}

/** The row of a start. @param isStarted false: policies denied the run */
export const startRow = (
  runtime: Runtime,
  plan: Pick<RunPlan, 'runId' | 'orbiset' | 'claim' | 'timeoutMs' | 'policy'>,
  seed: RunSeed,
  isStarted: boolean,
): RunStart => ({
  runId: seed.run_id,
  tenant: seed.tenant,
  startedAt: seed.started_at,
  deadlineAt: seed.started_at + plan.timeoutMs,
  owner: runtime.settings.owner,
  seed: JSON.stringify(seed),
  ...(plan.claim === undefined ? {} : { idempotency: plan.claim }),
  ...(plan.policy === undefined
    ? {}
    : {
        policy: startRows(plan.policy, { ...plan, factsDigest: seed.policy?.record.facts_digest ?? '' }, isStarted),
      }),
});

/** Another run used up the approval meanwhile: the run is denied as if there had been none. */
interface Unapproved {
  readonly ok: false;
  readonly denied: DeniedRun;
}

function withoutApprovals(plan: RunPlan): DeniedRun {
  if (plan.policy === undefined) throw new TypeError('only a run with policies uses approvals');
  return { ...plan, policy: unapproved(plan.policy) };
}

/**
 * Starts a run: its deadline begins, and its row is written.
 * @returns the answer when the ledger can't store the row, or stored one with this `Idempotency-Key` before: nothing
 *   is sent then, and the run is over
 */
export async function startRun(runtime: Runtime, plan: RunPlan): Promise<Step<Run> | Unapproved> {
  const input = commitText(runtime, plan.policy?.inputText ?? jcs(plan.inputs));
  const seed = seedOf(runtime, plan, input);
  const began = runtime.clock.monotonic();
  const live = runtime.inFlight.begin(plan.orbiset.fullName, plan.orb, plan.timeoutMs);
  let started = false;
  try {
    const result = await runtime.ledger.startRun(startRow(runtime, plan, seed, true));
    if (result.kind === 'idempotent') return refuse(replay(plan, result.entry));
    if (result.kind === 'grant-used') return { ok: false, denied: withoutApprovals(plan) };
    started = true;
    if (plan.policy !== undefined) observeDecisions(runtime, plan.policy.phases);
    return { ok: true, value: { plan, seed, live, inputSalt: input.salt, began } };
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    runtime.logger.error('a run could not be started', { run_id: plan.runId, error });
    return refuse(problem(plan, ledgerCode(error)));
  } finally {
    if (!started) live.end();
  }
}
