import type { PlainGroup, PlainInput } from './plain-reputation.ts';

function lowerBound(s: number, n: number): number {
  if (n === 0) return 0;
  const [p, z] = [s / n, 1.96];
  const root = Math.sqrt((p * (1 - p) + (z * z) / (4 * n)) / n);
  return Math.max(0, (p + (z * z) / (2 * n) - z * root) / (1 + (z * z) / n));
}

const weightOf = (group: PlainGroup): number =>
  group.self ? 0 : 2 ** (-group.age_days / 30) * (group.version === 'same' ? 1 : 0.5);

function plainRuns(groups: readonly PlainGroup[]): { readonly n: number; readonly s: number; readonly l: number } {
  const counted = groups.filter((group) => weightOf(group) > 0);
  const callers = [...new Set(counted.map(({ caller }) => caller))].map((caller) => {
    const own = counted.filter((group) => group.caller === caller);
    const sum = (of: (group: PlainGroup) => number): number =>
      own.reduce((total, group) => total + weightOf(group) * of(group), 0);
    return {
      n: sum(({ runs }) => runs),
      s: sum(({ success }) => success),
      l: sum(({ within_slo: in_time }) => in_time),
    };
  });
  const total = callers.reduce((sum, { n }) => sum + n, 0);
  const [cap, failures] = [Math.max(20, 0.05 * total), Math.max(5, 0.01 * total)];
  const result = { n: 0, s: 0, l: 0 };
  for (const { n, s, l } of callers) {
    const f = Math.min(1, cap / n);
    result.s += f * s;
    result.l += f * l;
    result.n += f * s + Math.min(f * (n - s), failures);
  }
  return result;
}

const SEVERITY: Readonly<Record<string, number>> = { low: 0.05, medium: 0.15, high: 0.4, critical: 1 };
const IMPACT: Readonly<Record<string, number>> = { minor: 0.1, major: 0.3, critical: 0.6 };
const within = (value: number): number => Math.min(1, Math.max(0, value));

function testPart(tests: PlainInput['tests']): { readonly part: number; readonly current: boolean } {
  if (tests === null || tests.age_days > 90 || tests.required === 0) return { part: 0, current: false };
  const backed = ['receipted', 'platform', 'independent'].includes(tests.provenance) ? 1 : 0.5;
  return { part: (tests.passed / tests.required) * backed, current: tests.passed === tests.required };
}

const left = (costs: readonly (readonly [cost: number, age: number])[]): number =>
  Math.max(0, 1 - costs.reduce((sum, [cost, age]) => sum + cost * 2 ** (-age / 90), 0));

function limitOf({ incidents, violations, receipts, suspended, tests }: PlainInput): number {
  const limits = [1];
  if (!testPart(tests).current) limits.push(0.39);
  if (incidents.some(({ impact, open }) => open && impact === 'critical')) limits.push(0.3);
  if (violations.some(({ severity, age_days: age }) => severity === 'critical' && age <= 30)) limits.push(0.3);
  if (receipts.invalid_7d > 0) limits.push(0.2);
  if (suspended) limits.push(0);
  return Math.min(...limits);
}

/** `score_bp` of trust.md §5.3. */
export function plainScoreBp(input: PlainInput): number {
  const { n, s, l } = plainRuns(input.groups);
  const { violations, incidents, receipts } = input;
  const r = within((lowerBound(s, n) - 0.8) / 0.195);
  const t = within((lowerBound(l, s) - 0.8) / 0.15);
  const p = left(violations.map(({ severity, age_days: age }) => [SEVERITY[severity] ?? 0, age]));
  const i = left(incidents.map(({ impact, age_days: age }) => [IMPACT[impact] ?? 0, age]));
  const v = receipts.total === 0 ? 1 : Math.max(0, 1 - (100 * receipts.invalid) / receipts.total);
  const value = (0.45 * r + 0.15 * t + 0.4 * testPart(input.tests).part) * p * i * v;
  return Math.floor(10_000 * Math.min(value, limitOf(input)) + 1e-6);
}
