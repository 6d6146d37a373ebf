import type { Ledger } from '../../../adapters/ledger/port.ts';
import { entryText } from '../../../core/log-entry/entry.ts';
import { digestOf, orbIdOf } from './many-orbs.ts';

const DAY_MS = 86_400_000;
/** The runs are spread over so many days before today. */
const DAYS = 60;
const CALLERS = 40;
/** Entries of one transaction, and transactions that wait for their commit. */
const BATCH = 5000;
const IN_FLIGHT = 4;
const SHOW_EVERY = 1_000_000;

interface Orb {
  readonly orbId: string;
  readonly digest: string;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/**
 * One run in 50 of each Orb fails; one in 25 is slower than the Orb promises.
 * @param number of the run among all, from 0
 * @param turn number of the run among those of its Orb, from 0
 */
function receiptAt(number: number, turn: number, orb: Orb, now: number): string {
  const tail = hex(number, 12);
  return entryText({
    kind: 'receipt',
    receipt_id: `rcpt_00000000-0000-7000-8000-${tail}`,
    orb_id: orb.orbId,
    manifest_digest: orb.digest,
    caller_tag: hex(turn % CALLERS, 32),
    self: false,
    outcome: turn % 50 === 49 ? 'orb_error' : 'success',
    duration_ms: turn % 25 === 24 ? 9000 : 40 + (turn % 60),
    slo_ms: 5000,
    finished_at: new Date(now - (turn % DAYS) * DAY_MS).toISOString(),
    jws_sha256: hex(number, 64),
  });
}

/** Appends public entries of runs, in turn of the first `orbs` published Orbs. */
export async function appendReceipts(
  ledger: Pick<Ledger, 'appendEntries'>,
  { orbs, receipts }: { readonly orbs: number; readonly receipts: number },
): Promise<void> {
  const now = Date.now();
  const subjects = Array.from({ length: orbs }, (_, index): Orb => ({
    orbId: orbIdOf(index),
    digest: digestOf(index),
  }));
  const writing: Promise<number>[] = [];
  for (let first = 0; first < receipts; first += BATCH) {
    const entries = Array.from({ length: Math.min(BATCH, receipts - first) }, (_, offset) => {
      const number = first + offset;
      const orb = subjects[number % orbs];
      if (orb === undefined) throw new RangeError('no Orb is published');
      return receiptAt(number, Math.floor(number / orbs), orb, now);
    });
    writing.push(ledger.appendEntries(entries));
    if (writing.length === IN_FLIGHT) await writing.shift();
    if (first % SHOW_EVERY === 0 && first > 0) console.error(`  ${first} of ${receipts} receipts`);
  }
  await Promise.all(writing);
}
