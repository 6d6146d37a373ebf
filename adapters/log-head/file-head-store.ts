import { createHash } from 'node:crypto';
import { replacePrivate } from '../private-file/private-file.ts';
import { readIfExists } from '../private-file/read-if-exists.ts';
import { HeadMoved, type HeadStore, type StoredHead } from './port.ts';

const versionOf = (note: string): string => createHash('sha256').update(note).digest('hex');

async function read(path: string): Promise<StoredHead | undefined> {
  const note = await readIfExists(path);
  return note === undefined ? undefined : { note, version: versionOf(note) };
}

/** The head in a file of its own, mode 0600. Not covered: two writers at once; the ledger's own lock prevents them. */
export const createFileHeadStore = (path: string): HeadStore => ({
  place: path,
  read: () => read(path),
  write: async (note, replaced) => {
    if ((await read(path))?.version !== replaced) throw new HeadMoved(`${path} was changed by somebody else`);
    await replacePrivate(path, note);
    return versionOf(note);
  },
});
