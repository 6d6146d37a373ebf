import { DatabaseSync } from 'node:sqlite';
import {
  applyToFingerprint,
  NO_FINGERPRINT,
  type FingerprintState,
} from '../../../core/ingestion/incidents/fingerprint-state.ts';
import { ledgerFileOf } from '../../../test/support/data-ledger.ts';
import { row, type Row } from '../table.ts';
import { eventAt, fingerprintOf, isSevere, payloadsOf, problemsOf, type Events } from './payloads.ts';
import { NAMESPACE, SOURCE } from './sources.ts';

/** What the ledger holds after a storm, beside what it should. */
export interface Effects {
  /** Acknowledged deliveries that were not mapped. */
  readonly lost: number;
  /** Deliveries beyond one for each payload. */
  readonly doubled: number;
  readonly missingSignals: number;
  /** Signals beyond the events, and repeats: each event was sent in one payload. */
  readonly doubledSignals: number;
  /** States of fingerprints that differ from those of the undisturbed order. */
  readonly wrongStates: number;
  /** Problems that fire without one open incident, and groups with two. */
  readonly wrongIncidents: number;
}

/** The state of a problem after its events in their order. */
function expectedState(problem: number, events: Events): FingerprintState {
  let state = NO_FINGERPRINT;
  for (let number = problem; number < events.count; number += problemsOf(events)) {
    const { orb, title, ...event } = eventAt(number, events);
    const next = applyToFingerprint(state, event, { target: { kind: 'orb', orb }, title });
    if (next === undefined) throw new TypeError('a problem of the benchmark has one target');
    state = next;
  }
  return state;
}

const numberAt = (db: DatabaseSync, sql: string, ...values: readonly string[]): number =>
  Number(db.prepare(sql).get(...values)?.['number']);

/** The platform has a source of its own, which it watches itself by. */
const KEY = `${NAMESPACE}/${SOURCE}`;
const OF_SOURCE = '(SELECT id FROM ingest_sources WHERE source = ?)';

function wrongStates(db: DatabaseSync, events: Events): number {
  const find = db.prepare(`SELECT json FROM signal_states WHERE source = ${OF_SOURCE} AND fingerprint = ?`);
  let wrong = 0;
  for (let problem = 0; problem < problemsOf(events); problem += 1) {
    const found = find.get(KEY, fingerprintOf(problem))?.['json'];
    if (found !== JSON.stringify(expectedState(problem, events))) wrong += 1;
  }
  return wrong;
}

function wrongIncidents(db: DatabaseSync, events: Events): number {
  const open = db.prepare(
    `SELECT json ->> '$.fingerprint' AS fingerprint, count(*) AS number FROM incidents
     WHERE ended_at IS NULL GROUP BY group_key`,
  );
  const counts = new Map(open.all().map((one) => [String(one['fingerprint']), Number(one['number'])]));
  let wrong = [...counts.values()].filter((count) => count > 1).length;
  for (let problem = 0; problem < problemsOf(events); problem += 1) {
    const last = eventAt(events.count - problemsOf(events) + problem, events);
    const fires = isSevere(problem) && last.status === 'firing';
    if (fires && counts.get(last.fingerprint) !== 1) wrong += 1;
  }
  return wrong;
}

/** Compares the ledger with what was acknowledged. */
export function measureEffects(data: string, events: Events, acknowledged: ReadonlyMap<number, string>): Effects {
  const db = new DatabaseSync(ledgerFileOf(data), { readOnly: true, timeout: 20_000 });
  try {
    const done = db.prepare('SELECT 1 FROM deliveries WHERE delivery_id = ? AND state = 1');
    const lost = [...acknowledged.values()].filter((id) => done.get(id) === undefined).length;
    const signals = numberAt(db, `SELECT count(*) AS number FROM signals WHERE source = ${OF_SOURCE}`, KEY);
    const repeats = numberAt(
      db,
      `SELECT coalesce(sum(repeat_count), 0) AS number FROM signals WHERE source = ${OF_SOURCE}`,
      KEY,
    );
    const deliveries = numberAt(db, `SELECT count(*) AS number FROM deliveries WHERE source = ${OF_SOURCE}`, KEY);
    return {
      lost: lost + payloadsOf(events) - acknowledged.size,
      doubled: deliveries - payloadsOf(events),
      missingSignals: Math.max(0, events.count - signals),
      doubledSignals: Math.max(0, signals - events.count) + repeats,
      wrongStates: wrongStates(db, events),
      wrongIncidents: wrongIncidents(db, events),
    };
  } finally {
    db.close();
  }
}

export function effectRows(effects: Effects): readonly Row[] {
  const none = { digits: 0, atMost: 0 };
  return [
    row('acknowledged deliveries lost', [effects.lost], none),
    row('deliveries stored twice', [effects.doubled], none),
    row('signals missing', [effects.missingSignals], none),
    row('signals twice', [effects.doubledSignals], none),
    row('states that differ from those of the undisturbed order', [effects.wrongStates], none),
    row('incidents missing or twice', [effects.wrongIncidents], none),
  ];
}
