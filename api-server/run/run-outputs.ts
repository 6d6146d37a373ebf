import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { AttemptResult } from './attempt.ts';
import { bytesOf } from './large-answer.ts';
import type { RunPlan } from './plan.ts';
import { withoutRedacted } from './policy-response.ts';
import type { RunPolicy } from './run-policy.ts';
import { commitBytes, commitJson, type Commitment } from './seal-run.ts';

/** Outputs of a run, as values or as bytes, and what its receipt commits to. */
export interface RunOutputs {
  readonly outputs: JsonObject | undefined;
  /** JSON of a large answer, in place of `outputs`. */
  readonly outputBytes: Uint8Array | undefined;
  readonly output: Commitment | undefined;
}

const NONE: RunOutputs = { outputs: undefined, outputBytes: undefined, output: undefined };

function noteHits(runtime: Runtime, { orb, runId }: RunPlan, hits: number): void {
  if (hits === 0) return;
  runtime.metrics.redactions(orb.namespace, orb.orbId, hits);
  if (runtime.echoWarnings.isDue(`${orb.namespace}/${orb.orbId}`))
    runtime.logger.warn('a provider echoed a secret', { run_id: runId, orb_id: orb.orbId, hits });
}

/**
 * Outputs for the caller: without known forms of a secret of this vault (security.md §5), and without what policies hide.
 * Another thread has redacted and written those of a large answer.
 * @param good undefined: the run failed
 */
export function runOutputs(
  runtime: Runtime,
  plan: RunPlan,
  good: AttemptResult | undefined,
  policy: RunPolicy | undefined,
): RunOutputs {
  if (good === undefined || !plan.orb.hasOutputs) return NONE;
  if (good.written !== undefined) {
    noteHits(runtime, plan, good.written.outputs?.hits ?? 0);
    const bytes = bytesOf(good.written, policy);
    return bytes === undefined
      ? NONE
      : { outputs: undefined, outputBytes: bytes.json, output: commitBytes(runtime, bytes.jcs) };
  }
  if (good.outputs === null) return NONE;
  const { value, hits } = good.redacted ?? plan.orbiset.redactor.json(good.outputs);
  noteHits(runtime, plan, hits);
  const outputs = isJsonObject(value) ? withoutRedacted(value, policy) : {};
  return { outputs, outputBytes: undefined, output: commitJson(runtime, outputs) };
}
