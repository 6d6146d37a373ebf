import { setTimeout as delay } from 'node:timers/promises';
import type { StreamEditor, WatchEditor, WatchLine, WatchOut } from './watch-stream.ts';

/**
 * Where an edit begins: when a stream opens, at the n-th event of the resource from now on (1 …), or at a named event.
 */
type EditAt = { readonly open: true } | { readonly nth: number } | { readonly event: string };

/** One fault of a watch, as written in a plan. Times in ms. */
export type Edit = { readonly resource: string; readonly at: EditAt; readonly times?: number } & EditKind;

type EditKind =
  /**
   * The event never comes. A real server does not omit an event from a stream forever. So `healMs` later the stream
   * ends and the resumed watch is answered that its history is gone (410), as after a compaction.
   */
  | { readonly kind: 'drop'; readonly healMs: number }
  /** This event and all later events are delayed, in order. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Of `of` events of this object only the last is sent; after `ms` the last that has arrived. */
  | { readonly kind: 'merge'; readonly of: number; readonly ms: number }
  | { readonly kind: 'duplicate' }
  /** Sent after the next event, or after `ms` at the latest. */
  | { readonly kind: 'swap'; readonly ms: number }
  /** Sends half of the line, then a clean end. */
  | { readonly kind: 'cut' }
  /** For `ms` sends only bookmarks with the version that was sent last; then the events kept back. */
  | { readonly kind: 'bookmarks-only'; readonly ms: number }
  | { readonly kind: 'end' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'half-open' }
  /** An `ERROR` event in the stream, then its end. */
  | { readonly kind: 'error'; readonly code: number; readonly reason: string };

/** @param code 410 has the reason `Expired` */
const errorLine = (code: number, reason: string): Buffer =>
  Buffer.from(
    `${JSON.stringify({
      type: 'ERROR',
      object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, code },
    })}\n`,
  );

const bookmarkLine = (template: WatchLine, rv: string): Buffer => {
  const { apiVersion = 'v1', kind = 'Unknown' } = readHead(template.bytes);
  return Buffer.from(
    `${JSON.stringify({ type: 'BOOKMARK', object: { kind, apiVersion, metadata: { resourceVersion: rv } } })}\n`,
  );
};

function readHead(bytes: Buffer): { readonly apiVersion?: string; readonly kind?: string } {
  const text = bytes.toString('utf8');
  const apiVersion = /"apiVersion":"([^"]*)"/.exec(text)?.[1];
  const kind = /"kind":"([^"]*)"/.exec(text)?.[1];
  return { ...(apiVersion === undefined ? {} : { apiVersion }), ...(kind === undefined ? {} : { kind }) };
}

/** The events that one stream has sent and keeps back. */
interface Stream {
  readonly out: WatchOut;
  /** Events kept back, in order; undefined while no fault keeps events. */
  kept: WatchLine[] | undefined;
  /** Decides, while events are kept back, whether another event is kept too. */
  keeps: ((line: WatchLine) => boolean) | undefined;
  /** The events to send when the keeping ends. */
  release: (kept: readonly WatchLine[]) => readonly WatchLine[];
  /** Version of the event or bookmark that was sent last. */
  lastRv: string | undefined;
}

type Sleep = (ms: number) => Promise<void>;

const sendLine = (stream: Stream, line: WatchLine): void => {
  stream.lastRv = line.entry.rv ?? stream.lastRv;
  stream.out.send(line.bytes);
};

function letGo(stream: Stream): void {
  const { kept, release } = stream;
  stream.kept = undefined;
  stream.keeps = undefined;
  for (const line of release(kept ?? [])) sendLine(stream, line);
}

interface Keeping {
  readonly keeps: (line: WatchLine) => boolean;
  readonly release?: (kept: readonly WatchLine[]) => readonly WatchLine[];
  readonly ms: number;
}

const all = (kept: readonly WatchLine[]): readonly WatchLine[] => kept;

/** Keeps the first event, and others as `keeps` decides, for `ms` at most. */
function keepFrom(stream: Stream, first: WatchLine, { keeps, release = all, ms }: Keeping, sleep: Sleep): void {
  const kept = [first];
  stream.kept = kept;
  stream.keeps = keeps;
  stream.release = release;
  const giveUp = async (): Promise<void> => {
    await sleep(ms);
    if (stream.kept === kept) letGo(stream);
  };
  void giveUp();
}

type Kinds = EditKind['kind'];
type Fault<K extends Kinds> = (
  edit: Extract<EditKind, { kind: K }>,
  place: { readonly stream: Stream; readonly line: WatchLine; readonly editor: Shared },
) => void;

/** State that all streams of one editor share. */
interface Shared {
  readonly sleep: Sleep;
  /** Resources whose next watch is answered that its history is gone. */
  readonly expired: Set<string>;
}

