import type { WatchEntry } from './journal.ts';
import type { KubeRequest } from './kube-request.ts';

/** One line of a watch on its way to the caller. */
export interface WatchLine {
  /** The line with its line feed. */
  readonly bytes: Buffer;
  readonly entry: WatchEntry;
  /**
   * `resource TYPE ns/name #ordinal`: the same state is sent again under the same name. '' for bookmarks and errors.
   */
  readonly name: string;
}

/** The caller's end of a watch. Nothing is sent after `end`, `reset` or `hold`. */
export interface WatchOut {
  readonly send: (bytes: Buffer) => void;
  /** Ends the answer cleanly. */
  readonly end: () => void;
  /** TCP RST. */
  readonly reset: () => void;
  /** Half-open: stops reading and writing, but closes nothing. */
  readonly hold: () => void;
  readonly closed: () => boolean;
}

/** Edits one watch between server and caller. */
export interface StreamEditor {
  /** The caller received status 200, but no event yet. */
  readonly opened: (out: WatchOut) => void;
  readonly line: (line: WatchLine, out: WatchOut) => void;
}

/** @returns undefined for a watch that is not edited */
export type WatchEditor = (request: KubeRequest) => StreamEditor | undefined;

const LF = 0x0a;

/** Cuts bytes into lines; each ends with its line feed. The rest after the last line waits for the next chunk. */
export class LineSplitter {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): readonly Buffer[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = bytes.indexOf(LF, from); end !== -1; end = bytes.indexOf(LF, from)) {
      lines.push(bytes.subarray(from, end + 1));
      from = end + 1;
    }
    this.#rest = bytes.subarray(from);
    return lines;
  }
}

/** Names watch events so that a resumed watch, which sends a state again, gives it the same name. */
export class WatchEventNamer {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  name({ resource, type, key, rv }: WatchEntry): string {
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return '';
    const state = `${resource} ${key} ${rv ?? ''} ${type === 'DELETED'}`;
    const known = this.#names.get(state);
    if (known !== undefined) return known;
    const prefix = `${resource} ${type} ${key}`;
    const ordinal = (this.#counts.get(prefix) ?? 0) + 1;
    this.#counts.set(prefix, ordinal);
    const name = `${prefix} #${ordinal}`;
    this.#names.set(state, name);
    return name;
  }
}
