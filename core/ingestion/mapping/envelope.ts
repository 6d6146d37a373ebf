import type { JsonObject } from '../../json/json-value.ts';
import type { Trust } from '../verification/scheme.ts';
import type { EventDraft } from './signal.ts';

/** What a signal is about; all null: nothing that the platform knows. */
export interface SignalEntity {
  readonly orbId: string | null;
  /** Host of the provider. */
  readonly provider: string | null;
  /** A component of the status page. */
  readonly service: string | null;
}

export interface EnvelopeInput {
  readonly signalId: string;
  readonly event: EventDraft;
  readonly entity: SignalEntity;
  readonly source: {
    readonly namespace: string;
    readonly name: string;
    readonly type: string;
    readonly trust: Trust;
  };
  readonly semanticKey: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly raw: { readonly deliveryId: string; readonly sha256: string; readonly bytes: number };
  /** The vendor's id of the delivery, where its signature covers one. */
  readonly eventId: string | null;
}

const timeText = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** A link is shown when it is `https:` and can be read; it is never fetched. */
function shownLink(text: string | null): string | null {
  const url = text === null || !text.startsWith('https://') ? null : URL.parse(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : null;
}

function subjectOf({ orbId, provider, service }: SignalEntity): string | null {
  if (orbId !== null) return `orb/${orbId}`;
  if (provider !== null) return `provider/${provider}`;
  return service === null ? null : `service/${service}`;
}

function dataOf({ event, entity, source, receivedAt, raw, eventId }: EnvelopeInput): JsonObject {
  const { kind, status, severity, title, description, fingerprint, labels, metric } = event;
  const { deliveryId, sha256, bytes } = raw;
  return {
    kind,
    status,
    severity,
    title,
    description,
    fingerprint,
    entity: { orb_id: entity.orbId, provider: entity.provider, endpoint: null },
    startsAt: timeText(event.startsAt),
    endsAt: timeText(event.endsAt),
    observedAt: timeText(receivedAt),
    metric: metric === null ? null : { ...metric },
    links: {
      self: shownLink(event.link),
      runbook: shownLink(event.runbook),
      dashboard: shownLink(event.dashboard),
    },
    labels,
    vendor: { type: source.type, eventId, raw: { sha256, bytes, ref: deliveryId } },
  };
}

/** A signal as a CloudEvent 1.0 (docs/design/ingestion.md §3). The raw body is named, never copied. */
export function signalEnvelope(input: EnvelopeInput): JsonObject {
  const { signalId, event, entity, source, semanticKey, receivedAt } = input;
  return {
    specversion: '1.0',
    id: signalId,
    source: `orb:source/${source.namespace}/${source.name}`,
    type: `dev.orbs.signal.${event.kind}.${event.status}`,
    subject: subjectOf(entity),
    time: timeText(event.occurredAt ?? event.startsAt ?? receivedAt),
    datacontenttype: 'application/json',
    orbtenant: source.namespace,
    orbtrust: source.trust,
    orbdedup: semanticKey,
    data: dataOf(input),
  };
}
