/**
 * Exit codes of sysexits.h. The first: the command line is wrong. The second: the installation is wrong, and a restart
 * does not help.
 */
export const EX_USAGE = 64;
export const EX_CONFIG = 78;

/** A start that can't continue; the message says what to do. @param exit as documented: 1, 64, 78 */
export class StartError extends Error {
  readonly exit: number;
  constructor(message: string, exit: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
    this.exit = exit;
  }
}

/** The command line is wrong; the message is one line that says how to correct it. */
export class UsageError extends StartError {
  constructor(message: string) {
    super(message, EX_USAGE);
    this.name = 'UsageError';
  }
}
