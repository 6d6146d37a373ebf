import { open } from 'node:fs/promises';
import { errorCode } from '../../core/errors/error-code.ts';
import { invalid, type Failure } from './failure.ts';
import type { Io } from './io.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
};

async function readBounded(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const file = await open(path, 'r');
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(64 * 1024));
      if (bytesRead === 0) return Buffer.concat(chunks);
      size += bytesRead;
      if (size > maxBytes) return undefined;
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** The failure for an error of the file system. */
export function unreadable(path: string, error: unknown): Failure {
  const code = errorCode(error) ?? '';
  return invalid(`${path}: ${REASONS[code] ?? `it can't be read (${code})`}`);
}

/**
 * Reads a file that an argument names; `-` is standard input.
 * @throws Failure it can't be read, or is larger than `maxBytes`
 */
export async function readInput(path: string, maxBytes: number, io: Io): Promise<Uint8Array> {
  if (path === '-') return io.input.read(maxBytes);
  try {
    const bytes = await readBounded(path, maxBytes);
    if (bytes !== undefined) return bytes;
  } catch (error) {
    throw unreadable(path, error);
  }
  throw invalid(`${path}: it is larger than ${maxBytes} bytes`);
}

/** Reads a file as `readInput` does, as UTF-8 text. @throws Failure it is not UTF-8 */
export async function readText(path: string, maxBytes: number, io: Io): Promise<string> {
  return decode(await readInput(path, maxBytes, io), path === '-' ? 'standard input' : path);
}

/** @throws Failure the bytes are not UTF-8 */
export function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid(`${what}: it is not UTF-8`);
  }
}
