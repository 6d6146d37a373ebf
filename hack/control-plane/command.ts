import { spawn, type ChildProcess } from 'node:child_process';

/** What a command printed and how it ended. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Gets the process at its start, for example to end it early. */
  readonly onStart?: (child: ChildProcess) => void;
}

const text = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');

/**
 * Runs a command to its end. Never rejects: a command that can't be started has the code 127.
 * @param options input goes to its stdin; `env` is added to this process's own. With SHLVL a bash whose stdin is a pipe of
 *   Node, a socket, knows that no remote shell daemon has started it, and reads no start-up file.
 */
export function command(file: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { cwd, env = {}, input, onStart } = options;
  return new Promise((resolve) => {
    const child = spawn(file, [...args], {
      cwd,
      env: { ...process.env, SHLVL: '1', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    onStart?.(child);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', (error) => resolve({ code: 127, stdout: text(out), stderr: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, stdout: text(out), stderr: text(err) }));
    // A command that does not read its input closes the pipe first.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
