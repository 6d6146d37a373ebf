import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endWithUs } from '../clean-end.ts';
import { peakMb } from '../processes.ts';
import { ROOT } from '../subjects.ts';

const LOOK_MS = 50;

/** What a process of the command line took. */
export interface OrbUsage {
  readonly seconds: number;
  /** Largest resident memory, MB, as of its last look before the end. */
  readonly peakMb: number;
}

/** A process that has ended has no memory any more. */
function peakBefore(pid: number, before: number): number {
  try {
    return Math.max(before, peakMb(pid) || 0);
  } catch {
    return before;
  }
}

/** Runs the command line of this checkout. @throws Error it ended with another code than 0 */
export async function runOrb(...args: readonly string[]): Promise<OrbUsage> {
  const began = performance.now();
  const child = endWithUs(
    spawn(process.execPath, [join(ROOT, 'cli/orb.js'), ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const texts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => texts.push(chunk.toString()));
  let peak = 0;
  const looking = setInterval(() => {
    peak = peakBefore(child.pid ?? 0, peak);
  }, LOOK_MS);
  await once(child, 'close');
  clearInterval(looking);
  if (child.exitCode !== 0) throw new Error(`orb ${args.join(' ')}: ${child.exitCode}\n${texts.join('').slice(-2000)}`);
  return { seconds: (performance.now() - began) / 1000, peakMb: peak };
}
