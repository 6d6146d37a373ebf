import { createHash, createHmac } from 'node:crypto';
import type { StateEvent } from '../../../core/ingestion/incidents/signal-state.ts';
import type { Severity } from '../../../core/ingestion/mapping/signal.ts';

/** Events of one payload. */
export const EVENTS_OF_PAYLOAD = 100;
/** Events of one problem: it begins and ends in turns. */
const EVENTS_OF_PROBLEM = 4;
/** Between two starts of a problem: more than flapping, less than what makes another incident. */
const TURN_MS = 480_000;
/** One problem in so many is severe enough for an incident. */
const SEVERE = 10;
const MILD: readonly Severity[] = ['info', 'low'];
const SEVERITIES: readonly Severity[] = ['warning', 'high', 'critical'];

const ORBS = 30;
const HOSTS = 15;

export const ORB_NAMES: readonly string[] = Array.from({ length: ORBS }, (_, index) => `watched-${index}`);
export const hostOf = (index: number): string => `host-${index % HOSTS}.example`;

/** All events of a benchmark: each is a function of its number. */
export interface Events {
  /** Number of events, whole payloads. */
  readonly count: number;
  /** Before which all of them happened, ms since epoch, whole seconds. */
  readonly until: number;
}

/** What one event says. */
export interface BenchEvent extends StateEvent {
  readonly fingerprint: string;
  readonly title: string;
  readonly orb: string;
}

export const payloadsOf = ({ count }: Events): number => count / EVENTS_OF_PAYLOAD;

/** Distinct problems, each with a fingerprint of its own. */
export const problemsOf = ({ count }: Events): number => count / EVENTS_OF_PROBLEM;

export const fingerprintOf = (problem: number): string =>
  createHash('sha256').update(`problem ${problem}`).digest('hex').slice(0, 16);

const severityOf = (problem: number): Severity => {
  const words = problem % SEVERE === 0 ? SEVERITIES : MILD;
  return words[Math.floor(problem / SEVERE) % words.length] ?? 'info';
};

/** Whether a problem opens incidents. */
export const isSevere = (problem: number): boolean => problem % SEVERE === 0;

/** The event of a number; neighbours are of different problems, so a payload never names one twice. */
export function eventAt(number: number, events: Events): BenchEvent {
  const problem = number % problemsOf(events);
  const turn = Math.floor(number / problemsOf(events));
  const starts = Math.floor(turn / 2);
  const startsAt = events.until - (EVENTS_OF_PROBLEM / 2 - starts) * TURN_MS + (problem % 60) * 1000;
  return {
    fingerprint: fingerprintOf(problem),
    title: `problem ${problem}`,
    orb: `bench.${ORB_NAMES[problem % ORBS] ?? ''}@1.0.0`,
    // The last turn of every second problem is a start: it fires at the end.
    status: turn % 2 === (problem % 2 === 0 ? 0 : 1) ? 'firing' : 'resolved',
    severity: severityOf(problem),
    startsAt,
    endsAt: startsAt + TURN_MS / 2,
    occurredAt: startsAt,
  };
}

const timeText = (ms: number): string => new Date(ms).toISOString();

function alertOf({ fingerprint, title, orb, status, severity, startsAt, endsAt }: BenchEvent): object {
  return {
    status,
    labels: { alertname: 'BenchErrorRate', orb_id: orb, severity, cluster: 'eu-1', service: 'mailer' },
    annotations: { summary: title, runbook_url: 'https://runbooks.acme.example/mailer' },
    startsAt: timeText(startsAt),
    endsAt: status === 'resolved' ? timeText(endsAt) : '0001-01-01T00:00:00Z',
    values: { A: 612.4, B: 1 },
    generatorURL: 'https://grafana.acme.example/alerting/grafana/abc/view',
    fingerprint,
    silenceURL: 'https://grafana.acme.example/alerting/silence/new',
    dashboardURL: '',
    panelURL: '',
  };
}

/** A delivery of Grafana with its events. */
export function payloadAt(number: number, events: Events): Buffer {
  const first = number * EVENTS_OF_PAYLOAD;
  const alerts = Array.from({ length: EVENTS_OF_PAYLOAD }, (_, index) => alertOf(eventAt(first + index, events)));
  const groupKey = `{}:{alertname="bench ${number}"}`;
  return Buffer.from(
    JSON.stringify({ receiver: 'orb', status: 'firing', orgId: 1, alerts, version: '1', groupKey, truncatedAlerts: 0 }),
  );
}

export const SECRET = 'grafana-secret-of-the-benchmark';

export const signatureOf = (body: Uint8Array): string => createHmac('sha256', SECRET).update(body).digest('hex');
