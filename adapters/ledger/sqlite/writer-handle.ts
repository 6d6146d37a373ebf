import type { Transferable } from 'node:worker_threads';
import { threadOf, type StartThread, type Thread } from '../../threads/start-thread.ts';
import { LedgerError } from '../port.ts';
import type { RowResult } from '../tables/table.ts';
import type { WriteRow } from '../tables/tables.ts';
import { handedOver } from './handed-over.ts';
import type { FromWriter, OnUpgrading, Reply, ToWriter, WriterSettings } from './protocol.ts';

/** Results of a commit, and the sizes after it. */
interface Committed {
  readonly results: readonly RowResult[];
  readonly size: number;
  readonly checkpointed: number;
}

/** Handlers of the reply to one message. */
interface ReplyHandlers {
  readonly answered: (reply: Reply) => void;
  readonly failed: (reason: unknown) => void;
}

/** Handlers of the result of a group. Exactly one of the two is called, once. */
interface GroupHandlers {
  readonly committed: (committed: Committed) => void;
  /** @param reason LedgerError `ledger-unavailable`: no row of the group is known to be committed */
  readonly failed: (reason: unknown) => void;
}

/** Starts a writer. */
export type StartWriter = StartThread<ToWriter, FromWriter>;

const startThread: StartWriter = threadOf(new URL('../sqlite-writer/writer-thread.ts', import.meta.url), {
  name: 'ledger',
});

const failureOf = (reply: Reply): string => (reply[0] === 'failed' ? reply[1] : 'no answer');

/** One writer that was started. One message at a time: the queue before it has one group in flight. */
class RunningWriter {
  readonly #thread: Thread<ToWriter>;
  #handlers: ReplyHandlers | undefined;
  #dead = false;

  constructor(start: StartWriter, onUpgrading: OnUpgrading) {
    this.#thread = start({
      onMessage: (message) => {
        if (message[0] === 'upgrading') onUpgrading(message[1]);
        else this.#takeHandlers()?.answered(message);
      },
      onEnd: (cause) => this.#fail(cause),
    });
  }

  get dead(): boolean {
    return this.#dead;
  }

  send(message: ToWriter, handlers: ReplyHandlers, transfer: readonly Transferable[] = []): void {
    this.#handlers = handlers;
    if (this.#dead) {
      this.#fail(undefined);
      return;
    }
    try {
      this.#thread.post(message, transfer);
    } catch (error) {
      this.#takeHandlers()?.failed(error); // a value that can't be copied
    }
  }

  async close(): Promise<void> {
    if (!this.#dead) this.#thread.post(['close']);
    await this.#thread.ended;
  }

  #takeHandlers(): ReplyHandlers | undefined {
    const handlers = this.#handlers;
    this.#handlers = undefined;
    return handlers;
  }

  #fail(cause: unknown): void {
    this.#dead = true;
    const reason = new LedgerError('ledger-unavailable', 'the thread that writes the ledger ended', { cause });
    this.#takeHandlers()?.failed(reason);
  }
}

/** A file that a writer has opened. */
export interface OpenedFile extends Omit<Committed, 'results'> {
  /** Why its log must not grow; null: it may. */
  readonly fault: string | null;
}

type Started = OpenedFile & { readonly writer: RunningWriter };

interface WriterStart {
  /** Absent: in a thread of its own. */
  readonly start?: StartWriter | undefined;
  readonly onUpgrading?: OnUpgrading | undefined;
  /** Called when a writer that replaces another one finds that the log must not grow. */
  readonly onFault?: ((fault: string) => void) | undefined;
}

/** The writer as the main thread sees it. The next group replaces one that crashed. */
export class WriterHandle {
  readonly #settings: WriterSettings;
  readonly #startThread: StartWriter;
  readonly #onUpgrading: OnUpgrading;
  readonly #onFault: (fault: string) => void;
  #running: RunningWriter | undefined;

  constructor(
    settings: WriterSettings,
    { start = startThread, onUpgrading = () => undefined, onFault = () => undefined }: WriterStart = {},
  ) {
    this.#settings = settings;
    this.#startThread = start;
    this.#onUpgrading = onUpgrading;
    this.#onFault = onFault;
  }

  /** Starts the writer and opens the file. @throws LedgerError as the file's schema and identity say */
  async open(): Promise<OpenedFile> {
    const { size, checkpointed, fault } = await this.#start();
    return { size, checkpointed, fault };
  }

  /** Commits a group. */
  flush(rows: readonly WriteRow[], handlers: GroupHandlers): void {
    if (this.#running?.dead === false) this.#commit(this.#running, rows, handlers);
    else void this.#commitAnew(rows, handlers);
  }

  #commit(writer: RunningWriter, rows: readonly WriteRow[], { committed, failed }: GroupHandlers): void {
    const handlers: ReplyHandlers = {
      answered: (reply) => {
        if (reply[0] === 'committed') committed({ results: reply[1], size: reply[2], checkpointed: reply[3] });
        else failed(new LedgerError('ledger-unavailable', `the ledger failed: ${failureOf(reply)}`));
      },
      failed,
    };
    writer.send(['group', rows], handlers, handedOver(rows));
  }

  /** The last writer ended, or none could be started. Never rejects: the handlers get every failure. */
  async #commitAnew(rows: readonly WriteRow[], handlers: GroupHandlers): Promise<void> {
    let writer: RunningWriter;
    try {
      const started = await this.#start();
      writer = started.writer;
      if (started.fault !== null) this.#onFault(started.fault);
    } catch (error) {
      handlers.failed(error);
      return;
    }
    this.#commit(writer, rows, handlers);
  }

  async close(): Promise<void> {
    await this.#running?.close();
  }

  async #start(): Promise<Started> {
    const writer = new RunningWriter(this.#startThread, this.#onUpgrading);
    const reply = await new Promise<Reply>((answered, failed) => {
      writer.send(['open', this.#settings], { answered, failed });
    });
    if (reply[0] === 'ready') {
      this.#running = writer;
      return { writer, size: reply[1], checkpointed: reply[2], fault: reply[3] };
    }
    await writer.close();
    const [code, message] =
      reply[0] === 'unopened' ? [reply[1], reply[2]] : (['ledger-unavailable', 'no answer'] as const);
    throw new LedgerError(code, message);
  }
}
