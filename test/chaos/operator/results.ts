import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLANNED } from './plans.ts';
import type { PlanResult } from './run-plan.ts';
import { percentile } from '../../support/rank.ts';

const FOLDER = join(import.meta.dirname, '../results');

/** The result of a test, as it is stored. */
export interface TestSummary {
  readonly test: string;
  readonly version: string;
  readonly seed: number;
  readonly runs: number;
  readonly failed: number;
  /** Runs whose fault never happened: they prove nothing. */
  readonly unreached: number;
  readonly convergedMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Requests with the fault, per request without. */
  readonly requestRatio: number;
  readonly faults: readonly string[];
}

/** @returns the limit that p99 exceeds, if any; oracles check single runs, this checks all runs */
function tooSlow(test: string, p99: number): readonly string[] {
  const limit = PLANNED[test]?.limitMs ?? Infinity;
  return p99 <= limit ? [] : [`${test}: p99 of ${p99} ms to converge, at most ${limit}`];
}

function tooMany(test: string, ratio: number): readonly string[] {
  const limit = PLANNED[test]?.mostRequests ?? Infinity;
  return ratio <= limit ? [] : [`${test}: ${ratio.toFixed(2)} times the requests, at most ${limit}`];
}

export function summarise(
  test: string,
  { version, seed }: { readonly version: string; readonly seed: number },
  results: readonly PlanResult[],
): TestSummary {
  const times = results.flatMap(({ convergedMs }) => convergedMs).map(Math.round);
  const rank = (share: number): number => (times.length === 0 ? 0 : percentile(times, share));
  const sum = (name: 'requests' | 'referenceRequests'): number =>
    results.reduce((total, result) => total + result[name], 0);
  const requestRatio = sum('requests') / Math.max(1, sum('referenceRequests'));
  return {
    test,
    version,
    seed,
    runs: results.length,
    failed: results.filter(({ faults }) => faults.length > 0).length,
    unreached: results.filter(({ reached }) => !reached).length,
    convergedMs: { p50: rank(0.5), p99: rank(0.99), max: rank(1) },
    requestRatio,
    faults: [
      ...tooSlow(test, rank(0.99)),
      ...tooMany(test, requestRatio),
      ...results.flatMap(({ faults }) => faults),
    ].slice(0, 100),
  };
}

/** Stores a value under `test/chaos/results`, which git ignores. @returns its path */
export function storeResult(name: string, value: unknown): string {
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${name}.json`);
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
  return path;
}
