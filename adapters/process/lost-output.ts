import { errorCode } from '../../core/errors/error-code.ts';

/** A standard stream of a process. */
export interface Output {
  readonly write: (text: string) => unknown;
  readonly on: (name: 'error', listener: (error: Error) => void) => unknown;
}

interface Streams {
  readonly stdout: Output;
  readonly stderr: Output;
}

/**
 * Keeps a failed write to standard output or error from ending the process with a stack trace. A reader such as `head`
 * may close the pipe early: this is not an error. Any other failure of standard output, for example a full disk, is one
 * line on standard error. What can't be written to standard error is lost.
 * @param onLost called when standard output failed, except when its reader has gone
 */
export function surviveLostOutput({ stdout, stderr }: Streams, onLost: () => void): void {
  stderr.on('error', () => undefined);
  stdout.on('error', (error) => {
    if (errorCode(error) === 'EPIPE') return;
    stderr.write(`standard output can't be written: ${error.message}\n`);
    onLost();
  });
}
