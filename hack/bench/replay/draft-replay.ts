import { cpuMicros, peakMb } from '../processes.ts';
import type { BenchServer } from '../subjects.ts';
import { row, type Row } from '../table.ts';
import { replay } from './asked-replay.ts';
import { DRAFT, RECORDING } from './tenants.ts';

const GOAL = { receiptsPerSecond: 20_000, mb: 300, seconds: 60 };
/** The goal in seconds is for so many receipts. */
const MILLION = 1_000_000;

/** The draft as the body of a replay. */
export const draft = { policy: { metadata: { namespace: RECORDING.namespace, name: 'draft' }, spec: DRAFT } };

/** Replays of a draft of five rules. */
export interface DraftReplays {
  readonly receipts: number;
  /** One for each round. */
  readonly seconds: readonly number[];
  /** CPU time of the process, which does nothing else meanwhile, for each receipt, µs. */
  readonly cpuMicros: readonly number[];
  readonly allowToDeny: number;
  /** Largest resident memory of the process before and after, MB. */
  readonly mbBefore: number;
  readonly mb: number;
}

/** @throws Error a receipt was left out, or its run could not be decided */
export async function measureDraft(server: BenchServer, receipts: number, rounds: number): Promise<DraftReplays> {
  const mbBefore = peakMb(server.started.pid);
  const seconds: number[] = [];
  const micros: number[] = [];
  let allowToDeny = 0;
  for (let round = 0; round < rounds; round += 1) {
    const before = cpuMicros(server.started.pid);
    const done = await replay(server, draft);
    micros.push((cpuMicros(server.started.pid) - before) / receipts);
    if (done.evaluated !== receipts || done.indeterminate.length > 0)
      throw new Error(`the replay did not decide all ${receipts} runs: ${JSON.stringify(done)}`);
    seconds.push(done.seconds);
    allowToDeny = Number(done.counts['allow_to_deny']);
  }
  return { receipts, seconds, cpuMicros: micros, allowToDeny, mbBefore, mb: peakMb(server.started.pid) };
}

export function draftRows({ receipts, seconds, cpuMicros: micros, mb, mbBefore }: DraftReplays): readonly Row[] {
  const isMillion = receipts >= MILLION;
  const rates = seconds.map((one) => receipts / one);
  return [
    row(`replay of five rules over ${receipts} receipts, s`, seconds, isMillion ? { atMost: GOAL.seconds } : {}),
    row('receipts/s of its thread', rates, { digits: 0, atLeast: GOAL.receiptsPerSecond }),
    row('CPU of the process for a receipt, µs', micros),
    row('largest resident memory of the process before, MB', [mbBefore], { digits: 0 }),
    row('largest resident memory of the process with it, MB', [mb], { digits: 0, atMost: GOAL.mb }),
  ];
}
