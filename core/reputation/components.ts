import { WEIGHTS, type Score } from './formula.ts';
import type { TestEvidence } from './input.ts';
import { rounded } from './rounded.ts';

/** A part of the base of a score. */
export type Component = {
  readonly id: keyof typeof WEIGHTS;
  /** 0–1 */
  readonly value: number;
  /** Points that it can give at most. */
  readonly weight: number;
  /** One decimal. */
  readonly points: number;
  /** One decimal; `points + lost = weight`. */
  readonly lost: number;
  /** One plain sentence. */
  readonly why: string;
};

const tenth = (value: number): number => Math.round(value * 10) / 10;
const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;

function reliabilityWhy({ runs, wilson }: Score): string {
  if (runs.n === 0) return 'no effective runs';
  return `${tenth(runs.s)} of ${tenth(runs.n)} effective runs succeeded; lower bound ${percent(wilson.reliability)}`;
}

function latencyWhy({ runs, wilson }: Score): string {
  if (runs.s === 0) return 'no effective run succeeded';
  return `${tenth(runs.l)} of ${tenth(runs.s)} successful runs were within slo_ms; lower bound ${percent(wilson.latency)}`;
}

const WORTH: Readonly<Record<string, string>> = {
  receipted: 'backed by receipts',
  platform: 'backed by receipts and run again by the platform',
  independent: 'backed by receipts of other tenants',
};

function ago(days: number): string {
  if (days === 0) return 'today';
  return days === 1 ? '1 day ago' : `${days} days ago`;
}

function testsWhy(tests: TestEvidence | null): string {
  if (tests === null) return 'no test report of this version';
  const { required, passed, age_days: age, provenance } = tests;
  if (required === 0) return 'the newest test report requires nothing';
  const worth = WORTH[provenance] ?? 'self-reported, which counts half';
  const counts = age > 90 ? '; reports older than 90 days do not count' : '';
  return `${passed} of ${required} required tests passed ${ago(age)}, ${worth}${counts}`;
}

function component(id: Component['id'], value: number, why: string): Component {
  const weight = WEIGHTS[id];
  const points = tenth(weight * value);
  return { id, value: rounded(value), weight, points, lost: tenth(weight - points), why };
}

/** The parts of the base, and in a sentence why each has its value (trust.md §5.5). */
export const componentsOf = (score: Score, tests: TestEvidence | null): readonly Component[] => [
  component('reliability', score.parts.reliability, reliabilityWhy(score)),
  component('latency', score.parts.latency, latencyWhy(score)),
  component('tests', score.parts.tests, testsWhy(tests)),
];
