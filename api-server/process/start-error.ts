/** A start that can't go on; the message says what to do. @param exit as documented: 1, 64, 78 */
export class StartError extends Error {
  readonly exit: number;
  constructor(message: string, exit: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
    this.exit = exit;
  }
}

/** Exit codes of sysexits.h: the command line is wrong; the installation is. */
export const EX_USAGE = 64;
export const EX_CONFIG = 78;
