/** A place in a list. It belongs to the list that made it. */
export interface ListNode<T> {
  readonly value: T;
  before: ListNode<T> | undefined;
  after: ListNode<T> | undefined;
}

/** A list whose every operation is O(1). A `Map` in its place scans its deleted entries to find the first one. */
export class LinkedList<T> {
  #first: ListNode<T> | undefined;
  #last: ListNode<T> | undefined;

  get first(): ListNode<T> | undefined {
    return this.#first;
  }

  append(value: T): ListNode<T> {
    const node: ListNode<T> = { value, before: undefined, after: undefined };
    this.#link(node);
    return node;
  }

  /** @param node of this list; afterwards of no list */
  remove(node: ListNode<T>): void {
    const { before, after } = node;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    node.before = undefined;
    node.after = undefined;
  }

  /** @param node of this list */
  moveToEnd(node: ListNode<T>): void {
    if (this.#last === node) return;
    this.remove(node);
    this.#link(node);
  }

  #link(node: ListNode<T>): void {
    node.before = this.#last;
    if (this.#last === undefined) this.#first = node;
    else this.#last.after = node;
    this.#last = node;
  }
}
