import type { Clock } from '../../time/clock.ts';
import type { GroupCommit } from '../group-commit.ts';
import type { LogGate } from '../port.ts';
import type { SignedCheckpoint } from '../tables/checkpoints.ts';
import type { RowResult } from '../tables/table.ts';
import type { WriteRow } from '../tables/tables.ts';

// Signed within 1 s of growth, at most four times a second (trust.md §2.3).
const PERIOD_MS = 250;

export interface CheckpointDeps {
  readonly clock: Clock;
  readonly queue: Pick<GroupCommit<WriteRow, RowResult>, 'add'>;
  readonly onCheckpoint: ((checkpoint: SignedCheckpoint) => void) | undefined;
  readonly gate: Pick<LogGate, 'refusal'>;
}

/** Has a grown log signed, in one group with other waiting rows. */
export class CheckpointSchedule {
  readonly #deps: CheckpointDeps;
  readonly #stopped = new AbortController();
  /** True from growth until its checkpoint is committed. */
  #due = false;
  #waiting = false;

  constructor(deps: CheckpointDeps) {
    this.#deps = deps;
  }

  /** Must be called after each commit. */
  grown(size: number, checkpointed: number): void {
    this.#due = size > checkpointed;
    if (!this.#due || this.#waiting || this.#stopped.signal.aborted) return;
    this.#waiting = true;
    void this.#signWhileDue();
  }

  /** Signs the log, if the gate allows it, and resolves when the checkpoint is committed. */
  async sign(): Promise<void> {
    if (this.#deps.gate.refusal() !== undefined) return;
    const result = await this.#deps.queue.add(['checkpoint']);
    if (typeof result !== 'object' || result?.[0] !== 'signed') return;
    this.#deps.onCheckpoint?.({ size: result[1], note: result[2] });
  }

  stop(): void {
    this.#stopped.abort();
  }

  /**
   * Never rejects: a failed checkpoint stays due, and the callers of the other rows in its group were given the error.
   */
  async #signWhileDue(): Promise<void> {
    try {
      while (this.#due && this.#deps.gate.refusal() === undefined) {
        await this.#deps.clock.sleep(PERIOD_MS, this.#stopped.signal);
        await this.sign().catch(() => undefined);
      }
    } catch {
      // stopped: closing signs the last checkpoint
    }
    this.#waiting = false;
  }
}
