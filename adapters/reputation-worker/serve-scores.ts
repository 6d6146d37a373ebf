import type { ReceiptTotals } from '../../core/ingestion/incidents/corroborate.ts';
import { LedgerError, type ReceiptWindow } from '../ledger/port.ts';
import { openSqliteReader, type SqliteReader } from '../ledger/sqlite-reader.ts';
import type { LineToScore, ScoredLine } from '../../core/reputation/score-line.ts';
import type { CheckedOrb, OrbToCheck } from './port.ts';
import { ScoreDesk } from './score-desk.ts';

/** One piece of work. */
export type ScoreWork =
  | readonly [kind: 'score', line: LineToScore]
  | readonly [kind: 'count', window: ReceiptWindow]
  /** Begins a check, in place of any other one. */
  | readonly [kind: 'check', orb: OrbToCheck]
  /** Does the next part of the check. */
  | readonly [kind: 'step'];

/** What the thread is sent: the path of the ledger's file first, and `close` last. */
export type ToScoreThread = ScoreWork | readonly [kind: 'open', file: string] | readonly [kind: 'close'];

/** The answer to one piece of work. */
export type FromScoreThread =
  | readonly [kind: 'scored', line: ScoredLine]
  | readonly [kind: 'counted', totals: ReceiptTotals]
  /** null: the check is not done yet. */
  | readonly [kind: 'checked', orb: CheckedOrb | null]
  /** The ledger could not be read. */
  | readonly [kind: 'failed', code: LedgerError['code'], message: string]
  /** Any other error: a bug, or rows of the ledger that can't be read. */
  | readonly [kind: 'broken', message: string, stack: string];

/** The thread's end of its channel. */
export interface ScorePort {
  readonly on: (event: 'message', listener: (message: ToScoreThread) => void) => unknown;
  readonly postMessage: (message: FromScoreThread) => void;
  readonly close: () => void;
}

async function answerOf(desk: ScoreDesk, work: ScoreWork): Promise<FromScoreThread> {
  switch (work[0]) {
    case 'score':
      return ['scored', await desk.score(work[1])];
    case 'count':
      return ['counted', await desk.count(work[1])];
    case 'check':
      await desk.beginCheck(work[1]);
      return ['checked', null];
    case 'step':
      return ['checked', await desk.stepCheck()];
    default:
      return work satisfies never;
  }
}

function failureOf(error: unknown): FromScoreThread {
  if (error instanceof LedgerError) return ['failed', error.code, error.message];
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  return ['broken', message, stack];
}

/** Handles messages one at a time, and answers each piece of work. The file is opened for the first one. */
export function serveScores(port: ScorePort): void {
  let file = '';
  let reader: SqliteReader | undefined;
  let desk: ScoreDesk | undefined;
  let last: Promise<void> = Promise.resolve();

  async function work(message: ScoreWork): Promise<void> {
    try {
      reader ??= openSqliteReader(file);
      desk ??= new ScoreDesk(reader);
      port.postMessage(await answerOf(desk, message));
    } catch (error) {
      port.postMessage(failureOf(error));
    }
  }

  async function handle(message: ToScoreThread): Promise<void> {
    if (message[0] === 'open') file = message[1];
    else if (message[0] === 'close') {
      reader?.close();
      port.close();
    } else await work(message);
  }

  port.on('message', (message) => {
    last = last.then(() => handle(message));
  });
}
