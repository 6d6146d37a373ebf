import type { JsonObject } from '../../core/json/json-value.ts';
import { effectiveEffect } from '../../core/ontology/effective-effect.ts';
import { uuidv7 } from '../../core/receipt/ids.ts';
import { testMock } from '../../core/suite/case-work.ts';
import { casesOf, type TestCase } from '../../core/suite/suite.ts';
import { writeReport, type CaseResult } from '../../core/test-report/write-report.ts';
import type { Io } from '../io/io.ts';
import { runLive, type LiveTarget } from './live-case.ts';
import type { TestedOrb } from './tested-orb.ts';

/** Whether live cases run. */
export interface LiveChoice {
  /** Undefined: live cases are skipped. */
  readonly target: LiveTarget | undefined;
  /** Also those of an Orb with an effect. */
  readonly withEffect: boolean;
}

/** All cases of an Orb, run once. */
export interface TestRun {
  readonly results: readonly CaseResult[];
  /** CTRF. */
  readonly report: JsonObject;
}

const skipped = ({ name, suite, mode, required }: TestCase, why: string): CaseResult => ({
  name,
  suite,
  mode,
  required,
  status: 'skipped',
  durationMs: 0,
  faults: [why],
});

function runMock({ orb, allowedOrigins }: TestedOrb, item: TestCase): CaseResult {
  const { name, suite, mode, required } = item;
  const { faults, executionMs } = testMock(orb, item, allowedOrigins);
  return {
    name,
    suite,
    mode,
    required,
    status: faults.length === 0 ? 'passed' : 'failed',
    durationMs: executionMs,
    faults,
  };
}

/** Why live cases don't run; undefined: they run. */
export function whySkipped({ orb }: TestedOrb, { target, withEffect }: LiveChoice): string | undefined {
  if (target === undefined) return 'a live case runs with --orbiset NAME';
  const effect = effectiveEffect(orb.manifest);
  return effect === 'none' || withEffect ? undefined : `the Orb has an effect (${effect}): --live runs it`;
}

/**
 * Runs every case, one after the other, and writes the report of them. The report's time includes every run by the
 * platform's clock, as its judge compares both.
 * @throws Failure (4) the service is not reached
 */
export async function runTests(tested: TestedOrb, choice: LiveChoice, io: Io): Promise<TestRun> {
  const began = io.clock.now();
  const why = whySkipped(tested, choice);
  const results: CaseResult[] = [];
  const times = [began];
  for (const item of casesOf(tested.suites)) {
    if (item.mode === 'mock') results.push(runMock(tested, item));
    else if (why !== undefined || choice.target === undefined) results.push(skipped(item, why ?? ''));
    else {
      const { result, startedAt } = await runLive(choice.target, tested.orb, item, io);
      results.push(result);
      if (startedAt !== undefined) times.push(startedAt, startedAt + result.durationMs);
    }
  }
  times.push(io.clock.now());
  const report = writeReport(results, {
    orb: { orb_id: tested.orb.orbId, manifest_digest: tested.orb.digest, suite_digest: tested.suiteDigest },
    start: Math.min(...times),
    stop: Math.max(...times),
    version: io.version,
    uuid: () => uuidv7(io.clock.now(), io.random),
  });
  return { results, report };
}
