/** The newest checkpoint of a log, kept outside the ledger (trust.md §2.3). */
export interface StoredHead {
  /** C2SP signed note; its reader must check it. */
  readonly note: string;
  /** Names the head that a later `write` replaces. Opaque. */
  readonly version: string;
}

/**
 * The stored head differs from the head that the writer has seen: this call wrote nothing. Read it again before the
 * next write.
 */
export class HeadMoved extends Error {}

/** Keeps one checkpoint where it survives the loss or the restore of the ledger. One writer at a time. */
export interface HeadStore {
  /** Name of the store in messages. */
  readonly place: string;
  /** @returns undefined: it certainly holds no head. After a rejection this is unknown: read again later */
  readonly read: (signal: AbortSignal) => Promise<StoredHead | undefined>;
  /**
   * Replaces the head that was read; durable when it resolves. A crash leaves the old or the new one.
   * @param replaced version of the stored head; undefined: no head is stored
   * @returns the new version
   * @throws HeadMoved
   */
  readonly write: (note: string, replaced: string | undefined, signal: AbortSignal) => Promise<string>;
}
