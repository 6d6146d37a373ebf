import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { replacePrivate } from '../private-file/private-file.ts';
import { HeadMoved, type HeadStore, type StoredHead } from './port.ts';

const versionOf = (note: string): string => createHash('sha256').update(note).digest('hex');

async function read(path: string): Promise<StoredHead | undefined> {
  try {
    const note = await readFile(path, 'utf8');
    return { note, version: versionOf(note) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The head in a file of its own, mode 0600. Not covered: two writers at once; the ledger's own lock keeps them apart. */
export const createFileHeadStore = (path: string): HeadStore => ({
  place: path,
  read: () => read(path),
  write: async (note, replaced) => {
    if ((await read(path))?.version !== replaced) throw new HeadMoved(`${path} was changed by somebody else`);
    await replacePrivate(path, note);
    return versionOf(note);
  },
});
