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

/** A link is shown when it is `https:` and can be read; it is never fetched. */
function shownLink(text: string): string | null {
  const url = text.startsWith('https://') ? URL.parse(text) : null;
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : null;
}

/** Texts that events of a delivery share, each made once. */
export class SharedTexts {
  readonly #times = new Map<number, string>();
  readonly #links = new Map<string, string | null>();

  /** The time in RFC 3339. @param ms since the epoch */
  time(ms: number): string {
    const known = this.#times.get(ms) ?? new Date(ms).toISOString();
    this.#times.set(ms, known);
    return known;
  }

  timeOrNull(ms: number | null): string | null {
    return ms === null ? null : this.time(ms);
  }

  /** @returns null: it is not shown */
  link(text: string | null): string | null {
    if (text === null) return null;
    const known = this.#links.get(text);
    if (known !== undefined) return known;
    const shown = shownLink(text);
    this.#links.set(text, shown);
    return shown;
  }
}

function subjectOf({ orbId, provider, service }: SignalEntity): string | null {
  if (orbId !== null) return `orb/${orbId}`;
  if (provider !== null) return `provider/${provider}`;
  return service === null ? null : `service/${service}`;
}

function dataOf({ event, entity, source, receivedAt, raw, eventId }: EnvelopeInput, texts: SharedTexts): JsonObject {
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
    startsAt: texts.timeOrNull(event.startsAt),
    endsAt: texts.timeOrNull(event.endsAt),
    observedAt: texts.time(receivedAt),
    metric: metric === null ? null : { ...metric },
    links: {
      self: texts.link(event.link),
      runbook: texts.link(event.runbook),
      dashboard: texts.link(event.dashboard),
    },
    labels,
    vendor: { type: source.type, eventId, raw: { sha256, bytes, ref: deliveryId } },
  };
}

/**
 * A signal as a CloudEvent 1.0 (docs/design/ingestion.md §3). The raw body is named, never copied.
 * @param texts of the delivery
 */
export function signalEnvelope(input: EnvelopeInput, texts: SharedTexts): JsonObject {
  const { signalId, event, entity, source, semanticKey, receivedAt } = input;
  return {
    specversion: '1.0',
    id: signalId,
    source: `orb:source/${source.namespace}/${source.name}`,
    type: `dev.orbs.signal.${event.kind}.${event.status}`,
    subject: subjectOf(entity),
    time: texts.time(event.occurredAt ?? event.startsAt ?? receivedAt),
    datacontenttype: 'application/json',
    orbtenant: source.namespace,
    orbtrust: source.trust,
    orbdedup: semanticKey,
    data: dataOf(input, texts),
  };
}
