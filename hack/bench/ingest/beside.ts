import { load } from '../processes.ts';
import { row, type Row } from '../table.ts';
import { atRate, Sender } from './sender.ts';
import type { Receiver } from './sources.ts';
import type { StoredPayloads } from './stored-payloads.ts';

const GOAL = 1.5;
const CALLERS = 8;
const WARM_SECONDS = 3;
const CONNECTIONS = 64;

export interface BesideSettings {
  readonly rounds: number;
  /** Of each load. */
  readonly seconds: number;
  /** Executions a second. */
  readonly executions: number;
  /** Deliveries a second. */
  readonly rate: number;
  readonly copies: number;
}

interface Times {
  readonly p50: number;
  readonly p99: number;
  /** Executions that were not answered with 200. */
  readonly refused: number;
}

/** Times of executions within one round, ms: only these can be compared. */
export interface BesideRound {
  readonly alone: Times;
  readonly beside: Times;
}

async function executionsOf({ server }: Receiver, { seconds, executions }: BesideSettings): Promise<Times> {
  const { port, path, headers, body } = server;
  const { errors, p50, p99 } = await load({
    port,
    path,
    headers,
    body,
    seconds,
    concurrency: CALLERS,
    rate: executions,
  });
  return { p50, p99, refused: errors };
}

/** Deliveries of 100 events each until it is told to end; each is sent `copies` times. */
class Deliveries {
  #isOver = false;
  #next = 0;
  readonly #receiver: Receiver;
  readonly #stored: StoredPayloads;

  constructor(receiver: Receiver, stored: StoredPayloads) {
    this.#receiver = receiver;
    this.#stored = stored;
  }

  async during<T>({ rate, copies }: BesideSettings, work: () => Promise<T>): Promise<T> {
    this.#isOver = false;
    const { server, path } = this.#receiver;
    const sender = new Sender(server.port, CONNECTIONS);
    const sending = atRate(rate, (due) => {
      if (this.#isOver) return undefined;
      this.#next += 1;
      const payload = Math.floor(this.#next / copies) % this.#stored.count;
      return sender.send({ path, ...this.#stored.at(payload) }, due).then(() => undefined);
    });
    try {
      return await work();
    } finally {
      this.#isOver = true;
      await sending;
      sender.close();
    }
  }
}

const mean = (one: Times, other: Times): Times => ({
  p50: (one.p50 + other.p50) / 2,
  p99: (one.p99 + other.p99) / 2,
  refused: one.refused + other.refused,
});

/** Measures in the order A, B, B, A: a machine that slows down or recovers meanwhile affects both equally. */
export async function measureBeside(
  receiver: Receiver,
  settings: BesideSettings,
  stored: StoredPayloads,
): Promise<readonly BesideRound[]> {
  const deliveries = new Deliveries(receiver, stored);
  const alone = (): Promise<Times> => executionsOf(receiver, settings);
  const beside = (): Promise<Times> => deliveries.during(settings, alone);
  await executionsOf(receiver, { ...settings, seconds: WARM_SECONDS });
  const rounds: BesideRound[] = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    const first = await alone();
    const both = mean(await beside(), await beside());
    rounds.push({ alone: mean(first, await alone()), beside: both });
  }
  return rounds;
}

export function besideRows(rounds: readonly BesideRound[], { executions, rate }: BesideSettings): readonly Row[] {
  const values = (of: (round: BesideRound) => number): readonly number[] => rounds.map(of);
  const what = `executions at ${executions}/s`;
  const storm = `beside ${rate} deliveries/s`;
  return [
    row(
      `${what} alone: p50, ms`,
      values(({ alone }) => alone.p50),
    ),
    row(
      `${what} ${storm}: p50, ms`,
      values(({ beside }) => beside.p50),
    ),
    row(
      `${what} alone: p99, ms`,
      values(({ alone }) => alone.p99),
    ),
    row(
      `${what} ${storm}: p99, ms`,
      values(({ beside }) => beside.p99),
    ),
    row(
      'p99 beside deliveries ÷ alone',
      values(({ alone, beside }) => beside.p99 / alone.p99),
      { digits: 2, atMost: GOAL },
    ),
    row(
      'executions refused beside deliveries',
      values(({ beside }) => beside.refused),
      { digits: 0, atMost: 0 },
    ),
  ];
}
