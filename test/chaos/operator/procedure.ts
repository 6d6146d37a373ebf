import type { World } from './world.ts';

/** The result of a test that is more than one workload under one fault. */
export interface ProcedureResult {
  readonly name: string;
  readonly faults: readonly string[];
  /** Measurements to keep: ms, counts. */
  readonly measured: Readonly<Record<string, number>>;
}

export interface ProcedureOptions {
  readonly seed: number;
  /** True for the full form, false for the reduced form. */
  readonly full: boolean;
  readonly say: (line: string) => void;
}

export type Procedure = (world: World, options: ProcedureOptions) => Promise<readonly ProcedureResult[]>;
