import type { EventSpec } from '../../core/reconcile/event-spec.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { microTime } from './lease-record.ts';
import type { AppliedObject } from './port.ts';

/** The API server counts bytes, though it speaks of characters. */
const MAX_NOTE_BYTES = 1024;
const MAX_WORD = 128;
const CUT = '…';
/** Events of objects without a namespace go here. */
const DEFAULT_NAMESPACE = 'default';

interface Reporter {
  /** `orbs.dev/operator` */
  readonly controller: string;
  /** Name of the Pod. */
  readonly instance: string;
}

const utf8 = new TextDecoder();

/** At most 1 024 bytes, cut between characters. */
function shortened(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= MAX_NOTE_BYTES) return note;
  const room = MAX_NOTE_BYTES - Buffer.byteLength(CUT);
  // A character that was cut decodes to U+FFFD at the end.
  return `${utf8.decode(bytes.subarray(0, room)).replace(/\ufffd+$/u, '')}${CUT}`;
}

export const eventNamespace = (object: KubeObject): string => object.metadata.namespace ?? DEFAULT_NAMESPACE;

// The server adds 5 characters; a prefix that ends with a dot is refused.
const MAX_PREFIX = 200;

const MAX_ID = 50;

/** An Event with an id has a name of its own, so the API server refuses it when it is sent twice. */
function eventName(object: string, { id }: EventSpec): { readonly generateName: string } | { readonly name: string } {
  const prefix = object.slice(0, MAX_PREFIX);
  if (id === undefined) return { generateName: `${prefix}-` };
  const own = id.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return { name: `${prefix}-${own.slice(0, MAX_ID)}` };
}

/** An `events.k8s.io/v1` Event to be created. @param now ms since epoch, when it happened */
export function eventObject(regarding: KubeObject, event: EventSpec, by: Reporter, now: number): AppliedObject {
  const { name, namespace, uid, resourceVersion } = regarding.metadata;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { ...eventName(name, event), namespace: eventNamespace(regarding) },
    eventTime: microTime(now),
    reportingController: by.controller.slice(0, MAX_WORD),
    reportingInstance: by.instance.slice(0, MAX_WORD),
    action: event.action.slice(0, MAX_WORD),
    reason: event.reason.slice(0, MAX_WORD),
    type: event.type,
    note: shortened(event.note),
    regarding: { apiVersion: regarding.apiVersion, kind: regarding.kind, name, namespace, uid, resourceVersion },
  };
}

/** The body of a merge patch: it happened `count` times, the last time at `now` (ms since epoch). */
export const seriesPatch = (count: number, now: number): unknown => ({
  series: { count, lastObservedTime: microTime(now) },
});
