import { createHash } from 'node:crypto';
import type {
  DeliveryEffects,
  HeldLease,
  IncidentChange,
  Ledger,
  NewDelivery,
  NewSignal,
  SignalState,
} from '../../adapters/ledger/port.ts';
import { LEDGER_NOW } from './ledger-rows.ts';

const digitsOf = (number: number): string => number.toString(16).padStart(12, '0');

export const deliveryIdOf = (number: number): string => `dlv_019aa000-0000-7000-8000-${digitsOf(number)}`;
const signalIdOf = (number: number): string => `sig_019aa000-0000-7000-8000-${digitsOf(number)}`;
export const incidentIdOf = (number: number): string => `inc_019aa000-0000-7000-8000-${digitsOf(number)}`;

/** Bounds that no test reaches by chance. */
export const ROOMY = { perSource: 10_000, inAll: 50_000 };

export const SOURCE = 'acme/grafana-prod';

/** Delivery `number` of `acme/grafana-prod`, which came that many ms after `LEDGER_NOW`. */
export const aDelivery = (number: number, change: Partial<NewDelivery> = {}): NewDelivery => ({
  deliveryId: deliveryIdOf(number),
  tenant: 'acme',
  source: SOURCE,
  deliveryKey: `key-${number}`,
  receivedAt: LEDGER_NOW + number,
  headers: '{"content-type":"application/json"}',
  raw: Buffer.from(`{"delivery":${number}}`),
  ...change,
});

/** Accepts the deliveries of these numbers, one after the other. */
export async function acceptAll(
  ledger: Ledger,
  numbers: readonly number[],
  change: Partial<NewDelivery> = {},
): Promise<void> {
  for (const number of numbers) await ledger.acceptDelivery(aDelivery(number, change), ROOMY);
}

export const semanticKeyOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

export const aSignal = (number: number, change: Partial<NewSignal> = {}): NewSignal => ({
  signalId: signalIdOf(number),
  at: LEDGER_NOW + number,
  semanticKey: semanticKeyOf(`signal ${number}`),
  orbId: 'acme.mailer@1.2.0',
  provider: null,
  status: 'firing',
  severity: 'high',
  json: `{"signal":${number}}`,
  ...change,
});

export const aState = (fingerprint: string, change: Partial<SignalState> = {}): SignalState => ({
  fingerprint,
  json: '{"status":"firing"}',
  updatedAt: LEDGER_NOW,
  ...change,
});

/** The first change of an incident: it opens. */
export const anOpening = (number: number, change: Partial<IncidentChange> = {}): IncidentChange => ({
  incidentId: incidentIdOf(number),
  expectedRevision: 0,
  tenant: 'acme',
  groupKey: `group ${number}`,
  status: 'open',
  severity: 'high',
  orbId: 'acme.mailer@1.2.0',
  provider: null,
  openedAt: LEDGER_NOW + number,
  endedAt: null,
  dueAt: null,
  onStatusPage: false,
  json: '{"title":"errors"}',
  updates: [{ at: LEDGER_NOW, by: 'signal', json: '{"text":"opened"}' }],
  ...change,
});

/** What came of a delivery that was mapped to nothing. */
export const effectsOf = (number: number, change: Partial<DeliveryEffects> = {}): DeliveryEffects => ({
  deliveryId: deliveryIdOf(number),
  outcome: { state: 'done' },
  signals: [],
  states: [],
  incidents: [],
  ...change,
});

/** What came of a delivery that could not be mapped. */
export const deathOf = (number: number, reason = 'schema'): DeliveryEffects =>
  effectsOf(number, { outcome: { state: 'dead', reason, pointer: '/alerts/0', detail: 'an alert has a status' } });

/** The lease under which deliveries are mapped. */
export async function workerLease(ledger: Ledger): Promise<HeldLease> {
  const epoch = await ledger.acquireLease('ingest-worker', 'one', 60_000);
  if (epoch === undefined) throw new Error('another worker holds the lease');
  return { name: 'ingest-worker', epoch };
}
