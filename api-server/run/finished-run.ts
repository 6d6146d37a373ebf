import type { RunProblemCode } from '../../core/attempts/classify.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { AttemptResult } from './attempt.ts';
import type { RunFinish } from '../../adapters/ledger/port.ts';
import type { CallResults } from './call-providers.ts';
import type { SealedRun } from './seal-run.ts';
import type { RunPolicy } from './run-policy.ts';
import type { Run } from './start.ts';

/** A run that is over, with its signed receipt. */
export interface FinishedRun {
  readonly run: Run;
  readonly calls: CallResults;
  /** Instance name of this process. */
  readonly replica: string;
  /** Undefined: the run succeeded. */
  readonly problem: RunProblemCode | undefined;
  /** The attempt that decides the end, except after a kill switch; undefined: there was no attempt. */
  readonly decisive: AttemptResult | undefined;
  /** For the caller: redacted. Undefined: the Orb has no outputs, or the run failed. */
  readonly outputs: JsonObject | undefined;
  /** JSON of the outputs of a large answer, in place of `outputs`. */
  readonly outputBytes: Uint8Array | undefined;
  /** Names of outputs that are null because the provider's answer lacks them; mostly empty. */
  readonly missingOutputs: readonly string[];
  /** base64url. */
  readonly outputSalt: string | undefined;
  readonly sealed: SealedRun;
  /** What policies decided when they withheld the answer; else undefined. */
  readonly denied: RunPolicy | undefined;
  /** Policies keep the answer back, or outputs of it: its body must not be shown. */
  readonly hidesBody: boolean;
  /** What the answer adds to the record of the decision; undefined: nothing. */
  readonly policyRows: RunFinish['policy'];
}
