import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { cpuMicros, load } from '../processes.ts';
import { swapBody, swapping } from '../bench-orbs.ts';
import { logFile, startMock, startPlatform, type BenchServer } from '../subjects.ts';
import { row, type Row } from '../table.ts';
import { median } from '../../../test/support/rank.ts';

const WARM_SECONDS = 6;
const GOAL = 1.05;
const CONCURRENCY = 32;

interface Slice {
  readonly rps: number;
  readonly p50: number;
  /** CPU of the platform, per run. */
  readonly cpuMicros: number;
}

/** Slices of the same moment: only these can be compared. */
interface Pair {
  readonly plain: Slice;
  readonly swapping: Slice;
}

/** Median times of one caller that executes both Orbs in turns, run by run. */
interface Alternation {
  readonly runs: number;
  readonly plainMs: number;
  readonly swappingMs: number;
}

/** The measurements of one process that executed both Orbs in turns. */
export interface InRequest {
  /** With one caller. */
  readonly alternations: readonly Alternation[];
  /** With many callers. */
  readonly pairs: readonly Pair[];
}

async function slice(subject: BenchServer, body: string, seconds: number): Promise<Slice> {
  const { started, port, path, headers } = subject;
  const before = cpuMicros(started.pid);
  const { errors, firstError, requests, ...measured } = await load({
    port,
    path,
    headers,
    body,
    concurrency: CONCURRENCY,
    seconds,
  });
  if (errors > 0) throw new Error(`${errors} requests failed: ${firstError}`);
  return {
    rps: requests / measured.seconds,
    p50: measured.p50,
    cpuMicros: (cpuMicros(started.pid) - before) / requests,
  };
}

const mean = (one: Slice, other: Slice): Slice => ({
  rps: (one.rps + other.rps) / 2,
  p50: (one.p50 + other.p50) / 2,
  cpuMicros: (one.cpuMicros + other.cpuMicros) / 2,
});

/** Measures in the order A, B, B, A: a machine that slows down or recovers meanwhile affects both equally. */
async function pairOf(subject: BenchServer, seconds: number): Promise<Pair> {
  const measure = (body: string): Promise<Slice> => slice(subject, body, seconds / 2);
  const plain = await measure(subject.body);
  const swap = mean(await measure(swapBody(subject.body)), await measure(swapBody(subject.body)));
  return { plain: mean(plain, await measure(subject.body)), swapping: swap };
}

const answerTo = (sent: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });

/** Alternates run by run: other load on the machine affects both equally. */
async function alternate({ port, path, headers, ...subject }: BenchServer, seconds: number): Promise<Alternation> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const own = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, agent };
  const run = async (body: string): Promise<number> => {
    const began = performance.now();
    const sent = request({ host: '127.0.0.1', port, path, ...own });
    sent.end(body);
    const answer = await answerTo(sent);
    await answer.toArray();
    if (answer.statusCode !== 200) throw new Error(`a run was answered with ${answer.statusCode}`);
    return performance.now() - began;
  };
  const [plain, swap]: readonly [number[], number[]] = [[], []];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    plain.push(await run(subject.body));
    swap.push(await run(swapBody(subject.body)));
  }
  agent.destroy();
  return { runs: plain.length, plainMs: median(plain), swappingMs: median(swap) };
}

async function turns(subject: BenchServer, { rounds, seconds }: InRequestOptions): Promise<InRequest> {
  for (const body of [subject.body, swapBody(subject.body)]) await slice(subject, body, WARM_SECONDS);
  const alternations: Alternation[] = [];
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alternations.push(await alternate(subject, seconds));
    pairs.push(await pairOf(subject, seconds));
  }
  return { alternations, pairs };
}

export interface InRequestOptions {
  readonly rounds: number;
  /** Duration of a round, for one caller and for many, with each of the two Orbs. */
  readonly seconds: number;
}

/** @param folder on a disk: every run is synced */
export async function measureInRequest(folder: string, options: InRequestOptions): Promise<InRequest> {
  const log = logFile(folder, 'log.txt');
  const mock = await startMock(log);
  try {
    mkdirSync(join(folder, 'resources'), { recursive: true });
    writeFileSync(join(folder, 'resources/swap.yaml'), swapping(mock.port));
    const subject = await startPlatform(folder, mock.port, log);
    try {
      return await turns(subject, options);
    } finally {
      await subject.started.stop();
    }
  } finally {
    await mock.started.stop();
  }
}

const ratio = (what: string, values: readonly number[], atMost?: number): Row =>
  row(what, values, { digits: 3, ...(atMost === undefined ? {} : { atMost }) });

export function inRequestRows({ alternations, pairs }: InRequest): readonly Row[] {
  const alone = median(alternations.map(({ plainMs }) => plainMs)).toFixed(2);
  const many = median(pairs.map(({ plain }) => plain.rps)).toFixed(0);
  return [
    ratio(
      `p50 with \`swap_config\` ÷ without, 1 caller (${alone} ms without)`,
      alternations.map(({ plainMs, swappingMs }) => swappingMs / plainMs),
      GOAL,
    ),
    ratio(
      `runs/s without ÷ with, ${CONCURRENCY} callers (${many}/s without)`,
      pairs.map(({ plain, swapping: swap }) => plain.rps / swap.rps),
      GOAL,
    ),
    ratio(
      `p50 with ÷ without, ${CONCURRENCY} callers`,
      pairs.map(({ plain, swapping: swap }) => swap.p50 / plain.p50),
      GOAL,
    ),
    ratio(
      `CPU of a run with ÷ without, ${CONCURRENCY} callers`,
      pairs.map(({ plain, swapping: swap }) => swap.cpuMicros / plain.cpuMicros),
    ),
  ];
}
