import type { OrbId } from '../../core/manifest/orb-id.ts';

/** Why a run in flight was stopped by the platform (security.md S30). */
export type KillCode = 'orbiset-suspended' | 'orb-suspended' | 'egress-stopped';

/** The Orbiset and the Orb of a run. */
export interface RunTarget {
  /** `namespace.name`. */
  readonly orbiset: string;
  readonly orb: { readonly namespace: string; readonly orbId: OrbId };
}

/** One run between its start row and its answer. */
export interface LiveRun {
  readonly signal: AbortSignal;
  /** The code of the kill switch that ended the run. */
  readonly killed: () => KillCode | undefined;
  /** Must be called once, when the run is over: it clears the deadline. */
  readonly end: () => void;
}

interface Stoppable {
  readonly target: RunTarget;
  readonly stop: (code: KillCode) => void;
}

const timedOut = (): DOMException => new DOMException('deadline', 'TimeoutError');

const stopAll = (runs: readonly Stoppable[], code: KillCode): number => {
  for (const { stop } of runs) stop(code);
  return runs.length;
};

/**
 * The runs of this process: their deadlines, the count per Orbiset, and a way to stop them.
 * Each run has one `setTimeout`: `AbortSignal.timeout` costs ten times as much (performance.md §4).
 */
export class RunsInFlight {
  readonly #byOrbiset = new Map<string, Set<Stoppable>>();

  count(orbiset: string): number {
    return this.#byOrbiset.get(orbiset)?.size ?? 0;
  }

  /** @param timeoutMs total deadline of the run, from now */
  begin(target: RunTarget, timeoutMs: number): LiveRun {
    const { orbiset } = target;
    const controller = new AbortController();
    let killed: KillCode | undefined;
    const timer = setTimeout(() => controller.abort(timedOut()), timeoutMs);
    const stop = (code: KillCode): void => {
      killed ??= code;
      controller.abort(new DOMException(code, 'AbortError'));
    };
    const run = { target, stop };
    const runs = this.#byOrbiset.get(orbiset) ?? new Set();
    this.#byOrbiset.set(orbiset, runs.add(run));
    const end = (): void => {
      clearTimeout(timer);
      runs.delete(run);
      if (runs.size === 0 && this.#byOrbiset.get(orbiset) === runs) this.#byOrbiset.delete(orbiset);
    };
    return { signal: controller.signal, killed: () => killed, end };
  }

  /** Stops every run of an Orbiset. Each still ends with a receipt. @returns how many */
  kill(orbiset: string, code: KillCode): number {
    return stopAll([...(this.#byOrbiset.get(orbiset) ?? [])], code);
  }

  /** Stops every run that `matches`, of any Orbiset. @returns how many */
  killWhere(matches: (target: RunTarget) => boolean, code: KillCode): number {
    const runs = [...this.#byOrbiset.values()].flatMap((some) => [...some]);
    return stopAll(
      runs.filter(({ target }) => matches(target)),
      code,
    );
  }
}
