import { load } from '../processes.ts';
import type { BenchServer } from '../subjects.ts';
import { row, type Row } from '../table.ts';
import { cancelReplay, startReplay, untilReplayed } from './asked-replay.ts';
import { draft } from './draft-replay.ts';

const GOAL = 1.2;
const CALLERS = 8;
const WARM_SECONDS = 3;

/** Executions of one tenant while receipts of another are replayed. */
export interface BesideSettings {
  readonly rounds: number;
  /** Of a load. */
  readonly seconds: number;
  /** Executions a second. */
  readonly rate: number;
}

/** Times of executions within one round, ms: only these can be compared. */
export interface BesideRound {
  readonly alone: Times;
  readonly beside: Times;
}

interface Times {
  readonly p50: number;
  readonly p99: number;
}

async function timesOf(executor: BenchServer, { seconds, rate }: BesideSettings): Promise<Times> {
  const { port, path, headers, body } = executor;
  const { errors, firstError, p50, p99 } = await load({
    port,
    path,
    headers,
    body,
    concurrency: CALLERS,
    rate,
    seconds,
  });
  if (errors > 0) throw new Error(`${errors} executions failed: ${firstError}`);
  return { p50, p99 };
}

/** One replay after another, until it is told to end. */
class Replaying {
  #isOver = false;
  #current: string | undefined;
  readonly #server: BenchServer;

  constructor(server: BenchServer) {
    this.#server = server;
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      const id = await startReplay(this.#server, draft);
      this.#current = id;
      await untilReplayed(this.#server, id).catch((error: unknown) => {
        if (!this.#isOver) throw error;
      });
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    if (this.#current !== undefined) await cancelReplay(this.#server, this.#current);
  }
}

async function besideReplays(executor: BenchServer, replayer: BenchServer, settings: BesideSettings): Promise<Times> {
  const replaying = new Replaying(replayer);
  const replays = replaying.run();
  try {
    return await timesOf(executor, settings);
  } finally {
    await replaying.end();
    await replays;
  }
}

const mean = (one: Times, other: Times): Times => ({
  p50: (one.p50 + other.p50) / 2,
  p99: (one.p99 + other.p99) / 2,
});

/** Measures in the order A, B, B, A: a machine that slows down or recovers meanwhile affects both equally. */
export async function measureBeside(
  executor: BenchServer,
  replayer: BenchServer,
  settings: BesideSettings,
): Promise<readonly BesideRound[]> {
  await timesOf(executor, { ...settings, seconds: WARM_SECONDS });
  const rounds: BesideRound[] = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    const first = await timesOf(executor, settings);
    const beside = mean(
      await besideReplays(executor, replayer, settings),
      await besideReplays(executor, replayer, settings),
    );
    rounds.push({ alone: mean(first, await timesOf(executor, settings)), beside });
  }
  return rounds;
}

export function besideRows(rounds: readonly BesideRound[], { rate }: BesideSettings): readonly Row[] {
  const values = (of: (round: BesideRound) => number): readonly number[] => rounds.map(of);
  return [
    row(
      `executions at ${rate}/s alone: p50, ms`,
      values(({ alone }) => alone.p50),
    ),
    row(
      `executions at ${rate}/s beside replays: p50, ms`,
      values(({ beside }) => beside.p50),
    ),
    row(
      `executions at ${rate}/s alone: p99, ms`,
      values(({ alone }) => alone.p99),
    ),
    row(
      `executions at ${rate}/s beside replays: p99, ms`,
      values(({ beside }) => beside.p99),
    ),
    row(
      'p99 beside replays ÷ alone',
      values(({ alone, beside }) => beside.p99 / alone.p99),
      { digits: 2, atMost: GOAL },
    ),
  ];
}
