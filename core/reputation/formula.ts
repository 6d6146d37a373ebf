import { PROVENANCES } from '../log-entry/entry-members.ts';
import { capsOf, type Cap } from './caps.ts';
import { decay, penalty } from './decay.ts';
import type { ReputationInput, RunGroup, TestEvidence } from './input.ts';

/** Name of this algorithm in profiles, certificates and the log. */
export const ALGORITHM = 'orb-reputation/1';

/** Runs that count: decayed by age and limited for each caller. */
interface EffectiveRuns {
  readonly n: number;
  readonly s: number;
  /** Successes within the Orb's own latency objective. */
  readonly l: number;
  /** Most callers of one month. */
  readonly callers: number;
}

/** How sure a score is: it follows from the number of effective runs. */
export type Confidence = 'provisional' | 'low' | 'medium' | 'high';

/** A score and everything that it was computed from (trust.md §5.3). */
export interface Score {
  readonly runs: EffectiveRuns;
  /** Lower bounds of the success rate, and of the rate of successes in time. */
  readonly wilson: { readonly reliability: number; readonly latency: number };
  /** Parts of the base, 0–1. */
  readonly parts: { readonly reliability: number; readonly latency: number; readonly tests: number };
  /** Factors, 0–1. */
  readonly factors: { readonly violations: number; readonly incidents: number; readonly receipts: number };
  readonly caps: readonly Cap[];
  /** 0–10000: orders Orbs. */
  readonly scoreBp: number;
  /** 0–100: shown. */
  readonly score: number;
  readonly confidence: Confidence;
}

/** Weights of the parts, in hundredths. */
export const WEIGHTS = { reliability: 45, latency: 15, tests: 40 } as const;

const HALF_LIFE_DAYS = 30;
const VERSION_WEIGHT = { same: 1, same_major: 0.5, other: 0 } as const;
const Z = 1.96;

const clamp01 = (value: number): number => Math.min(1, Math.max(0, value));

/**
 * Wilson's lower bound of a rate at 95 %: what `successes` of `runs` prove at least. Works for fractions.
 * @returns 0–1; 0 without runs
 */
export function wilsonLowerBound(successes: number, runs: number): number {
  if (runs === 0) return 0;
  const p = successes / runs;
  const zz = Z * Z;
  const spread = Z * Math.sqrt((p * (1 - p) + zz / (4 * runs)) / runs);
  return Math.max(0, (p + zz / (2 * runs) - spread) / (1 + zz / runs));
}

interface CallerRuns {
  n: number;
  s: number;
  l: number;
}

const weightOf = ({ age_days: age, version, self }: RunGroup): number =>
  self ? 0 : decay(age, HALF_LIFE_DAYS) * VERSION_WEIGHT[version];

function effectiveRuns(groups: readonly RunGroup[]): EffectiveRuns {
  const callers = new Map<string, CallerRuns>();
  const months = new Map<string, Set<string>>();
  for (const group of groups) {
    const weight = weightOf(group);
    if (weight * group.runs <= 0) continue;
    const caller = callers.get(group.caller) ?? { n: 0, s: 0, l: 0 };
    callers.set(group.caller, caller);
    caller.n += weight * group.runs;
    caller.s += weight * group.success;
    caller.l += weight * group.within_slo;
    const month = months.get(group.epoch) ?? new Set<string>();
    months.set(group.epoch, month.add(group.caller));
  }
  const most = Math.max(0, ...[...months.values()].map(({ size }) => size));
  return { ...capped([...callers.values()]), callers: most };
}

/** No caller is more than a twentieth of the evidence, and no caller's failures more than a hundredth. */
function capped(callers: readonly CallerRuns[]): Omit<EffectiveRuns, 'callers'> {
  const total = callers.reduce((sum, { n }) => sum + n, 0);
  const cap = Math.max(20, 0.05 * total);
  const failureCap = Math.max(5, 0.01 * total);
  const runs = { n: 0, s: 0, l: 0 };
  for (const caller of callers) {
    const share = Math.min(1, cap / caller.n);
    runs.s += share * caller.s;
    runs.l += share * caller.l;
    runs.n += share * caller.s + Math.min(share * (caller.n - caller.s), failureCap);
  }
  return runs;
}

/** Every provenance but the weakest; one that is not known counts as the weakest. */
const BACKED: ReadonlySet<string> = new Set(PROVENANCES.filter((provenance) => provenance !== 'self_reported'));

/** Days for which a test report counts. */
const TESTS_DAYS = 90;

/** Whether the newest report is of this version, at most 90 days old, and requires something. */
const testsCount = (tests: TestEvidence | null): tests is TestEvidence =>
  tests !== null && tests.digest_match && tests.age_days <= TESTS_DAYS && tests.required > 0;

/** Whether every required test passed, in a report that counts. */
export const testsAreCurrent = (tests: TestEvidence | null): boolean =>
  testsCount(tests) && tests.passed === tests.required;

const testPart = (tests: TestEvidence | null): number =>
  testsCount(tests) ? (tests.passed / tests.required) * (BACKED.has(tests.provenance) ? 1 : 0.5) : 0;

/** What an event of today takes away. */
export const SEVERITY_COST = { low: 0.05, medium: 0.15, high: 0.4, critical: 1 } as const;
/** What an incident that is open takes away. */
export const IMPACT_COST = { minor: 0.1, major: 0.3, critical: 0.6 } as const;

/** What invalid receipts take away: one in a hundred is enough to take everything. */
export const invalidCost = (invalid: number, total: number): number => (100 * invalid) / total;

function confidenceOf(runs: number): Confidence {
  if (runs < 20) return 'provisional';
  if (runs < 100) return 'low';
  return runs < 500 ? 'medium' : 'high';
}

/** Scores a version (trust.md §5.3). Pure: the same input gives the same bits for every reader. */
export function scoreReputation(input: ReputationInput): Score {
  const runs = effectiveRuns(input.groups);
  const wilson = { reliability: wilsonLowerBound(runs.s, runs.n), latency: wilsonLowerBound(runs.l, runs.s) };
  const parts = {
    reliability: clamp01((wilson.reliability - 0.8) / 0.195),
    latency: clamp01((wilson.latency - 0.8) / 0.15),
    tests: testPart(input.tests),
  };
  const { total, invalid } = input.receipts;
  const factors = {
    violations: penalty(input.violations.map(({ severity, age_days: age }) => [SEVERITY_COST[severity], age])),
    incidents: penalty(input.incidents.map(({ impact, age_days: age }) => [IMPACT_COST[impact], age])),
    receipts: total === 0 ? 1 : Math.max(0, 1 - invalidCost(invalid, total)),
  };
  const caps = capsOf(input, testsAreCurrent(input.tests));
  const base = 0.45 * parts.reliability + 0.15 * parts.latency + 0.4 * parts.tests;
  const value = base * factors.violations * factors.incidents * factors.receipts;
  const scoreBp = Math.floor(10_000 * Math.min(value, ...caps.map(({ limit }) => limit)) + 1e-6);
  return {
    runs,
    wilson,
    parts,
    factors,
    caps,
    scoreBp,
    score: Math.floor(scoreBp / 100),
    confidence: confidenceOf(runs.n),
  };
}
