import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';

/** One thing that was looked at. */
export interface Check {
  readonly what: string;
  readonly passed: boolean;
  /** What was seen, as text. */
  readonly seen: string;
}

export interface Result {
  readonly passed: boolean;
  readonly checks: readonly Check[];
  /** What was measured, for the table. */
  readonly figures: readonly string[];
  /** Why this machine can't run it; undefined: it was run. */
  readonly skipped?: string;
}

/** What a scenario can't start for itself alone. */
export interface Stage {
  /** A control plane with the platform installed, shared by all scenarios of a process. */
  readonly plane: () => Promise<ControlPlane>;
}

/** A row of failover.md §13. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** `sockets` unless said. `real-time`: minutes pass on the machine's clock, so it is run only when asked for. */
  readonly kind?: 'sockets' | 'virtual-time' | 'control-plane' | 'real-time';
  /** Starts what it needs and ends it again. Never rejects for what it finds. */
  readonly run: (stage: Stage) => Promise<Result>;
}

/** Collects what a scenario looks at. */
export class Checks {
  readonly #checks: Check[] = [];
  readonly #figures: string[] = [];

  /** The same, as JSON. */
  equal(what: string, seen: unknown, expected: unknown): void {
    const text = JSON.stringify(seen);
    this.#checks.push({ what, passed: text === JSON.stringify(expected), seen: text });
  }

  atMost(what: string, seen: number, most: number): void {
    this.#number(what, seen, `≤ ${most}`, seen <= most);
  }

  atLeast(what: string, seen: number, least: number): void {
    this.#number(what, seen, `≥ ${least}`, seen >= least);
  }

  result(): Result {
    return { passed: this.#checks.every(({ passed }) => passed), checks: this.#checks, figures: this.#figures };
  }

  #number(what: string, value: number, limit: string, passed: boolean): void {
    const seen = String(Math.round(value * 100) / 100);
    this.#checks.push({ what: `${what} ${limit}`, passed, seen });
    this.#figures.push(`${what}: ${seen} (${limit})`);
  }
}
