import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import type { ExpositionMeasurements, ExpositionSettings } from '../failover-exposition.ts';
import { row, type Row } from '../table.ts';
import { median } from '../../../test/support/rank.ts';

/** Results of a scrape as Prometheus sees them. */
interface Seen {
  readonly ms: number;
  readonly bytes: number;
}

export interface Exposition extends ExpositionMeasurements {
  readonly settings: ExpositionSettings;
  readonly seen: readonly Seen[];
}

const SCRAPES = 12;
/** Time limit of a scrape (failover.md §2). */
const GOAL_MS = 5;
/** Scrapes to discard at the start: their code was not compiled yet. */
const WARM = 2;

async function scrape(url: string): Promise<Seen> {
  const began = performance.now();
  const { byteLength } = await (await fetch(url)).arrayBuffer();
  return { ms: performance.now() - began, bytes: byteLength };
}

const isPort = (value: unknown): value is { readonly port: number } =>
  typeof value === 'object' && value !== null && 'port' in value;
const isMeasured = (value: unknown): value is ExpositionMeasurements =>
  typeof value === 'object' && value !== null && 'scrapes' in value;

async function scrapes(child: ChildProcess, settings: ExpositionSettings): Promise<Exposition> {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new TypeError('standard input and output are pipes');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? 'null');
  const first = await next();
  if (!isPort(first)) throw new Error('the process that is scraped did not start');
  const seen: Seen[] = [];
  for (let number = 0; number < SCRAPES; number += 1) seen.push(await scrape(`http://127.0.0.1:${first.port}/metrics`));
  stdin.end();
  const measured = await next();
  if (!isMeasured(measured)) throw new Error('the process that is scraped printed no measurements');
  return { settings, idle: measured.idle, scrapes: measured.scrapes.slice(WARM), seen: seen.slice(WARM) };
}

/** Scrapes a separate process, one scrape after the other. */
export async function measureExposition(settings: ExpositionSettings): Promise<Exposition> {
  const script = join(import.meta.dirname, '../failover-exposition.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    return await scrapes(child, settings);
  } finally {
    child.stdin.end();
    await ended;
  }
}

export function expositionRows({ settings, seen, scrapes: costs, idle }: Exposition): readonly Row[] {
  const name = `${settings.process === 'api' ? 'API' : 'operator'}, ${settings.orbs} Orbs × 2 providers`;
  return [
    row(
      `${name}: text, MiB`,
      seen.map(({ bytes }) => bytes / 2 ** 20),
      { digits: 2 },
    ),
    row(
      `${name}: scrape, ms`,
      seen.map(({ ms }) => ms),
      { digits: 0 },
    ),
    row(
      `${name}: CPU of a scrape, ms`,
      costs.map(({ cpuMs }) => cpuMs),
      { digits: 0 },
    ),
    row(
      `${name}: longest loop delay of a scrape, ms (idle: ${median(idle.map(({ holdMs }) => holdMs)).toFixed(1)})`,
      costs.map(({ holdMs }) => holdMs),
      { atMost: GOAL_MS },
    ),
  ];
}
