import { percentile } from '../../../test/support/rank.ts';
import { row, type Row } from '../table.ts';
import { untilDrained } from './backlog.ts';
import { atRate, Sender } from './sender.ts';
import type { Receiver } from './sources.ts';
import type { StoredPayloads } from './stored-payloads.ts';

/** One step of the ladder. */
export interface RateStep {
  /** Requests a second; each tenth is a new delivery, the others repeat it. */
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Answers that were neither 200 nor 202. */
  readonly refused: number;
}

/** The strictest vendors wait for a second. */
const GOAL_MS = 100;
export const RATES = [25, 50, 100, 200, 300, 400, 600, 800, 950];
const CONNECTIONS = 64;

async function measureStep(
  { server, path }: Receiver,
  { rate, seconds, copies }: { readonly rate: number; readonly seconds: number; readonly copies: number },
  payloads: { readonly stored: StoredPayloads; readonly take: () => number },
): Promise<RateStep> {
  const sender = new Sender(server.port, CONNECTIONS);
  const times: number[] = [];
  let [left, refused, payload] = [Math.ceil(rate * seconds), 0, 0];
  const deliver = async (number: number, due: number): Promise<void> => {
    const { status, ms } = await sender.send({ path, ...payloads.stored.at(number) }, due);
    times.push(ms);
    if (status !== 200 && status !== 202) refused += 1;
  };
  await atRate(rate, (due) => {
    if (left === 0) return undefined;
    left -= 1;
    if (left % copies === 0) payload = payloads.take();
    return deliver(payload, due);
  });
  sender.close();
  return { rate, p50: percentile(times, 0.5), p99: percentile(times, 0.99), refused };
}

export interface RateSettings {
  /** Of each step. */
  readonly seconds: number;
  readonly copies: number;
}

/** Raises the rate until the goal is missed, or the payloads are used up. What an earlier step left is mapped first. */
export async function measureRates(
  receiver: Receiver,
  settings: RateSettings,
  stored: StoredPayloads,
): Promise<readonly RateStep[]> {
  const steps: RateStep[] = [];
  let next = 0;
  const take = (): number => {
    next += 1;
    return next - 1;
  };
  for (const rate of RATES) {
    if (next + Math.ceil((rate * settings.seconds) / settings.copies) + 1 > stored.count) break;
    const step = await measureStep(receiver, { rate, ...settings }, { stored, take });
    steps.push(step);
    if (step.p99 > GOAL_MS || step.refused > 0) break;
    await untilDrained(receiver.data);
  }
  return steps;
}

export function rateRows(steps: readonly RateStep[]): readonly Row[] {
  const held = steps.filter(({ p99, refused }) => p99 <= GOAL_MS && refused === 0).at(-1);
  return [
    ...steps.map(({ rate, p99, refused }) =>
      row(`p99 at ${rate} requests a second${refused === 0 ? '' : `, ${refused} refused`}, ms`, [p99]),
    ),
    row(`requests a second at which p99 ≤ ${GOAL_MS} ms holds`, [held?.rate ?? 0], { digits: 0 }),
  ];
}
