import type { OrbId } from '../../core/manifest/orb-id.ts';

/** Why a run in flight was stopped by the platform (security.md S30). */
export type KillCode = 'orbiset-suspended' | 'orb-suspended' | 'egress-stopped';

/** An Orb as kill switches name it. */
export interface RunningOrb {
  readonly namespace: string;
  readonly orbId: OrbId;
  /** Digest of its manifest; absent: it is not known here. */
  readonly digest?: string;
}

const timedOut = (): DOMException => new DOMException('deadline', 'TimeoutError');

/**
 * One run between its start row and its answer. It has one `setTimeout`: `AbortSignal.timeout` costs ten times as much
 * (performance.md §4).
 */
export class LiveRun {
  readonly orb: RunningOrb;
  /** Aborted at the deadline, and by a kill switch. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #deadline: NodeJS.Timeout;
  readonly #onEnd: (run: LiveRun) => void;
  #killed: KillCode | undefined;

  constructor(orb: RunningOrb, timeoutMs: number, onEnd: (run: LiveRun) => void) {
    this.orb = orb;
    this.signal = this.#controller.signal;
    this.#deadline = setTimeout(() => this.#controller.abort(timedOut()), timeoutMs);
    this.#onEnd = onEnd;
  }

  /** The code of the kill switch that ended the run. */
  killed(): KillCode | undefined {
    return this.#killed;
  }

  kill(code: KillCode): void {
    this.#killed ??= code;
    this.#controller.abort(new DOMException(code, 'AbortError'));
  }

  /** Must be called when the run is over: it clears the deadline. */
  end(): void {
    clearTimeout(this.#deadline);
    this.#onEnd(this);
  }
}

function killAll(runs: readonly LiveRun[], code: KillCode): number {
  for (const run of runs) run.kill(code);
  return runs.length;
}

/** The runs of this process: their count per Orbiset, and a way to stop them. */
export class RunsInFlight {
  readonly #byOrbiset = new Map<string, Set<LiveRun>>();

  /** @param orbiset `namespace.name` */
  count(orbiset: string): number {
    return this.#byOrbiset.get(orbiset)?.size ?? 0;
  }

  /** @param orbiset `namespace.name` @param timeoutMs total deadline of the run, from now */
  begin(orbiset: string, orb: RunningOrb, timeoutMs: number): LiveRun {
    const runs = this.#byOrbiset.get(orbiset) ?? this.#add(orbiset);
    const run = new LiveRun(orb, timeoutMs, (ended) => {
      runs.delete(ended);
      if (runs.size === 0 && this.#byOrbiset.get(orbiset) === runs) this.#byOrbiset.delete(orbiset);
    });
    runs.add(run);
    return run;
  }

  /** Stops every run of an Orbiset. Each still ends with a receipt. @returns how many */
  kill(orbiset: string, code: KillCode): number {
    return killAll([...(this.#byOrbiset.get(orbiset) ?? [])], code);
  }

  /** Stops every run of the Orbs that `matches`, of any Orbiset. @returns how many */
  killWhere(matches: (orb: RunningOrb) => boolean, code: KillCode): number {
    const runs = [...this.#byOrbiset.values()].flatMap((some) => [...some]);
    return killAll(
      runs.filter(({ orb }) => matches(orb)),
      code,
    );
  }

  #add(orbiset: string): Set<LiveRun> {
    const runs = new Set<LiveRun>();
    this.#byOrbiset.set(orbiset, runs);
    return runs;
  }
}
