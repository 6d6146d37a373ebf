import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../core/errors/error-code.ts';
import { EXIT, Failure } from './failure.ts';

/** Large files and results through the standard streams, at the pace of the other end. */
export interface FileStreams {
  /** Bytes of a file, or for `-` of standard input, as they come. @throws Error of the file system */
  readonly chunks: (path: string, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** Resolves when standard output can take more. */
  readonly drained: () => Promise<void>;
  /** Resolves when the reader has taken the whole file. @throws Failure it did not */
  readonly toStdout: (path: string, signal: AbortSignal) => Promise<void>;
  /** Makes a file, mode 0600. */
  readonly fromStdin: (path: string, signal: AbortSignal) => Promise<void>;
}

const CHUNK_BYTES = 256 * 1024;

/** The streams of a process. */
export interface ProcessFiles extends FileStreams {
  /** True while a file is being sent: the sender then handles errors of the stream. */
  readonly isSending: () => boolean;
}

const written = (stream: NodeJS.WritableStream): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write('', (error) => (error ? reject(error) : resolve()));
  });

function notSent(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const why = errorCode(error) === 'EPIPE' ? 'the reader closed the stream' : String(error);
  return new Failure(EXIT.negative, `the file was not sent whole: ${why}`);
}

async function* chunksOf(source: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) if (chunk instanceof Uint8Array) yield chunk;
}

export function fileStreams(stdin: Readable, stdout: Writable): ProcessFiles {
  let sending = false;
  return {
    chunks: (path, signal) =>
      chunksOf(
        path === '-' ? addAbortSignal(signal, stdin) : createReadStream(path, { highWaterMark: CHUNK_BYTES, signal }),
      ),
    drained: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain');
    },
    isSending: () => sending,
    toStdout: async (path, signal) => {
      sending = true;
      try {
        await pipeline(createReadStream(path), stdout, { end: false, signal });
        await written(stdout);
      } catch (error) {
        throw notSent(error, signal);
      } finally {
        sending = false;
      }
    },
    fromStdin: async (path, signal) => {
      try {
        await pipeline(stdin, createWriteStream(path, { flags: 'w', mode: 0o600, flush: true }), { signal });
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      }
    },
  };
}
