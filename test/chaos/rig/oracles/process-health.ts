/** How a process of a run ended. */
export interface EndedProcess {
  /** Everything that it printed, stdout and stderr. */
  readonly output: string;
  /** null after a signal. */
  readonly exitCode: number | null;
  /** From SIGTERM to its end. */
  readonly stopMs: number;
}

const COMPLAINTS: readonly (readonly [RegExp, string])[] = [
  [/unhandled ?(promise ?)?rejection/i, 'an unhandled rejection'],
  [/MaxListenersExceededWarning/, 'a warning of a listener leak'],
  [/uncaught ?exception/i, 'an uncaught exception'],
  [/heap out of memory/i, 'an exhausted heap'],
];
const STOP_MS = 10_000;

/** Errors that it printed; also checked for killed processes. */
export const checkOutput = (output: string): readonly string[] =>
  COMPLAINTS.filter(([pattern]) => pattern.test(output)).map(([, what]) => `the log holds ${what}`);

/** Oracle i: after SIGTERM it ended within 10 s with code 0, and never printed an error. */
export function checkProcess({ output, exitCode, stopMs }: EndedProcess): readonly string[] {
  const code = exitCode === 0 ? [] : [`exit code ${exitCode} on SIGTERM`];
  const late = stopMs <= STOP_MS ? [] : [`${Math.round(stopMs)} ms from SIGTERM to the end`];
  return [...checkOutput(output), ...code, ...late];
}
