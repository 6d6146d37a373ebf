import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Say } from './build.ts';

const WAIT_MS = 500;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function takeLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    // Left by a process that was killed.
    if (holder > 0 && !isAlive(holder)) await rm(path, { force: true });
    return false;
  }
}

/** Fills a folder while no other process does; makes it when it is not there. */
export async function withFolderLock<T>(folder: string, say: Say, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  const lock = join(folder, '.lock');
  let told = false;
  while (!(await takeLock(lock))) {
    if (!told) say(`Another process fills ${folder}; waiting for it …`);
    told = true;
    await delay(WAIT_MS);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}
