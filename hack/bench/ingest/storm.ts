import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { ledgerFileOf } from '../../../test/support/data-ledger.ts';
import { seededRandom } from '../../../test/chaos/seeded-random.ts';
import { percentile } from '../../../test/support/rank.ts';
import { row, type Row } from '../table.ts';
import { openWaiting } from './backlog.ts';
import { payloadsOf, type Events } from './payloads.ts';
import type { StoredPayloads } from './stored-payloads.ts';
import { atRate, Sender, type Answer } from './sender.ts';
import type { Receiver } from './sources.ts';

/** How the vendor behaves. */
export interface StormSettings {
  readonly events: Events;
  /** How often each delivery is sent until it was acknowledged as often. */
  readonly copies: number;
  /** Requests a second. */
  readonly rate: number;
  /** How long the ledger is away, s. */
  readonly awaySeconds: number;
}

/** What senders saw. */
export interface Storm {
  readonly seconds: number;
  /** Number of answers by status; 0: a connection broke. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The same while the ledger was away. */
  readonly whileAway: Readonly<Record<string, number>>;
  /** Time of acknowledgements while the ledger was there, ms. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** From the return of the ledger until what had waited then was mapped, s; null: it was never away. */
  readonly recoverySeconds: number | null;
  /** From the last acknowledgement until nothing waited, s. */
  readonly drainSeconds: number;
  /** Payload → delivery id of its acknowledgements. */
  readonly acknowledged: ReadonlyMap<number, string>;
  /** Payloads that got different delivery ids. */
  readonly ambiguous: number;
}

const CONNECTIONS = 256;
const RETRY_MS = 1000;
const POLL_MS = 100;
const BUSY_MS = 20_000;
/** The ledger goes away when this share of the copies was acknowledged. */
const AWAY_AT = 0.4;

/** Every copy of every payload, in random order. */
function shuffled({ events, copies }: StormSettings): number[] {
  const payloads = payloadsOf(events);
  const order = Array.from({ length: payloads * copies }, (_, index) => index % payloads);
  const random = seededRandom(16);
  for (let last = order.length - 1; last > 0; last -= 1) {
    const at = Math.floor(random() * (last + 1));
    const [one = 0, other = 0] = [order[last], order[at]];
    order[last] = other;
    order[at] = one;
  }
  return order;
}

const DELIVERY_ID = /"delivery_id":"(dlv_[^"]+)"/;

class Vendor {
  readonly #settings: StormSettings;
  readonly #payloads: StoredPayloads;
  readonly #path: string;
  readonly #sender: Sender;
  readonly #left: number[];
  readonly #retries = new Set<Promise<void>>();
  readonly acknowledged = new Map<number, string>();
  readonly statuses = new Map<number, number>();
  readonly statusesAway = new Map<number, number>();
  readonly times: number[] = [];
  readonly #total: number;
  #acknowledgements = 0;
  ambiguous = 0;
  isAway = false;

  constructor({ server, path }: Receiver, settings: StormSettings, payloads: StoredPayloads) {
    this.#payloads = payloads;
    this.#settings = settings;
    this.#path = path;
    this.#sender = new Sender(server.port, CONNECTIONS);
    this.#left = shuffled(settings);
    this.#total = this.#left.length;
  }

  /** Share of the copies that were acknowledged. */
  share(): number {
    return this.#acknowledgements / this.#total;
  }

  async run(): Promise<void> {
    while (this.#acknowledgements < this.#total) {
      await atRate(this.#settings.rate, (due) => {
        const payload = this.#left.pop();
        return payload === undefined ? undefined : this.#deliver(payload, due);
      });
      await Promise.all(this.#retries);
    }
    this.#sender.close();
  }

  async #deliver(payload: number, due: number): Promise<void> {
    const { body, headers } = this.#payloads.at(payload);
    const before = this.isAway;
    const answer = await this.#sender.send({ path: this.#path, body, headers }, due);
    const wasAway = before || this.isAway;
    const counts = wasAway ? this.statusesAway : this.statuses;
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
    if (answer.status === 200 || answer.status === 202) this.#note(payload, answer, wasAway);
    else this.#again(payload);
  }

  #note(payload: number, { text, ms }: Answer, wasAway: boolean): void {
    const id = DELIVERY_ID.exec(text)?.[1] ?? '';
    const known = this.acknowledged.get(payload);
    if (known !== undefined && known !== id) this.ambiguous += 1;
    this.acknowledged.set(payload, id);
    this.#acknowledgements += 1;
    if (!wasAway) this.times.push(ms);
  }

  /** A vendor sends again what was refused. */
  #again(payload: number): void {
    const retry = this.#afterPause(payload).finally(() => this.#retries.delete(retry));
    this.#retries.add(retry);
  }

  async #afterPause(payload: number): Promise<void> {
    await delay(RETRY_MS);
    this.#left.unshift(payload);
  }
}

