import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../../test/support/rank.ts';
import { residentMb } from '../processes.ts';
import type { AttackName } from './attacks.ts';
import type { AttackSettings, Called, CallerSettings } from './parts.ts';
import { ATTACKER_NICE, startScript } from './pinned.ts';
import type { AttackedPlatform } from './platform.ts';

const BENCH = join(import.meta.dirname, '..');
const SAMPLE_MS = 50;
/** The attack has time to begin, and what compiles at its first use is compiled. */
const BEGIN_MS = 1500;

/** What the other tenant had during one attack. */
export interface Measured extends Called {
  readonly attack: AttackName;
  /** Resident memory of the platform before it, and most during it, MB. */
  readonly memory: { readonly before: number; readonly most: number };
}

const isCalled = (value: unknown): value is Called =>
  typeof value === 'object' && value !== null && 'latencies' in value && 'refused' in value && 'late' in value;

/** Largest resident memory while `work` runs, MB. */
async function mostMemory<T>(pid: number, work: Promise<T>): Promise<readonly [T, number]> {
  let most = residentMb(pid);
  const timer = setInterval(() => (most = Math.max(most, residentMb(pid))), SAMPLE_MS);
  try {
    return [await work, most];
  } finally {
    clearInterval(timer);
  }
}

async function callsOf(settings: CallerSettings): Promise<Called> {
  const caller = startScript([join(BENCH, 'tenant-caller.ts'), JSON.stringify(settings)]);
  const called = await caller.line();
  if (!isCalled(called)) throw new TypeError('the caller printed no measurements');
  return called;
}

/** Calls of the other tenant during an attack. */
export async function measure(platform: AttackedPlatform, attack: AttackName, seconds: number): Promise<Measured> {
  const { pid, port, keys } = platform;
  const before = residentMb(pid);
  const settings: AttackSettings = { attack, port, key: keys.hostile, ratedKeys: keys.rated };
  const attacker = startScript([join(BENCH, 'tenant-attacker.ts'), JSON.stringify(settings)], ATTACKER_NICE);
  try {
    const calls = async (): Promise<Called> => {
      await attacker.line();
      await delay(BEGIN_MS);
      return callsOf({ port, key: keys.other, seconds });
    };
    const [called, most] = await mostMemory(pid, calls());
    return { attack, ...called, memory: { before, most } };
  } finally {
    await attacker.stop();
  }
}

/** What several measurements of one attack saw together. */
export function joined([first, ...more]: readonly Measured[]): Measured {
  if (first === undefined) throw new RangeError('nothing was measured');
  return more.reduce((one, other) => {
    const counts = { ...one.refused };
    for (const [status, count] of Object.entries(other.refused)) counts[status] = (counts[status] ?? 0) + count;
    return {
      attack: one.attack,
      latencies: [...one.latencies, ...other.latencies],
      refused: counts,
      late: { p99: Math.max(one.late.p99, other.late.p99), max: Math.max(one.late.max, other.late.max) },
      memory: { before: one.memory.before, most: Math.max(one.memory.most, other.memory.most) },
    };
  }, first);
}

/** The goals for the other tenant. */
export const GOAL = { timesSlower: 1.5, ms: 250 } as const;

/** A line of the table. */
export interface TenantRow {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly calls: number;
  readonly refused: number;
  /** 99th percentile, divided by that beside a tenant in its share. */
  readonly ratio: number;
  readonly moreMb: number;
  readonly met: boolean;
}

/** @param share latencies beside a tenant that fills its share, ms */
export function rowOf({ latencies, refused, memory }: Measured, share: readonly number[]): TenantRow {
  const p99 = percentile(latencies, 0.99);
  const ratio = p99 / percentile(share, 0.99);
  const refusals = Object.values(refused).reduce((sum, count) => sum + count, 0);
  return {
    p50: percentile(latencies, 0.5),
    p99,
    max: percentile(latencies, 1),
    calls: latencies.length + refusals,
    refused: refusals,
    ratio,
    moreMb: memory.most - memory.before,
    met: latencies.length > 0 && refusals === 0 && p99 <= GOAL.ms && ratio <= GOAL.timesSlower,
  };
}
