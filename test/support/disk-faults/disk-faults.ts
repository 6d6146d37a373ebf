import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerFileOf } from '../data-ledger.ts';

/** How the disk behaves (disk-faults.c). */
type DiskMode = 'honest' | 'fail' | 'skip' | 'tear';

/** The disk of a process, with faults that a test switches on. */
export interface FaultyDisk {
  /** For the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly set: (mode: DiskMode) => void;
  /** Leaves of the ledger what a power loss would leave. To call when the process is killed. */
  readonly losePower: (data: string) => void;
}

const SOURCE = join(import.meta.dirname, 'disk-faults.c');
const FLAGS = ['-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'];

/** @returns the shared object; undefined: there is no C compiler here @throws Error the source does not compile */
function compiled(folder: string): string | undefined {
  const library = join(folder, 'disk-faults.so');
  const { error, status, stderr } = spawnSync('cc', [...FLAGS, '-o', library, SOURCE, '-ldl', '-lpthread']);
  if (error !== undefined) return undefined;
  if (status !== 0) throw new Error(`disk-faults.c does not compile: ${stderr.toString('utf8')}`);
  return library;
}

/**
 * @param folder of the test, which removes it
 * @returns undefined: not on this system, for want of Linux or a C compiler
 * @throws Error in CI there is no C compiler on Linux: a skipped test would go unseen
 */
export function faultyDisk(folder: string): FaultyDisk | undefined {
  if (process.platform !== 'linux') return undefined;
  const library = compiled(folder);
  if (library === undefined && process.env['CI'] === 'true')
    throw new Error('CI must not skip this test for want of a C compiler: apt-get install gcc libc6-dev');
  if (library === undefined) return undefined;
  const shadows = join(folder, 'disk');
  const file = join(shadows, 'mode');
  mkdirSync(shadows);
  return {
    env: { LD_PRELOAD: library, DISK_FAULTS: shadows },
    set: (mode) => (mode === 'honest' ? rmSync(file, { force: true }) : writeFileSync(file, mode)),
    losePower: (data) => {
      const ledger = ledgerFileOf(data);
      for (const [path, name] of [
        [ledger, 'ledger.sqlite'],
        [`${ledger}-wal`, 'ledger.sqlite-wal'],
      ] as const)
        if (existsSync(join(shadows, name))) copyFileSync(join(shadows, name), path);
      rmSync(`${ledger}-shm`, { force: true });
    },
  };
}