/** Holds the write lock of the file, as a disk that does not answer would. */
async function takeLedgerAway(data: string, seconds: number): Promise<void> {
  const db = new DatabaseSync(ledgerFileOf(data), { timeout: BUSY_MS });
  db.exec('BEGIN IMMEDIATE');
  try {
    await delay(seconds * 1000);
  } finally {
    db.exec('ROLLBACK');
    db.close();
  }
}

/** @returns seconds until every delivery that was accepted before `time` was mapped */
async function untilMapped(data: string, time: number): Promise<number> {
  const db = new DatabaseSync(ledgerFileOf(data), { readOnly: true, timeout: BUSY_MS });
  const oldest = db.prepare('SELECT min(received_at) AS oldest FROM deliveries WHERE state = 0');
  const began = performance.now();
  try {
    for (;;) {
      const at = oldest.get()?.['oldest'];
      if (typeof at !== 'number' || at >= time) return (performance.now() - began) / 1000;
      await delay(POLL_MS);
    }
  } finally {
    db.close();
  }
}

async function withAbsence(vendor: Vendor, data: string, { awaySeconds }: StormSettings): Promise<number | null> {
  if (awaySeconds === 0) return null;
  while (vendor.share() < AWAY_AT) await delay(POLL_MS);
  console.error(`  the ledger is away for ${awaySeconds} s …`);
  vendor.isAway = true;
  await takeLedgerAway(data, awaySeconds);
  vendor.isAway = false;
  return untilMapped(data, Date.now());
}

/** Sends a storm while the ledger goes away once, until every copy was acknowledged and nothing waits. */
export async function measureStorm(
  receiver: Receiver,
  settings: StormSettings,
  payloads: StoredPayloads,
): Promise<Storm> {
  const vendor = new Vendor(receiver, settings, payloads);
  const began = performance.now();
  const absence = withAbsence(vendor, receiver.data, settings);
  await vendor.run();
  const ended = performance.now();
  const recoverySeconds = await absence;
  const waiting = openWaiting(receiver.data);
  while (waiting.count() > 0) await delay(POLL_MS);
  waiting.close();
  return {
    seconds: (ended - began) / 1000,
    statuses: Object.fromEntries(vendor.statuses),
    whileAway: Object.fromEntries(vendor.statusesAway),
    p50: percentile(vendor.times, 0.5),
    p99: percentile(vendor.times, 0.99),
    max: percentile(vendor.times, 1),
    recoverySeconds,
    drainSeconds: (performance.now() - ended) / 1000,
    acknowledged: vendor.acknowledged,
    ambiguous: vendor.ambiguous,
  };
}

const isRefusal = (status: string): boolean => status.startsWith('4');
const sumOf = (counts: Readonly<Record<string, number>>, matches: (status: string) => boolean): number =>
  Object.entries(counts).reduce((sum, [status, count]) => sum + (matches(status) ? count : 0), 0);

export function stormRows(storm: Storm): readonly Row[] {
  const { statuses, whileAway, p50, p99, recoverySeconds, drainSeconds, ambiguous } = storm;
  const none = { digits: 0, atMost: 0 };
  return [
    row('storm: time of 200 and 202, p50, ms', [p50]),
    row('storm: time of 200 and 202, p99, ms', [p99]),
    row('storm: answers 4xx', [sumOf(statuses, isRefusal) + sumOf(whileAway, isRefusal)], none),
    row('storm: broken connections', [(statuses['0'] ?? 0) + (whileAway['0'] ?? 0)], none),
    row('storm: answers 503 while the ledger is away', [whileAway['503'] ?? 0], { digits: 0 }),
    row('storm: payloads with two delivery ids', [ambiguous], none),
    ...(recoverySeconds === null
      ? []
      : [row('what waited when it is back, mapped after s', [recoverySeconds], { atMost: 60 })]),
    row('nothing waits, s after the last answer', [drainSeconds], { atMost: 60 }),
  ];
}
