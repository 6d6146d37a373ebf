import { stat } from 'node:fs/promises';
import { errorCode } from '../../core/errors/error-code.ts';
import { shellWord } from '../../core/shell/shell-word.ts';

const GROUP = 0o070;
const OTHERS = 0o007;

/** What decides who may read a file. */
export interface FileAccess {
  readonly mode: number;
  readonly uid: number;
}

/**
 * Bits of a mode that let others in. A mounted Secret belongs to root and is read by the group of the pod (mode 0440):
 * so the group may read a file that belongs to another user than the one of this process, or to root.
 * @param uid user of this process; undefined: the system has no users
 */
export function exposedBits({ mode, uid: owner }: FileAccess, uid: number | undefined): number {
  const ownsIt = uid !== undefined && uid !== 0 && owner === uid;
  return mode & (ownsIt ? GROUP | OTHERS : OTHERS);
}

/** @returns the command that takes the rights from others; undefined: only its owner may read the file, or it is not there */
export async function exposure(path: string): Promise<string | undefined> {
  const found = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined || process.platform === 'win32') return undefined;
  const bits = exposedBits(found, process.getuid?.());
  if (bits === 0) return undefined;
  return `chmod ${(bits & GROUP) === 0 ? 'o-rwx' : 'go-rwx'} ${shellWord(path)}`;
}
