import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/errors/error-code.ts';
import type { Server } from '../api/http.ts';
import { invalid, EXIT, Failure } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { unreadable } from '../io/read-file.ts';

/** A log as files: `checkpoint`, `tile/entries/000` … (C2SP tlog-tiles). */
export interface LogFiles {
  /** As the user named it. */
  readonly name: string;
  /** @returns undefined: there is no such file. @throws Failure it can't be read */
  readonly read: (path: string) => Promise<Uint8Array | undefined>;
  /** The issuer's keys document; undefined: it is not there. */
  readonly readKeys: () => Promise<Uint8Array | undefined>;
  readonly close: () => void;
}

const TIMEOUT_MS = 60_000;
/** Requests in flight; each keeps its connection. */
export const PARALLEL = 4;

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw unreadable(path, error);
  }
}

const folderFiles = (folder: string): LogFiles => ({
  name: folder,
  read: (path) => readIfThere(join(folder, path)),
  readKeys: () => readIfThere(join(folder, 'orb-keys.json')),
  close: () => undefined,
});

/** The log of a platform stands below its address. */
const logBase = (url: URL): URL => (url.pathname === '/' ? new URL('log/', url) : url);

async function servedFiles(text: string, io: Io): Promise<LogFiles> {
  // Only here: a folder needs no network.
  const { call, keptConnections } = await import('../api/http.ts');
  const { parseServer } = await import('../api/address.ts');
  const base = logBase(parseServer(text, '--log'));
  const agent = keptConnections(base, PARALLEL);
  const server: Server = { base, key: undefined, agent };
  const read = async (path: string): Promise<Uint8Array | undefined> => {
    const answer = await call(server, { method: 'GET', path, headers: {}, timeoutMs: TIMEOUT_MS }, io.signal);
    if (answer.status === 200) return answer.body;
    if (answer.status === 404) return undefined;
    throw new Failure(EXIT.unreachable, `${base.href}${path} answers with ${answer.status}`);
  };
  return {
    name: base.href,
    read,
    readKeys: () => read('../.well-known/orb-keys.json'),
    close: () => agent.destroy(),
  };
}

const isUrl = (text: string): boolean => /^https?:\/\//.test(text);

/** Opens the value of `--log`: an address or a folder. @throws Failure it is neither */
export async function openLogFiles(text: string, io: Io): Promise<LogFiles> {
  if (isUrl(text)) return servedFiles(text, io);
  const found = await stat(text).catch(() => undefined);
  if (found?.isDirectory() !== true) throw invalid(`--log ${printable(text)}: it is no folder and no address`);
  return folderFiles(text);
}
