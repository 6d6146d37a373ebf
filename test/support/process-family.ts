import { command } from '../../hack/control-plane/command.ts';

interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly line: string;
}

/** A process and its descendants, including descendants that an earlier call found: an orphan has another parent. */
export interface ProcessFamily {
  /** Those that still run, in the order of their start. */
  readonly running: () => Promise<readonly Running[]>;
  /** Their command lines. */
  readonly lines: () => Promise<readonly string[]>;
}

/** The processes of this machine. */
async function processes(): Promise<readonly Running[]> {
  const { stdout } = await command('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args=']);
  return stdout.split('\n').flatMap((row) => {
    const [, pid, parent, state = '', line = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? [];
    return pid === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), line }];
  });
}

export function processFamily(pid: number): ProcessFamily {
  const known = new Set([pid]);
  const running = async (): Promise<readonly Running[]> => {
    const all = await processes();
    // Processes are listed in the order of their start: parents come before their children, except for reused ids.
    for (const each of all) if (known.has(each.parent)) known.add(each.pid);
    return all.filter((each) => known.has(each.pid));
  };
  return { running, lines: async () => (await running()).map(({ line }) => line) };
}
