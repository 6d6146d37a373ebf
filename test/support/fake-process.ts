import type { ProcessHost } from '../../adapters/process/run-program.ts';

/** A process for tests: signals come from `signal`, and its end is only recorded. */
export interface FakeProcess {
  readonly host: ProcessHost;
  readonly out: () => string;
  readonly err: () => string;
  /** Exit codes of the process, in order. */
  readonly exits: readonly number[];
  readonly signal: (name: NodeJS.Signals) => void;
  /** Fails standard output, as a pipe whose reader has gone. @throws the error, when nothing handles it */
  readonly failOutput: (error: Error) => void;
  /** The same for standard error. @throws the error, when nothing handles it */
  readonly failErrors: (error: Error) => void;
}

function deliver(listeners: readonly ((error: Error) => void)[], error: Error): void {
  if (listeners.length === 0) throw error;
  for (const listener of listeners) listener(error);
}

export function fakeProcess(argv: readonly string[] = []): FakeProcess {
  const written = { out: '', err: '' };
  const exits: number[] = [];
  const failures: ((error: Error) => void)[] = [];
  const lost: ((error: Error) => void)[] = [];
  const listeners = new Map<NodeJS.Signals, (() => void)[]>();
  const host: ProcessHost = {
    argv: ['/bin/node', '/srv/program.ts', ...argv],
    stdout: { write: (text) => (written.out += text), on: (_name, listener) => failures.push(listener) },
    stderr: { write: (text) => (written.err += text), on: (_name, listener) => lost.push(listener) },
    on: (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]),
    listenerCount: (name) => listeners.get(name)?.length ?? 0,
    exit: (code) => void exits.push(code),
    exitCode: undefined,
  };
  return {
    host,
    out: () => written.out,
    err: () => written.err,
    exits,
    failOutput: (error) => deliver(failures, error),
    failErrors: (error) => deliver(lost, error),
    signal: (name) => {
      for (const listener of listeners.get(name) ?? []) listener();
    },
  };
}
