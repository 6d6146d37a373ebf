import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** Whole files through the standard streams, at the pace of whoever is at their other end. */
export interface FileStreams {
  readonly toStdout: (path: string) => Promise<void>;
  /** Makes a file, mode 0600. */
  readonly fromStdin: (path: string) => Promise<void>;
}

export const fileStreams = (stdin: NodeJS.ReadableStream, stdout: NodeJS.WritableStream): FileStreams => ({
  toStdout: (path) => pipeline(createReadStream(path), stdout, { end: false }),
  fromStdin: (path) => pipeline(stdin, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })),
});
