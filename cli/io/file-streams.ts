import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { errorCode } from '../../core/errors/error-code.ts';
import { EXIT, Failure } from './failure.ts';

/** Copies whole files through the standard streams, at the pace of the other end. */
export interface FileStreams {
  /** Resolves when the reader has taken the whole file. @throws Failure it did not */
  readonly toStdout: (path: string, signal: AbortSignal) => Promise<void>;
  /** Makes a file, mode 0600. */
  readonly fromStdin: (path: string, signal: AbortSignal) => Promise<void>;
}

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

export function fileStreams(stdin: NodeJS.ReadableStream, stdout: NodeJS.WritableStream): ProcessFiles {
  let sending = false;
  return {
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
