/** The newest checkpoint of a log as it is kept outside the ledger (trust.md §2.3). */
export interface StoredHead {
  /** C2SP signed note; whoever reads it checks it. */
  readonly note: string;
  /** What a later `write` replaces. Opaque. */
  readonly version: string;
}

/** The head is another one than the writer has seen: nothing was written. Read it again before the next write. */
export class HeadMoved extends Error {}

/** Keeps one checkpoint where neither a lost nor a restored ledger takes it along. One writer at a time. */
export interface HeadStore {
  /** How people call it, for messages. */
  readonly place: string;
  /** @returns undefined: there is none, for certain. A rejection says nothing about it: ask again later */
  readonly read: (signal: AbortSignal) => Promise<StoredHead | undefined>;
  /**
   * Replaces the head that was read; durable when it resolves. A crash leaves the old or the new one.
   * @param replaced version of the head that is there; undefined: there is none
   * @returns the new version
   * @throws HeadMoved
   */
  readonly write: (note: string, replaced: string | undefined, signal: AbortSignal) => Promise<string>;
}
