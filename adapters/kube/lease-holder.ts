import type { KubeObject, ObjectRef } from '../../core/reconcile/kube-object.ts';
import type { Clock } from '../time/clock.ts';
import { KINDS } from './kinds.ts';
import { leaseObject, leaseRecord, microTime, type LeaseClaim, type LeaseRecord } from './lease-record.ts';
import { KubeError, type KubeClient } from './port.ts';

interface LeaseHolderOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>;
  readonly ref: ObjectRef;
  /** Unique to this process. */
  readonly identity: string;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly leaseMs: number;
  /** Written with every claim; other annotations of the object stay. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A released lease also expires, for readers that don't know that an empty holder means free. */
const RELEASED_MS = 1000;

/** Another process wrote first, or the object was created or deleted between reading and writing. */
const isRaced = (error: unknown): boolean =>
  error instanceof KubeError && (error.status === 409 || error.status === 404);

/**
 * The Lease as one process sees and writes it (operator.md A8). Times of other machines are never compared with ours.
 * Only the time counts for which the record has not changed, on our monotonic clock. Every write carries the
 * resourceVersion that was read.
 */
export class LeaseHolder {
  readonly #options: LeaseHolderOptions;
  /** The newest Lease that was seen. It is kept when the Lease is deleted, because its holder may not know yet. */
  #seen: KubeObject | undefined;
  /** Monotonic ms when this version of it was first seen. */
  #changedAt = 0;
  /** `leaseTransitions` of our last claim; 0: no claim yet. */
  #epoch = 0;

  constructor(options: LeaseHolderOptions) {
    this.#options = options;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Monotonic ms from which on an unchanged record may be taken; undefined: at once. */
  get freeAt(): number | undefined {
    const record = this.#record();
    if (record === undefined || record.holder === '' || this.#isOurs(record)) return undefined;
    return this.#changedAt + (record.durationMs ?? this.#options.leaseMs);
  }

  /** Reads the Lease and takes it when it is free. @returns whether we hold it */
  async acquire(signal: AbortSignal): Promise<boolean> {
    const lease = await this.#read(signal);
    const { freeAt } = this;
    if (freeAt !== undefined && this.#options.clock.monotonic() < freeAt) return false;
    const transitions = Math.max(this.#record()?.transitions ?? 0, this.#epoch) + 1;
    const { identity: holder, leaseMs: durationMs } = this.#options;
    const now = this.#stamp();
    const claim = { holder, durationMs, transitions, acquireTime: now, renewTime: now };
    if (!(await this.#write(lease, claim, signal))) return false;
    this.#epoch = transitions;
    return true;
  }

  /** Renews the Lease that `acquire` took. @returns whether we still hold it */
  renew(signal: AbortSignal): Promise<boolean> {
    const { identity: holder, leaseMs: durationMs } = this.#options;
    return this.#rewrite({ holder, durationMs }, signal);
  }

  /** Frees the lease for other replicas at once. Only for a holder whose work has ended. */
  async release(signal: AbortSignal): Promise<void> {
    await this.#rewrite({ holder: '', durationMs: RELEASED_MS }, signal);
  }

  /** @returns false when we no longer hold it */
  async #rewrite(claim: Pick<LeaseClaim, 'holder' | 'durationMs'>, signal: AbortSignal): Promise<boolean> {
    if (await this.#rewriteSeen(claim, signal)) return true;
    // A write whose answer was lost may have happened. Then the record is still ours, under another resourceVersion.
    await this.#read(signal);
    return this.#rewriteSeen(claim, signal);
  }

  async #rewriteSeen(claim: Pick<LeaseClaim, 'holder' | 'durationMs'>, signal: AbortSignal): Promise<boolean> {
    const record = this.#record();
    if (record === undefined || !this.#isOurs(record)) return false;
    const renewTime = this.#stamp();
    const { transitions, acquireTime = renewTime } = record;
    return this.#write(this.#seen, { ...claim, transitions, acquireTime, renewTime }, signal);
  }

  /** The epoch distinguishes our record from that of another process with the same identity. */
  #isOurs({ holder, transitions }: LeaseRecord): boolean {
    return holder === this.#options.identity && transitions === this.#epoch && this.#epoch > 0;
  }

  #record(): LeaseRecord | undefined {
    return this.#seen === undefined ? undefined : leaseRecord(this.#seen);
  }

  #stamp(): string {
    return microTime(this.#options.clock.now());
  }

  async #read(signal: AbortSignal): Promise<KubeObject | undefined> {
    const lease = await this.#options.client.get(KINDS.lease, this.#options.ref, signal);
    if (lease !== undefined) this.#see(lease);
    return lease;
  }

  #see(lease: KubeObject): void {
    const last = this.#seen?.metadata.resourceVersion;
    if (last === undefined || last !== lease.metadata.resourceVersion)
      this.#changedAt = this.#options.clock.monotonic();
    this.#seen = lease;
  }

  /** @returns false when another process wrote in the meantime */
  async #write(lease: KubeObject | undefined, claim: LeaseClaim, signal: AbortSignal): Promise<boolean> {
    const { client, ref, annotations = {} } = this.#options;
    const kept = lease?.metadata.annotations;
    const object = leaseObject({ ...ref, ...lease?.metadata, annotations: { ...kept, ...annotations } }, claim);
    try {
      const written =
        lease === undefined
          ? await client.create(KINDS.lease, object, signal)
          : await client.update(KINDS.lease, object, signal);
      this.#see(written);
      return true;
    } catch (error) {
      if (isRaced(error)) return false;
      throw error;
    }
  }
}
