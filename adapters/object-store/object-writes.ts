import type { KubeObject, ObjectRef } from '../../core/reconcile/kube-object.ts';
import type { Ledger } from '../ledger/port.ts';
import type { Content } from './content.ts';
import { isStored, OBJECT_ROWS, rowKey, rowOfRecord } from './object-row.ts';
import type { ObjectTable } from './object-table.ts';
import { changedRecord, type Identity, type ObjectRecord } from './record.ts';
import type { WritePlace } from './show-order.ts';
import { KeyedQueue } from './keyed-queue.ts';

/** The ledger's rows in which objects become durable. */
export type ObjectRows = Pick<Ledger, 'putState' | 'deleteState'>;

/** The object that a call makes. */
interface Wanted {
  readonly identity: Identity;
  readonly content: Content;
}

/**
 * Checks a call and returns the object after it; undefined: the object is deleted.
 * @throws KubeError the call is refused
 */
export type Decide = (known: ObjectRecord | undefined) => Wanted | undefined;

/** The one object that a call is about. */
export interface Target {
  readonly kind: string;
  readonly ref: ObjectRef;
}

interface Step {
  readonly known: ObjectRecord | undefined;
  readonly after: ObjectRecord | undefined;
  /** Absent: the call changes no object. */
  readonly place: WritePlace | undefined;
}

/**
 * Every write: check, make durable, show, answer. Calls for one object queue; calls for different objects run
 * concurrently.
 */
export class ObjectWrites {
  readonly #table: ObjectTable;
  readonly #rows: ObjectRows | undefined;
  readonly #turns = new KeyedQueue();
  /** Rows that the ledger refused to write: the write may still have happened. */
  readonly #doubtful = new Set<string>();

  /** @param rows absent: all objects live in memory only */
  constructor(table: ObjectTable, rows: ObjectRows | undefined) {
    this.#table = table;
    this.#rows = rows;
  }

  /**
   * @returns the object after the call; undefined: it does not exist
   * @throws LedgerError unchanged: the write is not shown, though it may be there after a restart
   */
  write(target: Target, decide: Decide, signal: AbortSignal): Promise<KubeObject | undefined> {
    const key = rowKey(target.kind, target.ref);
    return this.#turns.take(key, async () => {
      signal.throwIfAborted();
      const step = this.#step(target, decide);
      // An object in memory is shown in the turn in which the call was decided.
      if (this.#isDurable(key, target.kind, step)) await this.#persist(key, step);
      await this.#show(step);
      return step.after?.object;
    });
  }

  #step({ kind, ref }: Target, decide: Decide): Step {
    const { order } = this.#table;
    const known = this.#table.find(kind, ref);
    const wanted = decide(known);
    if (wanted === undefined)
      return { known, after: undefined, place: known === undefined ? undefined : order.enter() };
    let place: WritePlace | undefined;
    const nextVersion = (): string => (place = order.enter()).version;
    const after = changedRecord({ identity: wanted.identity, known }, wanted.content, nextVersion);
    return { known, after, place };
  }

  #isDurable(key: string, kind: string, { place }: Step): boolean {
    return this.#rows !== undefined && isStored(kind) && (place !== undefined || this.#doubtful.has(key));
  }

  async #persist(key: string, { after, place }: Step): Promise<void> {
    try {
      if (after === undefined) await this.#rows?.deleteState(OBJECT_ROWS, key);
      else await this.#rows?.putState(OBJECT_ROWS, key, rowOfRecord(after));
      this.#doubtful.delete(key);
    } catch (error) {
      this.#doubtful.add(key);
      if (place !== undefined) this.#table.order.drop(place);
      throw error;
    }
  }

  async #show({ known, after, place }: Step): Promise<void> {
    if (place === undefined) return;
    if (after !== undefined) await this.#table.show(place, known, after);
    else if (known !== undefined) await this.#table.showDeletion(place, known);
  }
}
