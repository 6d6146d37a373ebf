import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, on every machine that Node supports. */
const TICK_MS = 10;
/** User and system time in `/proc/PID/stat`, counted behind the name, which may hold blanks. */
const [USER, SYSTEM] = [11, 12];

/** @returns processor time that a process has used so far; undefined: it is gone, or the system does not say */
export function cpuTimeMs(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[USER]) + Number(fields[SYSTEM])) * TICK_MS;
  } catch {
    return undefined;
  }
}
