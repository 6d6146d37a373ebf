import { readFileSync } from 'node:fs';
import { scrape, type Scrape } from '../scrape.ts';
import type { LoadResult, LoadSettings } from '../generator.ts';
import { parseBusyMicros, parseTaskStat } from '../proc-stat.ts';
import { cpuMicros, load, residentMb, type Started } from '../processes.ts';
import type { BenchServer } from '../subjects.ts';
import { threadTimes, timesPerRequest, type ThreadTimes } from '../thread-times.ts';

import { insideBetween, type Inside } from './inside.ts';

/** What was measured under one load. CPU is for each request, in µs. */
export interface Row {
  /** Which load: see `callersName`, or the name of a variant. */
  readonly name: string;
  readonly requests: number;
  readonly rps: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly serverCpu: number;
  readonly threads: ThreadTimes;
  readonly mockCpu: number;
  readonly generatorCpu: number;
  readonly rssMb: number;
  /** Cores that other processes of the machine used meanwhile. */
  readonly foreignCores: number;
  /** Undefined: the subject has no metrics. */
  readonly inside?: Inside;
}

/** The name of the row of an ordinary load. */
export const callersName = (callers: number): string => `c=${callers}`;

export interface Measurement {
  readonly name: string;
  readonly callers: number;
  readonly seconds: number;
  /** How its requests differ from those of the subject. */
  readonly request?: Pick<Partial<LoadSettings>, 'path' | 'body' | 'keyed'>;
}

/** Times so far, µs. */
interface Moment {
  readonly wall: number;
  readonly busy: number;
  readonly server: number;
  readonly threads: ThreadTimes;
  readonly mock: number;
  /** This process, and the generators that have ended. */
  readonly own: number;
}

function now(server: number, mock: number): Moment {
  const self = parseTaskStat(readFileSync('/proc/self/stat', 'utf8'));
  return {
    wall: performance.now() * 1000,
    busy: parseBusyMicros(readFileSync('/proc/stat', 'utf8')),
    server: cpuMicros(server),
    threads: threadTimes(server),
    mock: cpuMicros(mock),
    own: self.micros + self.childMicros,
  };
}

/** Cores that neither server, mock nor benchmark used. */
function foreignCores(before: Moment, after: Moment): number {
  const used = (time: 'busy' | 'server' | 'mock' | 'own'): number => after[time] - before[time];
  return Math.max(0, (used('busy') - used('server') - used('mock') - used('own')) / (after.wall - before.wall));
}

/** The platform had more load than it can take: the machine is busy, or the code too slow. */
export class OverloadedError extends Error {}

function checkAnswers(name: string, { errors, firstError }: Pick<LoadResult, 'errors' | 'firstError'>): void {
  if (errors === 0) return;
  const text = `${name}: ${errors} requests failed: ${firstError}`;
  throw firstError.includes('"code":"overloaded"') ? new OverloadedError(text) : new Error(text);
}

const scrapeOf = async ({ metrics }: BenchServer): Promise<Scrape | undefined> =>
  metrics === undefined ? undefined : scrape(metrics);

/** @throws OverloadedError, Error a request was not answered with 200 */
export async function measure(subject: BenchServer, mock: Started, measurement: Measurement): Promise<Row> {
  const { started, port, path, headers, body } = subject;
  const { name, callers, seconds, request = {} } = measurement;
  const scraped = await scrapeOf(subject);
  const before = now(started.pid, mock.pid);
  const result = await load({ port, path, headers, body, ...request, concurrency: callers, seconds });
  const after = now(started.pid, mock.pid);
  const scrapedAfter = await scrapeOf(subject);
  checkAnswers(name, result);
  const { requests, p50, p99, max } = result;
  return {
    name,
    requests,
    rps: requests / result.seconds,
    p50,
    p99,
    max,
    serverCpu: (after.server - before.server) / requests,
    threads: timesPerRequest(before.threads, after.threads, requests),
    mockCpu: (after.mock - before.mock) / requests,
    generatorCpu: result.cpuMicros / requests,
    rssMb: residentMb(started.pid),
    foreignCores: foreignCores(before, after),
    ...(scraped === undefined || scrapedAfter === undefined
      ? {}
      : { inside: insideBetween(scraped, scrapedAfter, (after.wall - before.wall) / 1e6) }),
  };
}
