import { isAbsolute } from 'node:path';
import { systemClock, type Clock } from '../time/clock.ts';
import { parseCommandLine, wrongUsageText, type CommandLine } from './command-line.ts';
import { diskError } from './disk-error.ts';
import { helpText } from './help.ts';
import { surviveLostOutput, type Output } from './lost-output.ts';
import { removeOwnReadyFile, removeReadyFile, writeReadyFile, type ReadyFacts } from './ready-file.ts';
import { EX_USAGE, StartError } from './start-error.ts';
import { stopSignal, type SignalHost } from './stop-signal.ts';

/** The parts of a process that a program uses; tests pass their own. */
export interface ProcessHost extends SignalHost {
  /** Node, the program, and its arguments. The program is a path, or the name of a command that loaded it. */
  readonly argv: readonly string[];
  readonly stdout: Output;
  readonly stderr: Output;
  exitCode?: number | string | null | undefined;
}

/** A program that has started. */
export interface RunningProgram extends ReadyFacts {
  /** Works until the signal is aborted; all its work has ended when it resolves. Call it once. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** For a program that is stopped by a function. */
export const untilStopped =
  (stop: () => Promise<void>): RunningProgram['run'] =>
  async (signal) => {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await stop();
  };

type ErrorClass = abstract new (...args: never[]) => Error;

/** How a program starts. */
export interface Start<Settings> {
  /** Until it returns, a signal ends the process at once. */
  readonly start: (settings: Settings) => Promise<RunningProgram>;
  /** File that gets `facts` once `missing` is empty. Absent: the program has no such flag. */
  readonly readyFile?: (settings: Settings) => string | undefined;
  /** Errors that a user can correct, with their exit codes; StartError has its own. */
  readonly known?: readonly (readonly [ErrorClass, number])[];
}

type Known = NonNullable<Start<unknown>['known']>;

/** Prints an error that a user can correct as one line, any other with its stack. @returns the exit code */
function explain(error: unknown, known: Known, { stderr }: Pick<ProcessHost, 'stderr'>): number {
  const [, exit] = known.find(([kind]) => error instanceof kind) ?? [];
  if (error instanceof StartError || (error instanceof Error && exit !== undefined)) {
    stderr.write(`${error.message}\n`);
    return error instanceof StartError ? error.exit : (exit ?? 1);
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  stderr.write(`${diskError(error) ?? text}\n`);
  return 1;
}

/** Ends when the program has ended: after a signal, or by an error. */
async function work<Settings>(
  settings: Settings,
  { start, readyFile: fileOf }: Start<Settings>,
  host: ProcessHost,
  clock: Clock,
): Promise<void> {
  const readyFile = fileOf?.(settings);
  if (readyFile !== undefined) await removeReadyFile(readyFile);
  const running = await start(settings);
  const onFirst = (): void => void host.stderr.write('Stopping: work in progress ends first (again: at once) …\n');
  const signal = stopSignal({ host, clock, onFirst });
  const ended = new AbortController();
  const run = running.run(signal).finally(() => ended.abort());
  const unready = AbortSignal.any([signal, ended.signal]);
  if (readyFile === undefined) return run;
  try {
    await Promise.all([run, writeReadyFile(readyFile, running, clock, unready)]);
  } finally {
    await removeOwnReadyFile(readyFile, running);
  }
}

/** The command line, with the name that the user called the program by. */
function asCalled<Settings>(commandLine: CommandLine<Settings>, [, program]: readonly string[]): CommandLine<Settings> {
  return program === undefined || isAbsolute(program) ? commandLine : { ...commandLine, call: program };
}

/**
 * Runs a command that ends by itself; its exit code becomes that of the process. Does not end the process here: a pipe
 * may not have taken all of the output yet.
 */
export async function runCommand(
  command: (argv: readonly string[]) => Promise<number>,
  host: ProcessHost = process,
  known: Known = [],
): Promise<void> {
  const code = await command(host.argv.slice(2)).catch((error: unknown) => explain(error, known, host));
  // A failure of the output may have set it already.
  host.exitCode ??= code;
}

/**
 * Runs a program that works until it is stopped: help, usage errors (64), start, ready file, signals, exit code. The
 * first SIGINT or SIGTERM stops it cleanly, with exit code 0; a second one ends it at once, with 130. The program keeps
 * running when its output or its log can't be written.
 */
export async function runProgram<Settings>(
  commandLine: CommandLine<Settings>,
  start: Start<Settings>,
  host: ProcessHost = process,
  clock: Clock = systemClock,
): Promise<void> {
  const { known = [] } = start;
  const called = asCalled(commandLine, host.argv);
  surviveLostOutput(host, () => (host.exitCode = 1));
  await runCommand(
    async (argv) => {
      const parsed = parseCommandLine(called, argv);
      switch (parsed.kind) {
        case 'help':
          host.stdout.write(helpText(called));
          return 0;
        case 'wrong':
          host.stderr.write(wrongUsageText(parsed.message, called));
          return EX_USAGE;
        case 'start': {
          const code = await work(parsed.settings, start, host, clock).then(
            () => 0,
            (error: unknown) => explain(error, known, host),
          );
          // Otherwise open handles would keep the process alive.
          host.exit(code);
          return code;
        }
        default:
          return parsed satisfies never;
      }
    },
    host,
    known,
  );
}
