import { readdirSync, readFileSync } from 'node:fs';

/** What a process holds at one moment. */
export interface ProcessSample {
  /** Seconds since the beginning. */
  readonly at: number;
  /** Resident memory, MB. */
  readonly resident: number;
  /** The part of it that no file stands behind: heap, buffers, stacks. */
  readonly anonymous: number;
  readonly descriptors: number;
}

const KB_PER_MB = 1024;

export function sampleOf(pid: number, at: number): ProcessSample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / KB_PER_MB;
  return { at, resident: mb('VmRSS'), anonymous: mb('RssAnon'), descriptors: readdirSync(`/proc/${pid}/fd`).length };
}
