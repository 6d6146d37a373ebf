import type { World } from './world.ts';

/** What a test that is no single workload under a single fault showed. */
export interface ProcedureResult {
  readonly name: string;
  readonly faults: readonly string[];
  /** Figures worth keeping: ms, counts. */
  readonly figures: Readonly<Record<string, number>>;
}

export interface ProcedureOptions {
  readonly seed: number;
  /** Not the reduced one. */
  readonly full: boolean;
  readonly say: (line: string) => void;
}

export type Procedure = (world: World, options: ProcedureOptions) => Promise<readonly ProcedureResult[]>;
