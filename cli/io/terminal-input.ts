import { EXIT, Failure, invalid } from './failure.ts';
import type { Input } from './io.ts';

/** The part of `process.stdin` that is used here; a terminal has `setRawMode`. */
interface Source extends AsyncIterable<unknown> {
  readonly isTTY?: boolean;
  readonly setRawMode?: (on: boolean) => unknown;
}

async function readAll(source: Source, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const bytes of source) {
    if (!Buffer.isBuffer(bytes)) continue;
    size += bytes.length;
    if (size > maxBytes) throw invalid(`standard input: it is larger than ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

const ENTER = new Set([0x0a, 0x0d, 0x04]);
const BACKSPACE = new Set([0x08, 0x7f]);
const INTERRUPT = 0x03;

/** Adds typed bytes to the line until it ends. @returns true at its end */
function typed(line: number[], bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (ENTER.has(byte)) return true;
    if (byte === INTERRUPT) throw new Failure(EXIT.invalid, 'stopped');
    if (BACKSPACE.has(byte)) line.splice(lastCharacter(line));
    else line.push(byte);
  }
  return false;
}

/** Where the last UTF-8 character of a line begins. */
function lastCharacter(line: readonly number[]): number {
  let at = Math.max(0, line.length - 1);
  while (at > 0 && ((line[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}

async function readLine(source: Source): Promise<Uint8Array> {
  const line: number[] = [];
  for await (const chunk of source) if (Buffer.isBuffer(chunk) && typed(line, chunk)) break;
  return Uint8Array.from(line);
}

/** Standard input of a process. */
export function terminalInput(source: Source, err: (text: string) => void): Input {
  return {
    isTerminal: source.isTTY === true,
    read: (maxBytes) => readAll(source, maxBytes),
    readHidden: async (prompt) => {
      err(prompt);
      source.setRawMode?.(true); // the terminal echoes nothing
      try {
        return await readLine(source);
      } finally {
        source.setRawMode?.(false);
        err('\n');
      }
    },
  };
}
