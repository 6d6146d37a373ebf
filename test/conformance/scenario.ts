import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';

/** One check. */
export interface Check {
  readonly what: string;
  readonly passed: boolean;
  /** The observed value, as text. */
  readonly seen: string;
}

export interface Result {
  readonly passed: boolean;
  readonly checks: readonly Check[];
  /** Measurements, for the table. */
  readonly measured: readonly string[];
  /** Why this machine can't run it; undefined: it ran. */
  readonly skipped?: string;
}

/** Resources that scenarios share. */
export interface Stage {
  /** A control plane with the platform installed, shared by all scenarios of a process. */
  readonly plane: () => Promise<ControlPlane>;
}

/** A row of failover.md §13. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** Default `sockets`. `real-time`: takes minutes on the machine's clock, so it runs only on request. */
  readonly kind?: 'sockets' | 'virtual-time' | 'control-plane' | 'real-time';
  /** Not part of `npm test`, where other tests check the same (test/README.md); `npm run conformance` runs it. */
  readonly isLong?: true;
  /** Starts what it needs and ends it again. Never rejects because of a failed check. */
  readonly run: (stage: Stage) => Promise<Result>;
}

/** Collects the checks of a scenario. */
export class Checks {
  readonly #checks: Check[] = [];
  readonly #measured: string[] = [];

  /** Checks that both are the same JSON. */
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
    return { passed: this.#checks.every(({ passed }) => passed), checks: this.#checks, measured: this.#measured };
  }

  #number(what: string, value: number, limit: string, passed: boolean): void {
    const seen = String(Math.round(value * 100) / 100);
    this.#checks.push({ what: `${what} ${limit}`, passed, seen });
    this.#measured.push(`${what}: ${seen} (${limit})`);
  }
}
