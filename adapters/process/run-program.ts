import { isAbsolute } from 'node:path';
import { systemClock, type Clock } from '../time/clock.ts';
import { parseCommandLine, wrongUsageText, type CommandLine } from './command-line.ts';
import { helpText } from './help.ts';
import { surviveLostOutput, type Output } from './lost-output.ts';
import { removeOwnReadyFile, removeReadyFile, writeReadyFile, type ReadyFacts } from './ready-file.ts';
import { explainError, runCommand, type CommandHost, type KnownErrors } from './run-command.ts';
import { EX_USAGE } from './start-error.ts';
import { stopSignal, type SignalHost } from './stop-signal.ts';

/** The parts of a process that a program uses; tests pass their own. */
export interface ProcessHost extends CommandHost, SignalHost {
  readonly stdout: Output;
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

/** How a program starts. */
export interface Start<Settings> {
  /** Until it returns, a signal ends the process at once. */
  readonly start: (settings: Settings) => Promise<RunningProgram>;
  /** File that gets `facts` once `missing` is empty. Absent: the program has no such flag. */
  readonly readyFile?: (settings: Settings) => string | undefined;
  readonly known?: KnownErrors;
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
            (error: unknown) => explainError(error, known, host),
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
