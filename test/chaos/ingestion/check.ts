import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import type { IncidentWithUpdates, Ledger } from '../../../adapters/ledger/port.ts';
import { STATES } from '../../../adapters/ledger/tables/deliveries.ts';
import { readIncident } from '../../../core/ingestion/incidents/read-incident.ts';
import { openDataLedger } from '../../support/data-ledger.ts';
import { anIngestRig } from '../../support/ingest-rig.ts';
import { fingerprintsOf } from './messages.ts';
import { ORB, type IngestSeen } from './rounds.ts';
import { SOURCE } from './sender.ts';

const TENANT = 'default';
/** Fingerprints of one read. */
const SLICE = 500;
const STATUSES = ['firing', 'resolved'] as const;

/** How much was compared, and what differs. */
export interface CheckedIngestion {
  readonly messages: number;
  readonly signals: number;
  readonly incidents: number;
  readonly faults: readonly string[];
}

/** Everything of an incident but its id, and the times at which it was looked at. */
function shown({ json }: IncidentWithUpdates): string {
  const { incidentId: _id, dueAt: _due, countAt: _count, corroboration: _counted, ...rest } = readIncident(json);
  return JSON.stringify(rest);
}

async function allIncidents(ledger: Ledger): Promise<readonly IncidentWithUpdates[]> {
  const found: IncidentWithUpdates[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await ledger.incidents(TENANT, { limit: 200, ...(cursor === '' ? {} : { cursor }) });
    const items = await Promise.all(page.items.map(({ incidentId }) => ledger.incident(TENANT, incidentId)));
    found.push(...items.flatMap((incident) => incident ?? []));
    cursor = page.nextCursor;
  }
  return found;
}

/** Group of an incident → what it shows, and its history without its times. */
async function incidentViews(ledger: Ledger, faults: string[]): Promise<ReadonlyMap<string, string>> {
  const views = new Map<string, string>();
  for (const incident of await allIncidents(ledger)) {
    const { groupKey, updates, incidentId } = incident;
    if (views.has(groupKey)) faults.push(`${incidentId} is the second incident of its problem`);
    views.set(groupKey, shown(incident));
    const texts = updates.map(({ json }) => String(readText(json)));
    if (new Set(texts).size < texts.length) faults.push(`${incidentId} was told twice: ${texts.join(', ')}`);
  }
  return views;
}

function readText(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null && 'text' in value ? value.text : json;
}

/** States of the fingerprints of an Orb that was there from the start. An end about an unknown Orb is kept otherwise. */
async function statesOf(ledger: Ledger, blocks: IngestSeen['blocks']): Promise<ReadonlyMap<string, string>> {
  const fingerprints = blocks.filter(({ orb }) => orb === ORB).flatMap(({ number }) => fingerprintsOf(number));
  const states = new Map<string, string>();
  for (let first = 0; first < fingerprints.length; first += SLICE)
    for (const { fingerprint, json } of await ledger.signalStates(SOURCE, fingerprints.slice(first, first + SLICE)))
      states.set(fingerprint, json);
  return states;
}

function differences(what: string, found: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  for (const [key, value] of wanted)
    if (found.get(key) !== value) faults.push(`${what} ${key} is ${found.get(key) ?? 'missing'}, not ${value}`);
  for (const key of found.keys()) if (!wanted.has(key)) faults.push(`${what} ${key} is one too many`);
  return faults;
}

/** The same messages, each once and in their order, without a disturbance. */
async function undisturbed({ blocks, orbs }: IngestSeen, faults: string[]) {
  const rig = await anIngestRig();
  try {
    for (const [orb, url] of orbs) rig.addOrb(orb, { namespace: TENANT, url });
    rig.addSource(SOURCE, { type: 'alertmanager' });
    await rig.pass(Math.max(0, Date.now() - rig.clock.now()));
    for (const { messages } of blocks) {
      for (const { body } of messages) await rig.deliver(SOURCE, body);
      while ((await rig.map()) === 'worked');
    }
    await rig.pass(3_600_000);
    return { incidents: await incidentViews(rig.ledger, faults), states: await statesOf(rig.ledger, blocks) };
  } finally {
    await rig.dispose();
  }
}

interface Row {
  readonly seq: number;
  readonly state: number;
  readonly failures: number;
  readonly hasBody: boolean;
}

interface Stored {
  /** By their ids. */
  readonly deliveries: ReadonlyMap<string, Row>;
  /** `fingerprint status` → how often it came again. */
  readonly signals: ReadonlyMap<string, number>;
  readonly faults: readonly string[];
}

