import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // not Linux, gone already, or of another user
  }
};

const MAX_PATH = 80;

/** The program of a process, and the file that it runs. Arguments are left out: they may hold secrets. */
function programOf(pid: number): string {
  const [program = '', ...words] = read(`/proc/${pid}/cmdline`).split('\0');
  if (program === '') return '';
  const file = words.find((word) => !word.startsWith('-') && /\.[cm]?[jt]s$/.test(word));
  const name = basename(program.split(' ')[0] ?? program);
  return file === undefined ? name : `${name} ${file.length > MAX_PATH ? `…${file.slice(-MAX_PATH)}` : file}`;
}

/** `the process 1234 (node standalone/main.ts)`; without its program where /proc does not show it. */
export function processText(pid: number): string {
  const program = programOf(pid);
  return `the process ${pid}${program === '' ? '' : ` (${program})`}`;
}

const LISTENING = '0A';

/** Inodes of the sockets that listen on a port. The tables hold one line a socket: address:port, …, state, …, inode. */
function listeningInodes(port: number): ReadonlySet<string> {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => read(path).split('\n').slice(1));
  return new Set(
    lines.flatMap((line) => {
      const fields = line.trim().split(/\s+/);
      return fields[1]?.endsWith(`:${wanted}`) === true && fields[3] === LISTENING ? [fields[9] ?? ''] : [];
    }),
  );
}

const entries = (path: string): readonly string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
};

/**
 * The process that listens on a TCP port of this machine: to name it when the port is taken, after which the start
 * ends.
 * @returns undefined: not Linux, or the process is of another user or another container
 */
export function listenerOf(port: number): number | undefined {
  const sockets = new Set([...listeningInodes(port)].map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return undefined;
  const pids = entries('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) =>
    entries(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`))),
  );
  return found === undefined ? undefined : Number(found);
}
