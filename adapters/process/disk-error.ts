import { errorCode } from '../../core/errors/error-code.ts';

const NEXT: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free space on it, then start again',
  EDQUOT: 'the quota of this user is used up; free space, then start again',
  EROFS: 'the file system is read-only; choose another folder',
  EACCES: 'this user may not do that; correct the owner or mode of the file or its folder',
  EPERM: 'this user may not do that; correct the owner or mode of the file or its folder',
};

/**
 * What a user can do about an error of the file system, in one line.
 * @returns undefined for other errors
 */
export function diskError(error: unknown): string | undefined {
  const next = NEXT[errorCode(error) ?? ''];
  return next === undefined || !(error instanceof Error) ? undefined : `${error.message}: ${next}`;
}
