import { execFile } from 'node:child_process';
import { errorCode } from '../../core/errors/error-code.ts';

const MAX_OUTPUT = 64 * 1_048_576;

/** The end of a process. */
interface Ended {
  /** null: it could not be started, or a signal ended it. */
  readonly status: number | null;
  readonly out: string;
  /** What it says on stderr; when it could not be started, why. */
  readonly err: string;
}

/** Runs a program to its end. */
export const ended = (file: string, args: readonly string[], cwd?: string): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(file, [...args], { cwd, maxBuffer: MAX_OUTPUT }, (error, out, err) => {
      const code = error === null ? 0 : error.code;
      resolve({ status: typeof code === 'number' ? code : null, out, err: err || (errorCode(error) ?? '') });
    });
  });

/** Why nothing can be built with Go here; undefined: it can. */
export async function whyNoGo(): Promise<string | undefined> {
  const { status, err } = await ended('go', ['version']);
  return status === 0 ? undefined : `Go is not on this machine (${err.trim()})`;
}

/**
 * Builds the program of a folder. Go keeps what it compiled: the first time takes up to a minute.
 * @param file to write
 * @throws Error with what Go says
 */
export async function buildGo(folder: string, file: string): Promise<void> {
  const { status, err } = await ended('go', ['build', '-o', file, '.'], folder);
  if (status !== 0) throw new Error(`go build in ${folder}: ${err}`);
}
