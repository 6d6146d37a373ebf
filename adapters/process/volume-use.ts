import { statfs } from 'node:fs/promises';
import type { Logger } from '../telemetry/port.ts';

/** How full the volume of a folder is. */
export interface VolumeUse {
  /** Share of the bytes that this process could use, 0 to 1, as of the last look. */
  readonly used: () => number;
  readonly close: () => void;
}

const EVERY_MS = 10_000;

/** @returns undefined: the volume does not tell its size */
async function shareOf(folder: string): Promise<number | undefined> {
  const { blocks, bfree, bavail } = await statfs(folder);
  const taken = blocks - bfree;
  const usable = taken + bavail;
  return usable === 0 ? undefined : taken / usable;
}

/** Looks every 10 s, so that no request waits for a disk. A failed look keeps the last result. */
export async function watchVolume(folder: string, logger: Pick<Logger, 'warn'>): Promise<VolumeUse> {
  let last = 0;
  const look = async (): Promise<void> => {
    try {
      last = (await shareOf(folder)) ?? last;
    } catch (error) {
      logger.warn('the use of the volume can’t be read', { error });
    }
  };
  await look();
  const timer = setInterval(() => void look(), EVERY_MS).unref();
  return { used: () => last, close: () => clearInterval(timer) };
}
