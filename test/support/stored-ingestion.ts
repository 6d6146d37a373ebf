import type { Ledger } from '../../adapters/ledger/port.ts';
import { incidentChange } from '../../api-server/ingestion/worker/stored-incident.ts';
import { NO_ACTIONS, type Incident } from '../../core/ingestion/incidents/incident.ts';
import { LEDGER_NOW } from './ledger-rows.ts';

const uuid = (letter: string): string => `0193a1c2-0000-7000-8000-00000000000${letter}`;

/** An incident of tenant `acme` in the ledger of `storeIngestion`. */
export const INCIDENT_ID = `inc_${uuid('a')}`;
export const SIGNAL_ID = `sig_${uuid('a')}`;
/** A delivery that was mapped, and one that died. */
const DONE_ID = `dlv_${uuid('a')}`;
export const DEAD_ID = `dlv_${uuid('b')}`;
const SOURCE = 'acme/hook';
const INCIDENT_ORB = 'acme.mailer@1.2.0';

/** An open incident of one signed source. */
export const anIncident = (change: Partial<Incident> = {}): Incident => ({
  incidentId: INCIDENT_ID,
  tenant: 'acme',
  groupKey: 'sha256:group',
  target: { kind: 'orb', orb: INCIDENT_ORB },
  host: 'api.sendgrid.com',
  fingerprint: 'f1',
  title: 'mailer errors',
  status: 'open',
  severity: 'critical',
  impact: 'critical',
  confirmedBy: null,
  flapping: false,
  parentId: null,
  openedAt: LEDGER_NOW,
  acknowledgedAt: null,
  resolvedAt: null,
  floor: null,
  dueAt: null,
  countAt: null,
  members: [
    {
      source: SOURCE,
      trust: 'signed',
      monitor: 'consumer',
      effects: { minSeverity: 'warning', forMs: 0, quietPeriodMs: 120_000 },
      state: { starts: [{ at: LEDGER_NOW, severity: 'critical' }], ends: [], mark: null },
    },
  ],
  actions: NO_ACTIONS,
  corroboration: null,
  ...change,
});

/** Stores an incident with a line of its history. */
export async function storeIncident(ledger: Ledger, incident: Incident): Promise<void> {
  const updates = [{ at: incident.openedAt, by: 'signal', text: 'opened' }];
  await ledger.changeIncidents([incidentChange({ incident, updates }, 0)]);
}

/** Stores a mapped delivery with its signal, a dead letter and an incident, all of tenant `acme`. */
export async function storeIngestion(ledger: Ledger): Promise<void> {
  for (const deliveryId of [DONE_ID, DEAD_ID])
    await ledger.acceptDelivery(
      {
        deliveryId,
        tenant: 'acme',
        source: SOURCE,
        deliveryKey: deliveryId,
        receivedAt: LEDGER_NOW,
        headers: '{"content-type":"application/json"}',
        raw: Buffer.from('{"status":"firing"}'),
      },
      { perSource: 100, inAll: 100 },
    );
  const name = 'ingest-worker';
  const epoch = (await ledger.acquireLease(name, 'test', 1000)) ?? 0;
  const signal = {
    signalId: SIGNAL_ID,
    at: LEDGER_NOW,
    semanticKey: `sha256:${'0'.repeat(64)}`,
    orbId: INCIDENT_ORB,
    provider: null,
    status: 'firing',
    severity: 'critical',
    json: '{"specversion":"1.0"}',
  };
  const died = { state: 'dead', reason: 'no_entity', pointer: '/spec/match', detail: 'No Orb.' } as const;
  await ledger.applyDeliveries({ name, epoch }, [
    { deliveryId: DONE_ID, outcome: { state: 'done' }, signals: [signal], states: [], incidents: [] },
    { deliveryId: DEAD_ID, outcome: died, signals: [], states: [], incidents: [] },
  ]);
  await ledger.releaseLease(name, 'test');
  await storeIncident(ledger, anIncident());
}
