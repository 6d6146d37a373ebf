import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { isRecord } from './json.ts';

/** A file of a packed folder. */
export interface PackedFile {
  /** From the folder. */
  readonly path: string;
  /** Bytes of the file; zeros follow the content. etcd reserves 64 MB of zeros for its log. */
  readonly size: number;
  readonly content: Buffer;
}

const [pack, unpack] = [promisify(gzip), promisify(gunzip)];

function lengthWithoutZeros(bytes: Buffer): number {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length -= 1;
  return length;
}

/** Packs all files of a folder. */
export async function packFolder(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => {
      const bytes = await readFile(join(parentPath, name));
      const content = bytes.subarray(0, lengthWithoutZeros(bytes)).toString('base64');
      return { path: relative(folder, join(parentPath, name)), size: bytes.length, content };
    });
  return pack(JSON.stringify(await Promise.all(files)));
}

function readFileEntry(value: unknown): PackedFile {
  if (isRecord(value)) {
    const { path, size, content } = value;
    if (typeof path === 'string' && typeof size === 'number' && typeof content === 'string')
      return { path, size, content: Buffer.from(content, 'base64') };
  }
  throw new TypeError('not a packed folder');
}

/** @throws Error it is damaged or cut off: it has a checksum */
export async function unpackFolder(packed: Buffer): Promise<readonly PackedFile[]> {
  const value: unknown = JSON.parse((await unpack(packed)).toString('utf8'));
  if (!Array.isArray(value)) throw new TypeError('not a packed folder');
  return value.map(readFileEntry);
}

/** Writes the files, for their owner only. */
export async function writeFolder(folder: string, files: readonly PackedFile[]): Promise<void> {
  for (const { path, size, content } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const file = await open(target, 'wx', 0o600);
    try {
      await file.write(content);
      await file.truncate(size);
    } finally {
      await file.close();
    }
  }
}
