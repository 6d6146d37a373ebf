import { Writable } from 'node:stream';

/**
 * Collects log lines and writes them together: a write for each line costs more than the line. Bounded: when the reader
 * of the log stops, lines are dropped and counted, and the process continues.
 */
export interface LineWriter {
  readonly write: (line: string) => void;
  /** Resolves when the target took every line so far, or failed. */
  readonly flush: () => Promise<void>;
}

const FLUSH_MS = 50;
const FLUSH_CHARS = 64 * 1024;
const MAX_PENDING_CHARS = 8 * 1024 * 1024;

/** @param dropped text of the line that reports the number of lost lines */
export function lineWriter(target: Writable, dropped: (lines: number) => string): LineWriter {
  let lines: string[] = [];
  let chars = 0;
  let pending = 0;
  let lost = 0;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  const send = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lost > 0) lines.push(dropped(lost));
    if (lines.length === 0) return;
    const text = `${lines.join('\n')}\n`;
    lines = [];
    chars = 0;
    lost = 0;
    pending += text.length;
    const written = new Promise<void>((resolve) => {
      // A full disk or a closed pipe must not end the process. The lines are lost, and the loss can't be logged
      // anywhere.
      target.write(text, () => {
        pending -= text.length;
        resolve();
      });
    });
    last = Promise.all([last, written]).then(() => undefined);
  };

  const write = (line: string): void => {
    if (pending + chars + line.length > MAX_PENDING_CHARS) {
      lost += 1;
      return;
    }
    lines.push(line);
    chars += line.length + 1;
    if (chars >= FLUSH_CHARS) send();
    else timer ??= setTimeout(send, FLUSH_MS).unref();
  };

  const flush = async (): Promise<void> => {
    send();
    await last;
  };
  return { write, flush };
}
