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
  /** CPU time of the case that took most, ms. */
  readonly slowestMs: number;
  /** Whether enough got through for the run to show something. */
  readonly isEnough: boolean;
  readonly failure: Failure | undefined;
}

/** A short text must not take longer: it would hold up all others. The first cases also compile the program. */
const HANG_MS = 1000;
const MICROS_PER_MS = 1000;

/** CPU time of this thread: other programs of the machine do not count. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROS_PER_MS;
}

/** Seeds of the cases of a run follow each other, so a case is found by its own seed. */
export async function fuzzStrangers(
  { name, take, least }: Strangers & { readonly name: string },
  seed: number,
  cases: number,
): Promise<Fuzzed> {
  let [passed, slowestMs] = [0, 0];
  for (let index = 0; index < cases; index += 1) {
    const failed = (fault: string): Fuzzed => ({
      passed,
      slowestMs,
      isEnough: true,
      failure: { name, seed: seed + index, fault },
    });
    const began = workedMs();
    try {
      if (await take(seeded(seed + index))) passed += 1;
    } catch (error) {
      return failed(String(error));
    }
    const tookMs = workedMs() - began;
    slowestMs = Math.max(slowestMs, tookMs);
    if (tookMs > HANG_MS) return failed(`it takes ${tookMs.toFixed(0)} ms`);
  }
  return { passed, slowestMs, isEnough: passed >= least * cases, failure: undefined };
}
