import type { ProcessHost } from '../../adapters/process/run-program.ts';

/** A process for tests: signals come from `signal`, and its end is only recorded. */
export interface FakeProcess {
  readonly host: ProcessHost;
  readonly out: () => string;
  readonly err: () => string;
  /** Exit codes of the process, in order. */
  readonly exits: readonly number[];
  readonly signal: (name: NodeJS.Signals) => void;
}

export function fakeProcess(argv: readonly string[] = []): FakeProcess {
  const written = { out: '', err: '' };
  const exits: number[] = [];
  const listeners = new Map<NodeJS.Signals, (() => void)[]>();
  const host: ProcessHost = {
    argv: ['node', 'program', ...argv],
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
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
    signal: (name) => {
      for (const listener of listeners.get(name) ?? []) listener();
    },
  };
}
