import type { Clock } from '../../time/clock.ts';
import type { GroupCommit } from '../group-commit.ts';
import type {
  FinishResult,
  IdempotencyEntry,
  Ledger,
  LogGate,
  NewSwap,
  RunFinish,
  RunStart,
  StartResult,
  SwapResult,
} from '../port.ts';
import { NONCE_BYTES } from '../sealed-answer.ts';
import { numberOf, unexpected, type RowResult } from '../tables/table.ts';
import type { FinishRow, LogRow, StartRow, SwapRow, WriteRow } from './protocol.ts';
import type { Reader } from './reader.ts';
import { ledgerError } from './sqlite-error.ts';

export interface WriteDeps {
  readonly queue: GroupCommit<WriteRow, RowResult>;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  /** Gate for all rows that end in the log. */
  readonly gate: Pick<LogGate, 'refusal'>;
}

// Claims erased in one transaction: some milliseconds of the writer's time.
const ERASE_ROWS = 1000;

function startRow(start: RunStart): StartRow {
  const { path = null, key = '', bodySha256 = '', expiresAt = 0 } = start.idempotency ?? {};
  return [
    'start',
    start.runId,
    start.tenant,
    start.startedAt,
    start.deadlineAt,
    start.owner,
    start.seed,
    path,
    key,
    bodySha256,
    expiresAt,
  ];
}

function finishRow({ runId, tenant, receipt, answer }: RunFinish, random: WriteDeps['random']): FinishRow {
  return [
    'finish',
    runId,
    tenant,
    receipt.receiptId,
    receipt.orbId,
    receipt.outcome,
    receipt.issuedAt,
    receipt.jws,
    receipt.entry,
    answer ?? null,
    answer === undefined ? null : Uint8Array.from(random(NONCE_BYTES)), // a copy: a pool is not sent with it
  ];
}

function startResult(result: RowResult, start: RunStart, reader: Reader): StartResult {
  if (result === null) return { kind: 'started' };
  const { tenant, idempotency } = start;
  if (idempotency === undefined) throw unexpected(result);
  return { kind: 'idempotent', entry: entryOf(result, { tenant, ...idempotency }, reader) };
}

function finishResult(result: RowResult): FinishResult {
  if (result === null) return { kind: 'finished' };
  if (typeof result === 'number' || result[0] !== 'closed') throw unexpected(result);
  return { kind: 'closed', receiptId: result[1] };
}

/** The entry under a key that is in use. */
function entryOf(
  result: RowResult,
  place: { readonly tenant: string; readonly path: string; readonly key: string },
  reader: Reader,
): IdempotencyEntry {
  if (result === null || typeof result === 'number' || result[0] !== 'taken') throw unexpected(result);
  const [, bodySha256, runId, sealed] = result;
  try {
    return reader.claimed(place, bodySha256, runId, sealed);
  } catch (error) {
    throw ledgerError(error);
  }
}

const swapRow = (swap: NewSwap): SwapRow => [
  'swap',
  swap.tenant,
  swap.orbUid,
  swap.swapSeq,
  swap.epoch,
  swap.receiptId,
  swap.orbId,
  swap.issuedAt,
  swap.jws,
  swap.entry,
];

function swapResult(result: RowResult): SwapResult {
  if (result === null) return { kind: 'recorded' };
  if (typeof result === 'number') throw unexpected(result);
  if (result[0] === 'exists') return { kind: 'exists', receiptId: result[1] };
  if (result[0] === 'fenced') return { kind: 'fenced', highest: result[1] };
  throw unexpected(result);
}

type Writes = Pick<
  Ledger,
  'startRun' | 'finishRun' | 'recordRun' | 'keepAnswer' | 'recordSwap' | 'eraseExpired' | 'appendEntries'
>;

/** The writing half of the port: puts rows into the queue and turns their results into those of the port. */
export function createWrites({ queue, reader, clock, random, gate }: WriteDeps): Writes {
  const logged = async (row: LogRow): Promise<RowResult> => {
    const refusal = gate.refusal();
    if (refusal !== undefined) throw refusal;
    return queue.add(row);
  };
  const eraseExpired = async (now: number): Promise<number> => {
    let erased = 0;
    for (;;) {
      const count = numberOf(await queue.add(['erase', now, ERASE_ROWS]));
      erased += count;
      if (count < ERASE_ROWS) return erased;
    }
  };
  return {
    startRun: async (start) => startResult(await logged(startRow(start)), start, reader),
    finishRun: async (finish) => finishResult(await logged(finishRow(finish, random))),
    recordRun: async (start, finish) =>
      startResult(await logged(['record', startRow(start), finishRow(finish, random)]), start, reader),
    keepAnswer: async (tenant, claim, { requestId, answer }) => {
      const { path, key, bodySha256, expiresAt } = claim;
      const nonce = Uint8Array.from(random(NONCE_BYTES)); // a copy, as above
      const row = [tenant, path, key, bodySha256, requestId, clock.now(), expiresAt, answer, nonce] as const;
      const result = await queue.add(['answer', ...row]);
      return result === null ? undefined : entryOf(result, { tenant, path, key }, reader);
    },
    recordSwap: async (swap) => swapResult(await logged(swapRow(swap))),
    eraseExpired,
    appendEntries: async (entries) => numberOf(await logged(['append', [...entries]])),
  };
}
