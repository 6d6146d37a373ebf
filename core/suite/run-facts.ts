import type { JsonObject } from '../json/json-value.ts';
import type { RunOutcome } from '../receipt/record.ts';
import type { RunStatus } from '../run/run-status.ts';
import type { RenderedRequest } from '../template/rendered-request.ts';

/** How a run of a case ended, whether it was simulated or real. */
export interface RunFacts {
  readonly status: RunStatus;
  readonly outcome: RunOutcome;
  /** Null unless the run completed. */
  readonly outputs: JsonObject | null;
  /** The request of the first attempt; undefined for a real run. */
  readonly request: RenderedRequest | undefined;
  readonly attempts: number;
  /** The provider of the last attempt; undefined without an attempt. */
  readonly activeProvider: string | undefined;
  readonly executionMs: number;
}
