import { statSync } from 'node:fs';

/** Number of a file on its volume; undefined: it is not there. */
const inodeOf = (path: string): bigint | undefined => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;

/**
 * The files of an open ledger, by their numbers. A connection keeps writing to a file that was deleted or replaced: what
 * is committed from then on would be lost at the next start.
 */
export class KeptFiles {
  readonly #inodes: ReadonlyMap<string, bigint | undefined>;

  /** @param file of a ledger that this process has open */
  constructor(file: string) {
    this.#inodes = new Map([file, `${file}-wal`].map((path) => [path, inodeOf(path)]));
  }

  /** Some 3 µs a file. @returns a file that is not the one of before; undefined: all are */
  lost(): string | undefined {
    for (const [path, inode] of this.#inodes) if (inode !== undefined && inodeOf(path) !== inode) return path;
    return undefined;
  }
}
