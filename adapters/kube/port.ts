import type { KubeObject, ObjectRef } from '../../core/reconcile/kube-object.ts';

/** How the API addresses a kind. */
export interface Kind {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Lower case, as in paths. */
  readonly plural: string;
  readonly namespaced: boolean;
}

/** The objects of a kind that a LIST or WATCH covers; without a namespace: all namespaces. */
export interface Selection {
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface ListQuery extends Selection {
  readonly limit?: number;
  readonly continue?: string;
}

export interface ListPage {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** Token of the next page; absent on the last one. */
  readonly continue?: string;
}

export interface WatchQuery extends Selection {
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
}

/** Fields of one writer (security.md §6.1). */
interface ApplyOptions {
  readonly fieldManager: string;
  /** Take fields from other managers (true). False: 409 with the cause FieldManagerConflict, and no write. */
  readonly force?: boolean;
  readonly subresource?: 'status';
}

export interface PatchOptions {
  readonly type: 'merge' | 'json';
  readonly body: unknown;
  readonly fieldManager: string;
  readonly subresource?: 'status';
}

/** Conditions that must still hold for a DELETE. */
export interface Preconditions {
  readonly uid: string;
  readonly resourceVersion?: string;
}

/**
 * The API server refused a request, or did not answer. Decide by `status`, `reason` and `causes`, never by the text.
 * `status` is 0 when no answer came.
 */
export class KubeError extends Error {
  readonly status: number;
  /** `Status.reason`: NotFound, Conflict, Expired, Forbidden …; '' when the server gave no reason. */
  readonly reason: string;
  /** `details.causes[].reason`: FieldManagerConflict, ResourceVersionTooLarge … */
  readonly causes: readonly string[];
  /** Owners of the fields of a FieldManagerConflict, as the server names them: for people. */
  readonly managers: readonly string[];
  /** From `Retry-After` or `details.retryAfterSeconds`. */
  readonly retryAfterMs: number | undefined;
  constructor(
    message: string,
    answer: {
      readonly status: number;
      readonly reason: string;
      readonly causes: readonly string[];
      readonly managers?: readonly string[];
      readonly retryAfterMs?: number;
    },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'KubeError';
    this.status = answer.status;
    this.reason = answer.reason;
    this.causes = answer.causes;
    this.managers = answer.managers ?? [];
    this.retryAfterMs = answer.retryAfterMs;
  }
}

/**
 * Calls of the Kubernetes API: one place for credentials, deadlines, retries and metrics (operator.md A2). A call
 * rejects with `KubeError`, or with `signal.reason` when aborted.
 */
export interface KubeClient {
  /** @returns undefined when the object does not exist */
  readonly get: (kind: Kind, ref: ObjectRef, signal: AbortSignal) => Promise<KubeObject | undefined>;
  readonly list: (kind: Kind, query: ListQuery, signal: AbortSignal) => Promise<ListPage>;
  /** The bytes of a watch, as they come: NDJSON. Resolves when the answer's header has arrived (status 200). */
  readonly watch: (kind: Kind, query: WatchQuery, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
  /**
   * Server-side apply; `force` is on by default. Creates a missing object (operator.md A4), so name its uid when it
   * must exist.
   */
  readonly apply: (
    kind: Kind,
    object: AppliedObject,
    options: ApplyOptions,
    signal: AbortSignal,
  ) => Promise<KubeObject>;
  readonly patch: (kind: Kind, ref: ObjectRef, options: PatchOptions, signal: AbortSignal) => Promise<KubeObject>;
  /** Never repeated by the client, because the first request may have succeeded. */
  readonly create: (kind: Kind, object: AppliedObject, signal: AbortSignal) => Promise<KubeObject>;
  readonly update: (kind: Kind, object: AppliedObject, signal: AbortSignal) => Promise<KubeObject>;
  /** Deleting an object that does not exist succeeds. */
  readonly delete: (kind: Kind, ref: ObjectRef, preconditions: Preconditions, signal: AbortSignal) => Promise<void>;
  /** Closes every connection; calls in flight reject. */
  readonly close: () => Promise<void>;
}

/** An object to send, with the metadata that the writer wants to set. */
export interface AppliedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & ObjectRefOrGenerated;
  readonly [member: string]: unknown;
}

type ObjectRefOrGenerated = { readonly name?: string; readonly namespace?: string };

/** Keyed objects of one kind, kept equal to the server's. Readers get immutable objects. */
export interface Store {
  readonly get: (key: string) => KubeObject | undefined;
  readonly list: () => readonly KubeObject[];
  readonly byIndex: (name: string, value: string) => readonly KubeObject[];
  /** Resource version of the newest LIST, event or bookmark. */
  readonly resourceVersion: () => string | undefined;
  /** Resolves when the store has seen `resourceVersion` (operator.md A5). */
  readonly waitFor: (resourceVersion: string, signal: AbortSignal) => Promise<void>;
  /** The answer to an own write or a live GET. It passes the same check for stale versions as events. */
  readonly offer: (object: KubeObject) => void;
}

export type ReflectorState = 'idle' | 'listing' | 'watching' | 'backoff' | 'stopped';

/** LIST and WATCH of one selection, for ever (operator.md A3). */
export interface Reflector {
  readonly store: Store;
  /** Resolves on abort; never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Resolves after the first complete LIST. */
  readonly synced: Promise<void>;
  readonly hasSynced: () => boolean;
  readonly state: () => ReflectorState;
  /** Monotonic ms of the last event, bookmark or LIST. */
  readonly lastContactMs: () => number;
  /** Ends a back-off at once, because the cause of the failure may be gone. */
  readonly nudge: () => void;
  /** The error that keeps objects from being listed or watched. Undefined as soon as a LIST or WATCH was answered. */
  readonly failure: () => KubeError | undefined;
}

/** A change of one object, as a reflector reports it; its handler only ever enqueues keys. */
export interface Change {
  readonly key: string;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  /** From the first LIST or a resync: the object may be unchanged. */
  readonly initial: boolean;
}

/** Lanes of the queue, first to last (operator.md A6). */
export type Lane = 'urgent' | 'high' | 'normal' | 'low';

/** Keys to work on, each at most once at a time (operator.md A6). */
export interface WorkQueue {
  readonly add: (key: string, options?: { readonly lane?: Lane; readonly afterMs?: number }) => void;
  /** After 5 ms · 2^failures, at most 1 000 s. */
  readonly addRateLimited: (key: string) => void;
  readonly forget: (key: string) => void;
  /** The next key; the caller ends it by `done`. Undefined when the queue is shut down or the signal aborted. */
  readonly get: (signal: AbortSignal) => Promise<string | undefined>;
  readonly done: (key: string) => void;
  /** Drops waiting and delayed keys, those to run again, and every count of failures. Keys in work stay in work. */
  readonly clear: () => void;
  /** Accepts no new keys. Resolves when those in work are done, or after `drainMs`. */
  readonly shutDown: (options: { readonly drainMs: number }) => Promise<void>;
  readonly length: () => number;
  /** How often this key failed in a row. */
  readonly failures: (key: string) => number;
}

/** Metrics of client and reflectors (operator.md A3, A12). */
export interface KubeMetrics {
  /** One HTTP request. @param code status, or `<error>` when no answer came */
  readonly request: (method: string, code: string, verb: string, seconds: number) => void;
  readonly listed: (kind: string, reason: string) => void;
  readonly watchRestarted: (kind: string, reason: string) => void;
  readonly watchStalled: (kind: string) => void;
  readonly historyRewound: (kind: string) => void;
  readonly cache: (kind: string, objects: number, synced: boolean) => void;
}
