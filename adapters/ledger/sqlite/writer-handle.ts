import { threadOf, type StartThread, type Thread } from '../../threads/start-thread.ts';
import { LedgerError } from '../port.ts';
import type { RowResult } from '../tables/table.ts';
import type { WriteRow } from '../tables/tables.ts';
import type { FromWriter, ToWriter, WriterSettings } from './protocol.ts';

/** Results of a commit, and the sizes after it. */
export interface Committed {
  readonly results: readonly RowResult[];
  readonly size: number;
  readonly checkpointed: number;
}

interface Asked {
  readonly resolve: (reply: FromWriter) => void;
  readonly reject: (reason: Error) => void;
}

/** Starts a writer. */
export type StartWriter = StartThread<ToWriter, FromWriter>;

const startThread: StartWriter = threadOf(new URL('../sqlite-writer/writer-thread.ts', import.meta.url), {
  name: 'ledger',
});

/** One writer that was started. One message at a time: the queue before it has one lane. */
class RunningWriter {
  readonly #thread: Thread<ToWriter>;
  #asked: Asked | undefined;
  #dead = false;

  constructor(start: StartWriter) {
    this.#thread = start({
      onMessage: (reply) => {
        const asked = this.#asked;
        this.#asked = undefined;
        asked?.resolve(reply);
      },
      onEnd: (cause) => this.#fail(cause),
    });
  }

  get dead(): boolean {
    return this.#dead;
  }

  ask(message: ToWriter): Promise<FromWriter> {
    return new Promise((resolve, reject) => {
      this.#asked = { resolve, reject };
      if (this.#dead) this.#fail(undefined);
      else this.#thread.post(message);
    });
  }

  async close(): Promise<void> {
    if (!this.#dead) this.#thread.post(['close']);
    await this.#thread.ended;
  }

  #fail(cause: unknown): void {
    this.#dead = true;
    const asked = this.#asked;
    this.#asked = undefined;
    asked?.reject(new LedgerError('ledger-unavailable', 'the thread that writes the ledger ended', { cause }));
  }
}

/** The writer as the main thread sees it. The next group replaces one that crashed. */
export class WriterHandle {
  readonly #settings: WriterSettings;
  readonly #start: StartWriter;
  #running: RunningWriter | undefined;

  constructor(settings: WriterSettings, start: StartWriter = startThread) {
    this.#settings = settings;
    this.#start = start;
  }

  /** Starts the writer and opens the file. @throws LedgerError as the file's schema and identity say */
  async open(): Promise<Omit<Committed, 'results'>> {
    const writer = new RunningWriter(this.#start);
    const reply = await writer.ask(['open', this.#settings]);
    if (reply[0] === 'ready') {
      this.#running = writer;
      return { size: reply[1], checkpointed: reply[2] };
    }
    await writer.close();
    const [code, message] =
      reply[0] === 'unopened' ? [reply[1], reply[2]] : (['ledger-unavailable', 'no answer'] as const);
    throw new LedgerError(code, message);
  }

  /** Commits a group. @throws LedgerError `ledger-unavailable`: no row of it is known to be committed */
  async flush(rows: readonly WriteRow[]): Promise<Committed> {
    if (this.#running?.dead !== false) await this.open();
    const reply = await this.#running?.ask(['group', rows]);
    if (reply?.[0] === 'committed') return { results: reply[1], size: reply[2], checkpointed: reply[3] };
    throw new LedgerError(
      'ledger-unavailable',
      `the ledger failed: ${reply?.[0] === 'failed' ? reply[1] : 'no answer'}`,
    );
  }

  async close(): Promise<void> {
    await this.#running?.close();
  }
}