const FAULTS: { readonly [K in Kinds]: Fault<K> } = {
  drop: ({ healMs }, { stream, line, editor }) => {
    const heal = async (): Promise<void> => {
      await editor.sleep(healMs);
      editor.expired.add(line.entry.resource);
      stream.out.end();
    };
    void heal();
  },
  delay: ({ ms }, { stream, line, editor }) => keepFrom(stream, line, { keeps: () => true, ms }, editor.sleep),
  merge: ({ of, ms }, { stream, line, editor }) => {
    const mine = (other: WatchLine): boolean => other.entry.key === line.entry.key;
    const release = (kept: readonly WatchLine[]): readonly WatchLine[] => {
      const last = kept.findLast(mine);
      return kept.filter((other) => !mine(other) || other === last);
    };
    const keeps = (): boolean => (stream.kept ?? []).filter(mine).length < of;
    keepFrom(stream, line, { keeps, release, ms }, editor.sleep);
  },
  duplicate: (_edit, { stream, line }) => {
    sendLine(stream, line);
    sendLine(stream, line);
  },
  swap: ({ ms }, { stream, line, editor }) =>
    keepFrom(
      stream,
      line,
      { keeps: () => (stream.kept?.length ?? 0) < 2, release: (kept) => kept.toReversed(), ms },
      editor.sleep,
    ),
  cut: (_edit, { stream, line }) => {
    stream.out.send(line.bytes.subarray(0, Math.floor(line.bytes.length / 2)));
    stream.out.end();
  },
  'bookmarks-only': ({ ms }, { stream, line, editor }) => {
    const keeps = (other: WatchLine): boolean => {
      if (stream.lastRv !== undefined) stream.out.send(bookmarkLine(other, stream.lastRv));
      return true;
    };
    keeps(line);
    keepFrom(stream, line, { keeps, ms }, editor.sleep);
  },
  end: (_edit, { stream }) => stream.out.end(),
  reset: (_edit, { stream }) => stream.out.reset(),
  'half-open': (_edit, { stream }) => stream.out.hold(),
  error: ({ code, reason }, { stream }) => {
    stream.out.send(errorLine(code, reason));
    stream.out.end();
  },
};

function applyEdit<K extends Kinds>(
  edit: Extract<EditKind, { kind: K }> & { readonly kind: K },
  place: { readonly stream: Stream; readonly line: WatchLine; readonly editor: Shared },
): void {
  const fault: Fault<K> = FAULTS[edit.kind];
  fault(edit, place);
}

/** Forwards an event, or keeps it while others are kept. */
function pass(stream: Stream, line: WatchLine): void {
  if (stream.kept === undefined) {
    sendLine(stream, line);
    return;
  }
  stream.kept.push(line);
  if (stream.keeps?.(line) !== true) letGo(stream);
}

const OPENING: WatchLine = {
  bytes: Buffer.alloc(0),
  entry: { n: 0, t: 0, resource: '', type: '', key: '' },
  name: '',
};

class Armed {
  readonly edit: Edit;
  #left: number;
  #events = 0;

  constructor(edit: Edit) {
    this.edit = edit;
    this.#left = edit.times ?? 1;
  }

  #is(name: string): boolean {
    const { at } = this.edit;
    if ('open' in at) return name === '';
    if (name === '') return false;
    if ('event' in at) return at.event === name;
    this.#events += 1;
    return this.#events >= at.nth;
  }

  /** @param name of the event; '' when a stream opens */
  fires(resource: string, name: string): boolean {
    if (this.#left === 0 || this.edit.resource !== resource || !this.#is(name)) return false;
    this.#left -= 1;
    return true;
  }

  used(): boolean {
    return this.#left < (this.edit.times ?? 1);
  }
}

/** An editor that executes a plan, and its progress. */
export interface PlannedEditor {
  readonly editor: WatchEditor;
  /** Number of edits that met their event. A plan whose edits never fired proves nothing. */
  readonly fired: () => number;
}

/** Executes edits, each `times` times (default once), on streams that open after the editor is installed. */
export function planEdits(edits: readonly Edit[], sleep: Sleep = delay): PlannedEditor {
  const armed = edits.map((edit) => new Armed(edit));
  const shared: Shared = { sleep, expired: new Set() };
  const editor: WatchEditor = ({ resource }): StreamEditor => {
    let stream: Stream | undefined;
    const openOn = (out: WatchOut): Stream =>
      (stream ??= { out, kept: undefined, keeps: undefined, release: all, lastRv: undefined });
    const fire = (line: WatchLine, out: WatchOut): boolean => {
      const found = armed.find((one) => one.fires(resource, line.name));
      if (found === undefined) return false;
      applyEdit(found.edit, { stream: openOn(out), line, editor: shared });
      return true;
    };
    return {
      opened: (out) => {
        if (shared.expired.delete(resource)) {
          out.send(errorLine(410, 'Expired'));
          out.end();
          return;
        }
        fire({ ...OPENING, entry: { ...OPENING.entry, resource } }, out);
      },
      line: (line, out) => {
        if (line.name === '' || !fire(line, out)) pass(openOn(out), line);
      },
    };
  };
  return { editor, fired: () => armed.filter((one) => one.used()).length };
}
