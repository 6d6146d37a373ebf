import { objectKey, isMutating, type KubeRequest } from './kube-request.ts';
import { metadataOf, textOf } from './json.ts';
import { isRecord } from '../../../hack/control-plane/json.ts';

/** One request as the proxy saw it. */
export interface RequestEntry extends KubeRequest {
  /** Position among all requests and watch events of this journal, from 1. */
  readonly n: number;
  /** Arrival, ms since the journal began. */
  readonly t: number;
  /** HTTP status of the server; 0 without an answer. */
  readonly status: number;
  /** HTTP status that the caller received; 0 when it received none (killed, dropped). */
  readonly shown: number;
  /** Version of the object in the answer. */
  readonly rv?: string;
  readonly uid?: string;
  /** `metadata.resourceVersion`, or `preconditions.resourceVersion`, that the request named. */
  readonly precondition?: string;
  /**
   * Whether a successful write changed the object. False when its resourceVersion was known before the request arrived:
   * the server answers a write without effect with the current version.
   */
  readonly changed?: boolean;
}

/** One line of a watch, as the server sent it. */
export interface WatchEntry {
  readonly n: number;
  readonly t: number;
  readonly resource: string;
  readonly type: string;
  readonly key: string;
  readonly rv?: string;
  readonly uid?: string;
}

/** Everything that passed one proxy. */
export interface Journal {
  readonly requests: readonly RequestEntry[];
  readonly events: readonly WatchEntry[];
  /** The clock of `t`. */
  readonly now: () => number;
}

/** Leases are renewed all the time and Events are best effort: both are counted separately from writes. */
export const isCountedApart = ({ resource }: Pick<KubeRequest, 'resource'>): boolean =>
  resource === 'leases' || resource === 'events';

/** Mutating requests, except those of leases and Events. */
export const writesOf = ({ requests }: Journal): readonly RequestEntry[] =>
  requests.filter((entry) => isMutating(entry) && !isCountedApart(entry));

/** Data of a request after its answer. */
export interface Answered {
  readonly status: number;
  readonly shown: number;
  readonly sent: unknown;
  readonly got: unknown;
}

/** A request that arrived and is not answered yet. */
export interface PendingRequest {
  readonly n: number;
  readonly t: number;
  /** RVs of the object that were known when it arrived. */
  readonly known: ReadonlySet<string>;
}

function preconditionOf(sent: unknown): string | undefined {
  const named = textOf(metadataOf(sent)['resourceVersion']);
  if (named !== undefined) return named;
  const preconditions = isRecord(sent) ? sent['preconditions'] : undefined;
  return isRecord(preconditions) ? textOf(preconditions['resourceVersion']) : undefined;
}

const only = <T>(name: string, value: T | undefined): Record<string, T> =>
  value === undefined ? {} : { [name]: value };

/** Records the traffic of a proxy; `now` returns monotonic ms. */
export class JournalWriter implements Journal {
  readonly requests: RequestEntry[] = [];
  readonly events: WatchEntry[] = [];
  readonly #known = new Map<string, Set<string>>();
  readonly #began: number;
  readonly #now: () => number;
  #n = 0;

  readonly now = (): number => this.#now() - this.#began;

  constructor(now: () => number) {
    this.#now = now;
    this.#began = now();
  }

  #knownOf(resource: string, key: string): Set<string> {
    const name = `${resource} ${key}`;
    const known = this.#known.get(name) ?? new Set();
    this.#known.set(name, known);
    return known;
  }

  /** Call when the request arrives. @returns its position and the versions known at this time */
  arrived(request: KubeRequest): PendingRequest {
    this.#n += 1;
    const known = new Set(this.#knownOf(request.resource, objectKey(request)));
    return { n: this.#n, t: this.now(), known };
  }

  /** Call once per request, when the server has answered or will not receive it. */
  answered(request: KubeRequest, at: PendingRequest, { status, shown, sent, got }: Answered): void {
    const succeeded = status >= 200 && status < 300;
    const found = succeeded ? metadataOf(got) : {};
    const rv = textOf(found['resourceVersion']);
    const name = request.name ?? textOf(found['name']);
    const changes = rv === undefined || request.verb === 'delete' || !at.known.has(rv);
    const entry: RequestEntry = {
      ...request,
      ...only('name', name),
      n: at.n,
      t: at.t,
      status,
      shown,
      ...only('rv', rv),
      ...only('uid', textOf(found['uid'])),
      ...only('precondition', preconditionOf(sent)),
      ...only('changed', isMutating(request) && succeeded ? changes : undefined),
    };
    if (rv !== undefined) this.#knownOf(request.resource, objectKey(entry)).add(rv);
    this.requests.push(entry);
  }

  /** Call for each line of a watch that the server sent. @returns the recorded entry */
  watched(resource: string, line: unknown): WatchEntry {
    this.#n += 1;
    const object = isRecord(line) ? line['object'] : undefined;
    const meta = metadataOf(object);
    const key = objectKey({ ...only('namespace', textOf(meta['namespace'])), ...only('name', textOf(meta['name'])) });
    const rv = textOf(meta['resourceVersion']);
    const entry: WatchEntry = {
      n: this.#n,
      t: this.now(),
      resource,
      type: (isRecord(line) ? textOf(line['type']) : undefined) ?? '',
      key,
      ...only('rv', rv),
      ...only('uid', textOf(meta['uid'])),
    };
    if (rv !== undefined && key !== '') this.#knownOf(resource, key).add(rv);
    this.events.push(entry);
    return entry;
  }
}
