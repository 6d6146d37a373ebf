import { diskError } from './disk-error.ts';
import type { Output } from './lost-output.ts';
import { StartError } from './start-error.ts';

/** The parts of a process that a command uses; tests pass their own. */
export interface CommandHost {
  /** Node, the program, and its arguments. The program is a path, or the name of a command that loaded it. */
  readonly argv: readonly string[];
  readonly stderr: Output;
  exitCode?: number | string | null | undefined;
}

type ErrorClass = abstract new (...args: never[]) => Error;

/** Errors that a user can correct, with their exit codes; StartError has its own. */
export type KnownErrors = readonly (readonly [ErrorClass, number])[];

/** Prints an error that a user can correct as one line, any other with its stack. @returns the exit code */
export function explainError(error: unknown, known: KnownErrors, { stderr }: Pick<CommandHost, 'stderr'>): number {
  const [, exit] = known.find(([kind]) => error instanceof kind) ?? [];
  if (error instanceof StartError || (error instanceof Error && exit !== undefined)) {
    stderr.write(`${error.message}\n`);
    return error instanceof StartError ? error.exit : (exit ?? 1);
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  stderr.write(`${diskError(error) ?? text}\n`);
  return 1;
}

/**
 * Runs a command that ends by itself; its exit code becomes that of the process. Does not end the process here: a pipe
 * may not have taken all of the output yet.
 */
export async function runCommand(
  command: (argv: readonly string[]) => Promise<number>,
  host: CommandHost = process,
  known: KnownErrors = [],
): Promise<void> {
  const code = await command(host.argv.slice(2)).catch((error: unknown) => explainError(error, known, host));
  // A failure of the output may have set it already.
  host.exitCode ??= code;
}
