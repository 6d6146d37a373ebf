import { deadLetterRows, type DeadLetterRows, type RedriveRow } from '../tables/dead-letters.ts';
import { unpackEffects, type ApplyRow, type EffectColumns } from '../tables/delivery-effects.ts';
import { STATES, type AcceptRow, type FailRow } from '../tables/deliveries.ts';
import { deliveryRows, type DeliveryRows, type WaitingDelivery } from '../tables/delivery-rows.ts';
import { faultOfChange } from '../tables/incident-changes.ts';
import type { ChangeRow } from '../tables/incidents.ts';
import { ingestSourceRows, type IngestSourceRows } from '../tables/ingest-sources.ts';
import { faultOfState, signalStateRows, type SignalStateRows } from '../tables/signal-states.ts';
import { faultOfSignal, signalRows, type SignalRows } from '../tables/signals.ts';
import { refused, type Connection, type RowResult } from '../tables/table.ts';
import type { WriteRow } from '../tables/tables.ts';
import { IncidentWriter } from './incident-writer.ts';
import type { LogWriter } from './log-writer.ts';

type IngestRow = AcceptRow | FailRow | ApplyRow | RedriveRow | ChangeRow;

const OPERATIONS = {
  acceptDelivery: true,
  failDelivery: true,
  applyDeliveries: true,
  redrive: true,
  changeIncidents: true,
} as const satisfies Record<IngestRow[0], true>;

export const isIngestRow = (row: WriteRow): row is IngestRow => Object.hasOwn(OPERATIONS, row[0]);

const MAX_BODY_BYTES = 4_194_304;
const MAX_HEADERS_CHARACTERS = 65_536;
const MAX_KEY_CHARACTERS = 1024;
const MAX_DETAIL_CHARACTERS = 4096;
/** A delivery that failed so often is dead. */
const MAX_FAILURES = 3;

/** Why a delivery can't be accepted; undefined: it can. */
function faultOfDelivery([, , , , deliveryKey, receivedAt, bytes, headers]: AcceptRow): string | undefined {
  if (!Number.isSafeInteger(receivedAt)) return 'a time is no whole number of milliseconds';
  if (bytes > MAX_BODY_BYTES) return `a body is longer than ${MAX_BODY_BYTES} bytes`;
  return headers.length > MAX_HEADERS_CHARACTERS || deliveryKey.length > MAX_KEY_CHARACTERS
    ? 'the headers or the key of a delivery are too long'
    : undefined;
}

/** Why effects can't be applied; undefined: they can. */
function faultOfEffects([, death, signals, states, incidents]: EffectColumns): string | undefined {
  if (death !== null && death.some((text) => text.length > MAX_DETAIL_CHARACTERS)) return 'a reason is too long';
  for (const signal of signals) {
    const fault = faultOfSignal(signal);
    if (fault !== undefined) return fault;
  }
  return [...states.map(faultOfState), ...incidents.map(faultOfChange)].find((fault) => fault !== undefined);
}

/** Effects of a delivery that waits. */
interface Due {
  readonly delivery: WaitingDelivery;
  readonly effects: EffectColumns;
}

/** Writes deliveries and what comes of them, inside the writer's transaction. */
export class IngestWriter {
  readonly #sources: IngestSourceRows;
  readonly #deliveries: DeliveryRows;
  readonly #letters: DeadLetterRows;
  readonly #signals: SignalRows;
  readonly #states: SignalStateRows;
  readonly #incidents: IncidentWriter;
  /** Deliveries of all sources that wait. Undefined after a rollback: then it is read again. */
  #waiting: number | undefined;

  constructor(db: Connection) {
    this.#sources = ingestSourceRows(db);
    this.#deliveries = deliveryRows(db);
    this.#letters = deadLetterRows(db);
    this.#signals = signalRows(db);
    this.#states = signalStateRows(db);
    this.#incidents = new IncidentWriter(db);
  }

