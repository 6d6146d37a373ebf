const TICKS_PER_SECOND = 100;
const MICROS_PER_TICK = 1_000_000 / TICKS_PER_SECOND;

/** CPU time of a process or thread so far, from /proc/PID/stat or /proc/PID/task/TID/stat. */
export interface TaskStat {
  /** Name of the thread; a process has the name of its main thread. The kernel keeps 15 bytes of it. */
  readonly name: string;
  /** User and system time, µs. */
  readonly micros: number;
  /** The same of children that have ended and were waited for, µs. */
  readonly childMicros: number;
}

/** The name, in brackets, may hold any character, brackets too. */
export function parseTaskStat(text: string): TaskStat {
  const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const sum = (first: number): number => (Number(fields[first]) + Number(fields[first + 1])) * MICROS_PER_TICK;
  return { name, micros: sum(11), childMicros: sum(13) };
}

/**
 * Time in which the cores of the machine were busy so far, from /proc/stat, µs. Time that the hypervisor gave to others
 * counts as busy. Interrupts don't: the kernel charges no process for them, so they would count as load of others.
 */
export function parseBusyMicros(text: string): number {
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = (/^cpu +(.*)$/m.exec(text)?.[1] ?? '')
    .split(' ')
    .map(Number);
  return (user + nice + system + steal) * MICROS_PER_TICK;
}
