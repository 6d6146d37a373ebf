/** Outcomes of one reconcile of a key (operator.md A7). A thrown error is the sixth outcome. */
export type Outcome =
  | { readonly kind: 'done' }
  /** Reconcile again after `ms`, although nothing is wrong: a pin ends, a window closes. */
  | { readonly kind: 'requeue-after'; readonly ms: number; readonly why: string }
  /** Something else must happen first; not an error. */
  | { readonly kind: 'waiting'; readonly ms: number; readonly reason: string }
  /** A person must change the spec. The next run is on change or resync, or after `ms`. */
  | { readonly kind: 'stalled'; readonly reason: string; readonly message: string; readonly ms?: number };

export const done: Outcome = { kind: 'done' };
