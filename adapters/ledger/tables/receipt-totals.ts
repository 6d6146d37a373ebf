import type { ReceiptTotals, RunCounts } from '../../../core/ingestion/incidents/corroborate.ts';
import { readEntry } from '../../../core/log-entry/entry.ts';
import { lineOf } from '../../../core/reputation/line.ts';
import { integerOf, optionalTextOf, textOf, type Row } from '../sqlite/columns.ts';
import { nothing, type TableParts } from './table.ts';

/** Whose runs of which time are counted. Times: ms since epoch. */
export interface ReceiptWindow {
  readonly orbId: string;
  /** Inclusive. */
  readonly from: number;
  /** Exclusive, at most 25 h later. */
  readonly until: number;
  /** Tenants whose runs do not count. */
  readonly except: readonly string[];
}

/** Counts of the runs of an Orb by all tenants. */
interface ReceiptTotalPort {
  /**
   * Runs of a time, and of the 30 days before. It reads every receipt of that time: call it in another thread.
   * @throws RangeError a time of more than 25 h
   */
  readonly receiptTotals: (window: ReceiptWindow) => Promise<ReceiptTotals>;
}

const MINUTE_MS = 60_000;
const FIVE = 5;
const MAX_MS = 25 * 60 * MINUTE_MS;
const DAY_MS = 86_400_000;
const BASELINE_DAYS = 30;
/** Fewer runs in five minutes say nothing about their share. */
const LEAST_IN_FIVE = 5;

const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Runs by minute. */
class Minutes {
  readonly #counts = new Map<number, { runs: number; failed: number }>();

  add(at: number, hasFailed: boolean): void {
    const minute = Math.floor(at / MINUTE_MS);
    const found = this.#counts.get(minute) ?? { runs: 0, failed: 0 };
    this.#counts.set(minute, { runs: found.runs + 1, failed: found.failed + Number(hasFailed) });
  }

  /** The highest share of failures of any five minutes in which something ran in the first. */
  worstShare(): number {
    let worst = 0;
    for (const first of this.#counts.keys()) {
      const minutes = Array.from({ length: FIVE }, (_, index) => this.#counts.get(first + index));
      const runs = minutes.reduce((sum, found) => sum + (found?.runs ?? 0), 0);
      const failed = minutes.reduce((sum, found) => sum + (found?.failed ?? 0), 0);
      if (runs >= LEAST_IN_FIVE) worst = Math.max(worst, failed / runs);
    }
    return worst;
  }
}

/** An entry of a run that nobody published tells no duration. */
function isSlow(row: Row): boolean {
  const text = optionalTextOf(row, 'entry');
  const entry = text === null ? undefined : readEntry(text);
  return entry?.kind === 'receipt' && entry.duration_ms > entry.slo_ms;
}

function receiptTotalPort({ prepare, read }: TableParts<never>): ReceiptTotalPort {
  const nextTenant = prepare('SELECT min(tenant) AS tenant FROM receipts INDEXED BY receipts_newest WHERE tenant > ?');
  const runs = prepare(
    `SELECT issued_at, outcome, CAST(entry AS TEXT) AS entry FROM receipts INDEXED BY receipts_newest
     LEFT JOIN log_entries ON outcome = 'success' AND log_entries.idx = receipts.log_index
     WHERE tenant = ? AND issued_at >= ? AND issued_at < ? AND orb_id = ? AND outcome IN ('success', 'orb_error', 'timeout')`,
  );
  const days = prepare(
    `SELECT coalesce(sum(success), 0) AS success, coalesce(sum(within_slo), 0) AS within_slo,
       coalesce(sum(failed), 0) AS failed FROM reputation_days WHERE line = ? AND self = 0 AND day >= ? AND day < ?`,
  );
  function* tenants(except: readonly string[]): Generator<string> {
    for (let last = ''; ;) {
      const tenant = optionalTextOf(nextTenant.get(last) ?? {}, 'tenant');
      if (tenant === null) return;
      if (!except.includes(tenant)) yield tenant;
      last = tenant;
    }
  }
  const baselineOf = ({ orbId, from }: ReceiptWindow): RunCounts => {
    const row = days.get(lineOf(orbId), dayText(from - BASELINE_DAYS * DAY_MS), dayText(from)) ?? {};
    const [success, failed] = [integerOf(row, 'success'), integerOf(row, 'failed')];
    return { runs: success + failed, failed, slow: success - integerOf(row, 'within_slo') };
  };
  const totals = (window: ReceiptWindow): ReceiptTotals => {
    const { orbId, from, until, except } = window;
    if (until - from > MAX_MS) throw new RangeError('a time of at most 25 h');
    const minutes = new Minutes();
    const sum = { runs: 0, failed: 0, slow: 0, callers: 0 };
    for (const tenant of tenants(except)) {
      const before = sum.runs;
      for (const row of runs.iterate(tenant, from, until, orbId)) {
        const hasFailed = textOf(row, 'outcome') !== 'success';
        sum.runs += 1;
        sum.failed += Number(hasFailed);
        sum.slow += Number(!hasFailed && isSlow(row));
        minutes.add(integerOf(row, 'issued_at'), hasFailed);
      }
      if (sum.runs > before) sum.callers += 1;
    }
    return { ...sum, worstShare: minutes.worstShare(), baseline: baselineOf(window) };
  };
  return { receiptTotals: (window) => read(() => totals(window)) };
}

/** Read from receipts, log and days. It has no table of its own. */
export const receiptTotals = { schema: {}, port: receiptTotalPort, writers: nothing };
