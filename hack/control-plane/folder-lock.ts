import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../core/errors/error-code.ts';
import type { Say } from './build.ts';

const WAIT_MS = 500;

const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

/** When a process started, in the kernel's ticks, because a pid is reused. '' when the kernel does not say. */
async function startOf(pid: number): Promise<string> {
  const stat = (await textOf(`/proc/${pid}/stat`)) ?? '';
  // The process name before it, in brackets, may hold any character.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Whether the process that wrote this lock is gone, for example killed, or the machine stopped during the write. */
async function isStale(text: string): Promise<boolean> {
  const [word = '', start = ''] = text.split(' ');
  const pid = Number(word);
  if (!(pid > 0 && isAlive(pid))) return true;
  return start !== '' && start !== (await startOf(pid));
}

type Wait = (ms: number) => Promise<unknown>;

/** Creates the lock atomically with its content. @returns false when a lock exists already */
async function make(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** @returns false when the previous holder has removed the folder meanwhile */
async function wrote(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function takeLock(folder: string, path: string, wait: Wait): Promise<boolean> {
  // At each try: the previous holder may have removed the folder.
  await mkdir(folder, { recursive: true });
  const id = randomUUID();
  const [own, text] = [`${path}-${id}`, `${process.pid} ${await startOf(process.pid)} ${id}`];
  if (!(await wrote(own, text))) return false;
  try {
    if (await make(own, path)) return true;
    const found = await textOf(path);
    if (found === undefined || !(await isStale(found))) return false;
    // Other processes that saw the same stale lock do the same: the last lock stays.
    await rename(own, path);
    await wait(WAIT_MS);
    return (await textOf(path)) === text;
  } finally {
    await rm(own, { force: true });
  }
}

/** Fills a folder under a lock between processes; creates the folder when it does not exist. */
export async function withFolderLock<T>(
  folder: string,
  say: Say,
  work: () => Promise<T>,
  wait: Wait = delay,
): Promise<T> {
  const lock = join(folder, '.lock');
  let announced = false;
  while (!(await takeLock(folder, lock, wait))) {
    const [pid = ''] = (await textOf(lock))?.split(' ') ?? [];
    if (!announced && pid !== '') say(`Process ${pid} works in ${folder}; waiting until it removes ${lock} …`);
    announced ||= pid !== '';
    await wait(WAIT_MS);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}
