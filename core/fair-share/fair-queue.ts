import { LinkedList, type ListNode } from './linked-list.ts';
import type { Share } from './share.ts';

interface Waiting<T> {
  readonly item: T;
  waits: boolean;
}

interface KeyLine<T> {
  readonly key: string;
  readonly items: LinkedList<Waiting<T>>;
}

interface TenantLine<T> {
  readonly tenant: string;
  readonly keys: LinkedList<KeyLine<T>>;
  readonly byKey: Map<string, ListNode<KeyLine<T>>>;
}

/** The line of a key, inside the line of its tenant. */
interface Place<T> {
  readonly tenant: ListNode<TenantLine<T>>;
  readonly key: ListNode<KeyLine<T>>;
}

/**
 * A queue in which tenants take turns, one item each. At the turns of a tenant its keys take turns. Items of a key keep
 * their order. Between two items of a tenant, every other tenant that waits has one. `push` and the removal of an item
 * are O(1), and so is `shift`, which skips tenants that may not go now.
 */
export class FairQueue<T> {
  readonly #tenants = new LinkedList<TenantLine<T>>();
  readonly #byTenant = new Map<string, ListNode<TenantLine<T>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Tenants that wait. */
  get tenants(): number {
    return this.#byTenant.size;
  }

  /** @returns a function that removes the item if it still waits */
  push(share: Share, item: T): () => void {
    const place = this.#placeOf(share);
    const waiting: Waiting<T> = { item, waits: true };
    const node = place.key.value.items.append(waiting);
    this.#size += 1;
    return () => {
      if (waiting.waits) this.#remove(place, node);
    };
  }

  /**
   * Removes the item whose turn it is.
   * @param mayGo whether a tenant may have an item now; those that may not keep their turn
   * @returns undefined: nothing waits, or only what may not go
   */
  shift(mayGo?: (tenant: string) => boolean): T | undefined {
    let tenant = this.#tenants.first;
    while (tenant !== undefined && mayGo?.(tenant.value.tenant) === false) tenant = tenant.after;
    const key = tenant?.value.keys.first;
    const node = key?.value.items.first;
    if (tenant === undefined || key === undefined || node === undefined) return undefined;
    this.#tenants.moveToEnd(tenant);
    tenant.value.keys.moveToEnd(key);
    this.#remove({ tenant, key }, node);
    return node.value.item;
  }

  #placeOf({ tenant, key }: Share): Place<T> {
    let line = this.#byTenant.get(tenant);
    if (line === undefined) {
      line = this.#tenants.append({ tenant, keys: new LinkedList(), byKey: new Map() });
      this.#byTenant.set(tenant, line);
    }
    const { keys, byKey } = line.value;
    let keyLine = byKey.get(key);
    if (keyLine === undefined) {
      keyLine = keys.append({ key, items: new LinkedList() });
      byKey.set(key, keyLine);
    }
    return { tenant: line, key: keyLine };
  }

  /** A line that is empty is removed, so that nothing stays of tenants and keys that ask no more. */
  #remove({ tenant, key }: Place<T>, node: ListNode<Waiting<T>>): void {
    node.value.waits = false;
    this.#size -= 1;
    key.value.items.remove(node);
    if (key.value.items.first !== undefined) return;
    tenant.value.keys.remove(key);
    tenant.value.byKey.delete(key.value.key);
    if (tenant.value.keys.first !== undefined) return;
    this.#tenants.remove(tenant);
    this.#byTenant.delete(tenant.value.tenant);
  }
}
