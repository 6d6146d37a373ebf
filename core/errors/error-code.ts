/**
 * The `code` of an error of Node, such as `ENOENT` or `EADDRINUSE`.
 * @returns undefined for an error without a code, and for a value that is not an error
 */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