/** What the file holds, and whether its counts are those of its rows. */
function stored(file: string, sent: number): Stored {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const deliveries = new Map<string, Row>();
    for (const row of db.prepare('SELECT * FROM deliveries').all())
      deliveries.set(String(row['delivery_id']), {
        seq: Number(row['seq']),
        state: Number(row['state']),
        failures: Number(row['failures']),
        hasBody: row['has_body'] === 1,
      });
    const signals = new Map<string, number>();
    for (const { json, status, repeat_count: repeats } of db
      .prepare('SELECT json, status, repeat_count FROM signals')
      .all()) {
      const [, fingerprint = ''] = /"fingerprint":"([^"]+)"/.exec(String(json)) ?? [];
      signals.set(`${fingerprint} ${String(status)}`, Number(repeats));
    }
    const counts = db.prepare('SELECT received, waiting, done, dead, body_bytes FROM ingest_sources').get() ?? {};
    const bytes = db.prepare('SELECT coalesce(sum(bytes), 0) AS bytes FROM deliveries WHERE has_body = 1').get() ?? {};
    const wanted = { received: sent, waiting: 0, done: sent, dead: 0, body_bytes: bytes['bytes'] };
    const isSame = JSON.stringify({ ...counts }) === JSON.stringify(wanted);
    const faults = isSame ? [] : [`the counts are ${JSON.stringify(counts)}, not ${JSON.stringify(wanted)}`];
    return { deliveries, signals, faults };
  } finally {
    db.close();
  }
}

/** Messages whose delivery and signals retention left. */
function kept({ sender, aged }: IngestSeen, { deliveries }: Stored, faults: string[]): ReadonlySet<string> {
  const names = new Set<string>();
  const ids = new Set<string>();
  for (const [name, id] of sender.answers) {
    if (ids.has(id)) faults.push(`${name} has the delivery of another message`);
    ids.add(id);
    const row = deliveries.get(id);
    // Without a row: it was to be erased, or it is lost; the count of its source tells which.
    if (row === undefined) continue;
    names.add(name);
    const isMapped = row.state === STATES.done && row.failures === 0;
    if (!isMapped || row.hasBody !== row.seq > aged.emptyUpTo) faults.push(`${name} is ${JSON.stringify(row)}`);
  }
  for (const id of deliveries.keys()) if (!ids.has(id)) faults.push(`${id} is of no message`);
  // The old ones are erased, and no others.
  if (sender.answers.size - names.size !== aged.goneUpTo)
    faults.push(`${sender.answers.size - names.size} deliveries are gone, and ${aged.goneUpTo} were old`);
  return names;
}

/** A signal for each problem and status of the messages that are kept, with one repeat. */
function signalFaults({ blocks }: IngestSeen, { signals }: Stored, names: ReadonlySet<string>): string[] {
  const groups = blocks.flatMap(({ messages, number }) =>
    STATUSES.map((status) => ({ number, status, told: messages.filter((message) => message.status === status) })),
  );
  return groups
    .filter(({ told }) => told.every(({ name }) => names.has(name)))
    .flatMap(({ number, status, told }) =>
      fingerprintsOf(number).flatMap((fingerprint) => {
        const repeats = signals.get(`${fingerprint} ${status}`);
        return repeats === told.length - 1 ? [] : [`${fingerprint} ${status} came again ${repeats ?? 'never'} times`];
      }),
    );
}

/** Compares what a killed platform has mapped with what its messages say. @param folder of the rounds */
export async function checkIngestion(folder: string, seen: IngestSeen): Promise<CheckedIngestion> {
  const { sender, blocks } = seen;
  const { ledger, file } = await openDataLedger(join(folder, 'data'));
  try {
    const faults = [...sender.faults];
    if (sender.unanswered.length > 0) faults.push(`${sender.unanswered.length} messages have no answer`);
    const found = stored(file, sender.messages.size);
    const names = kept(seen, found, faults);
    const wanted = await undisturbed(seen, faults);
    const incidents = await incidentViews(ledger, faults);
    const states = await statesOf(ledger, blocks);
    return {
      messages: sender.messages.size,
      signals: found.signals.size,
      incidents: incidents.size,
      faults: [
        ...faults,
        ...found.faults,
        ...signalFaults(seen, found, names),
        ...differences('the incident', incidents, wanted.incidents),
        ...differences('the state', states, wanted.states),
      ],
    };
  } finally {
    await ledger.close();
  }
}