  apply(row: IngestRow, log: LogWriter): RowResult {
    switch (row[0]) {
      case 'acceptDelivery':
        return this.#accept(row);
      case 'failDelivery':
        return this.#fail(row);
      case 'applyDeliveries':
        return this.#applyAll(row, log);
      case 'redrive':
        return this.#redrive(row);
      case 'changeIncidents':
        return this.#incidents.change(row, log);
      default:
        return row satisfies never;
    }
  }

  /** To call after a rollback: memory follows the disk. */
  forget(): void {
    this.#waiting = undefined;
  }

  #accept(row: AcceptRow): RowResult {
    const [, , tenant, source, deliveryKey, receivedAt, bytes, , , perSource, inAll] = row;
    const fault = faultOfDelivery(row);
    if (fault !== undefined) return refused(fault);
    const { id, waiting } = this.#sources.find(source, tenant);
    const earlier = this.#deliveries.idOf(id, deliveryKey);
    if (earlier !== undefined) return ['exists', earlier];
    this.#waiting ??= this.#sources.waiting();
    if (waiting >= perSource || this.#waiting >= inAll) return ['full'];
    if (!this.#deliveries.insert(id, row)) return refused('the delivery id is taken');
    this.#sources.count(id, { received: 1, waiting: 1, bodyBytes: bytes }, receivedAt);
    this.#waiting += 1;
    return null;
  }

  #applyAll([, lease, epoch, packed]: ApplyRow, log: LogWriter): RowResult {
    const all = packed.map(unpackEffects);
    const fault = all.map(faultOfEffects).find((one) => one !== undefined);
    if (fault !== undefined) return refused(fault);
    const lost = this.#incidents.whyLost(lease, epoch);
    if (lost !== null) return lost;
    const due = this.#dueOf(all);
    const stale = this.#incidents.whyStale(due.flatMap(({ effects }) => effects[4]));
    if (stale !== null) return stale;
    for (const one of due) this.#applyOne(one, log);
    return null;
  }

  /** Effects of those that still wait, each delivery once. */
  #dueOf(all: readonly EffectColumns[]): readonly Due[] {
    const seen = new Set<string>();
    return all.flatMap((effects) => {
      const [deliveryId] = effects;
      const delivery = seen.has(deliveryId) ? undefined : this.#deliveries.waiting(deliveryId);
      seen.add(deliveryId);
      return delivery === undefined ? [] : [{ delivery, effects }];
    });
  }

  #applyOne({ delivery, effects: [, death, signals, states, incidents] }: Due, log: LogWriter): void {
    const { seq, source, tenant } = delivery;
    for (const signal of signals) this.#signals.put({ tenant, source, delivery: seq }, signal);
    for (const state of states) this.#states.put(source, state);
    this.#incidents.write(incidents, log);
    if (death === null) this.#deliveries.setDone(seq);
    else this.#deliveries.setDead(seq, { reason: death[0], pointer: death[1], detail: death[2] });
    this.#sources.count(source, death === null ? { waiting: -1, done: 1 } : { waiting: -1, dead: 1 });
    this.#addWaiting(-1);
  }

  #fail([, lease, epoch, deliveryId, detail]: FailRow): RowResult {
    if (detail.length > MAX_DETAIL_CHARACTERS) return refused('a reason is too long');
    const lost = this.#incidents.whyLost(lease, epoch);
    if (lost !== null) return lost;
    const delivery = this.#deliveries.waiting(deliveryId);
    if (delivery === undefined) return ['missing'];
    const { seq, source, failures } = delivery;
    this.#deliveries.addFailure(seq, detail);
    if (failures + 1 < MAX_FAILURES) return STATES.accepted;
    this.#deliveries.setDead(seq, { reason: 'downstream', pointer: '', detail });
    this.#sources.count(source, { waiting: -1, dead: 1 });
    this.#addWaiting(-1);
    return STATES.dead;
  }

  #redrive(row: RedriveRow): RowResult {
    const revived = this.#letters.revive(row);
    for (const source of revived) this.#sources.count(source, { waiting: 1, dead: -1 });
    this.#addWaiting(revived.length);
    return revived.length;
  }

  #addWaiting(change: number): void {
    if (this.#waiting !== undefined) this.#waiting += change;
  }
}
