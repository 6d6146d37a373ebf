import type { KubeObject, ObjectRef } from '../../core/reconcile/kube-object.ts';
import { keyOf } from '../../core/reconcile/kube-object.ts';
import type { ObjectRecord } from './record.ts';
import type { ShownWrite } from './selection.ts';
import type { WritePlace } from './show-order.ts';
import { ShowOrder } from './show-order.ts';

/** The parts of a deleted object that a watch must send. */
interface Deleted {
  readonly kind: string;
  readonly object: KubeObject;
}

/** Number of deletions kept for later watches. */
const MAX_DELETED = 1000;
/** Versions start above the version of an empty store. */
const FIRST_VERSION = 1000;

const highest = (records: readonly ObjectRecord[]): number =>
  records.reduce((most, { resourceVersion }) => Math.max(most, Number(resourceVersion)), FIRST_VERSION);

/** The same object with the version of its deletion. */
function atVersion({ object }: ObjectRecord, resourceVersion: string): KubeObject {
  return Object.freeze({ ...object, metadata: Object.freeze({ ...object.metadata, resourceVersion }) });
}

/** All objects as readers see them. Listeners are called with each write in the turn in which it is shown. */
export class ObjectTable {
  readonly order: ShowOrder;
  readonly #kinds = new Map<string, Map<string, ObjectRecord>>();
  readonly #listeners = new Set<(shown: ShownWrite) => void>();
  #deleted: Deleted[] = [];
  /** Deletions up to this version are no longer known. */
  #forgotten = 0;
  #version: string;

  constructor(records: readonly ObjectRecord[]) {
    const version = highest(records);
    this.order = new ShowOrder(version);
    this.#version = String(version);
    for (const record of records) this.#set(record);
  }

  /** Version of the newest write that was shown. */
  get version(): string {
    return this.#version;
  }

  find(kind: string, ref: ObjectRef): ObjectRecord | undefined {
    return this.#kinds.get(kind)?.get(keyOf(ref));
  }

  all(kind: string): readonly KubeObject[] {
    return [...(this.#kinds.get(kind)?.values() ?? [])].map(({ object }) => object);
  }

  /**
   * Names of objects of a kind that were deleted after a version.
   * @returns undefined when these deletions are no longer known
   */
  deletedSince(kind: string, version: number): readonly KubeObject[] | undefined {
    if (version < this.#forgotten) return undefined;
    return this.#deleted.flatMap((deleted) =>
      deleted.kind === kind && Number(deleted.object.metadata.resourceVersion) > version ? [deleted.object] : [],
    );
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: (shown: ShownWrite) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Shows a write in its turn; resolves when it was shown. */
  show(place: WritePlace, before: ObjectRecord | undefined, after: ObjectRecord): Promise<void> {
    return this.order.show(place, () => {
      this.#set(after);
      this.#notify({ place, before, object: after.object, isDeletion: false });
    });
  }

  /** Shows a deletion in its turn; resolves when it was shown. */
  showDeletion(place: WritePlace, record: ObjectRecord): Promise<void> {
    return this.order.show(place, () => {
      const { kind } = record.identity;
      this.#kinds.get(kind)?.delete(keyOf(record.object.metadata));
      const object = atVersion(record, place.version);
      this.#remember(kind, object);
      this.#notify({ place, before: record, object, isDeletion: true });
    });
  }

  #set(record: ObjectRecord): void {
    const { kind } = record.identity;
    const records = this.#kinds.get(kind) ?? new Map<string, ObjectRecord>();
    this.#kinds.set(kind, records.set(keyOf(record.object.metadata), record));
  }

  #remember(kind: string, { apiVersion, kind: name, metadata }: KubeObject): void {
    const { name: objectName, namespace, uid, resourceVersion } = metadata;
    const named = { name: objectName, ...(namespace === undefined ? {} : { namespace }) };
    const ids = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    this.#deleted.push({ kind, object: { apiVersion, kind: name, metadata: { ...named, ...ids } } });
    if (this.#deleted.length <= 2 * MAX_DELETED) return;
    this.#forgotten = Number(this.#deleted.at(-MAX_DELETED - 1)?.object.metadata.resourceVersion);
    this.#deleted = this.#deleted.slice(-MAX_DELETED);
  }

  #notify({
    place,
    before,
    object,
    isDeletion,
  }: Pick<ShownWrite, 'object' | 'isDeletion'> & { place: WritePlace; before: ObjectRecord | undefined }): void {
    this.#version = place.version;
    const shown: ShownWrite = { kind: object.kind, before: before?.object, object, version: place.version, isDeletion };
    for (const listener of this.#listeners) listener(shown);
  }
}
