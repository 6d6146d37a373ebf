import { seeded } from '../../support/seeded.ts';
import type { Strangers } from './cases.ts';

/** A case that broke something. It is the same again for the same name and seed. */
interface Failure {
  readonly name: string;
  readonly seed: number;
  readonly fault: string;
}

export interface Fuzzed {
  /** Cases that got through. */
  readonly passed: number;
  /** Whether enough got through for the run to show something. */
  readonly isEnough: boolean;
  readonly failure: Failure | undefined;
}

/** Seeds of the cases of a run follow each other, so a case is found by its own seed. */
export async function fuzzStrangers(
  { name, take, least }: Strangers & { readonly name: string },
  seed: number,
  cases: number,
): Promise<Fuzzed> {
  let passed = 0;
  for (let index = 0; index < cases; index += 1) {
    try {
      if (await take(seeded(seed + index))) passed += 1;
    } catch (error) {
      return { passed, isEnough: true, failure: { name, seed: seed + index, fault: String(error) } };
    }
  }
  return { passed, isEnough: passed >= least * cases, failure: undefined };
}
