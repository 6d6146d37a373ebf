import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createSecureContext } from 'node:tls';
import { watchFolders } from '../../adapters/manifest-folder/watch-folder.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { TlsFiles } from '../http/server.ts';
import { EX_CONFIG, StartError } from '../../adapters/process/start-error.ts';

/** Files with certificate chain and private key, PEM. */
export interface TlsPaths {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The pair that a server uses, with its expiry. */
export interface ServerTls {
  readonly files: TlsFiles;
  /** Expiry of the server's own certificate, the first of the chain, ms since epoch. */
  readonly expiresAt: number;
}

const readPem = (path: string, flag: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    const message = `${flag} ${path}: the file can't be read: check that it exists and may be read by this user`;
    throw new StartError(message, EX_CONFIG, { cause: error });
  });

/** @throws StartError a file can't be read, or the two don't match: one of them may be half written */
export async function readTls({ certFile, keyFile }: TlsPaths): Promise<ServerTls> {
  const files = { cert: await readPem(certFile, '--tls-cert'), key: await readPem(keyFile, '--tls-key') };
  try {
    createSecureContext(files); // the whole chain
    const own = new X509Certificate(files.cert);
    // A TLS context ignores an empty key and would then serve nothing.
    if (!own.checkPrivateKey(createPrivateKey(files.key))) throw new TypeError('the key is of another certificate');
    return { files, expiresAt: own.validToDate.getTime() };
  } catch (error) {
    const message = `--tls-cert ${certFile}, --tls-key ${keyFile}: these are no certificate chain (PEM) and its private key`;
    throw new StartError(message, EX_CONFIG, { cause: error });
  }
}

const sameFiles = (one: TlsFiles, other: TlsFiles): boolean => one.cert === other.cert && one.key === other.key;

/** A certificate that follows its files. */
export interface FollowedTls {
  /** Expiry of the pair in use, ms since epoch. */
  readonly expiresAt: () => number;
  /** Reads the files now. */
  readonly reload: () => Promise<void>;
}

/**
 * Uses a changed pair of files. When the new pair is wrong, the previous pair stays in use and the fault is logged
 * once.
 * @param use uses a new pair for every new connection
 */
export function createTlsFollower(
  paths: TlsPaths,
  first: ServerTls,
  deps: { readonly logger: Pick<Logger, 'info' | 'error'>; readonly use: (files: TlsFiles) => void },
): FollowedTls {
  const { logger, use } = deps;
  let inUse = first;
  let reportedError = '';
  const reload = async (): Promise<void> => {
    try {
      const found = await readTls(paths);
      reportedError = '';
      if (sameFiles(found.files, inUse.files)) return;
      use(found.files);
      inUse = found;
      logger.info('the certificate was replaced', { expires_at: new Date(found.expiresAt).toISOString() });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (text !== reportedError) logger.error('the previous certificate stays in use', { error });
      reportedError = text;
    }
  };
  return { expiresAt: () => inUse.expiresAt, reload };
}

/**
 * Reads the files after each change in their folders and every 2 s. A mounted Secret changes by a swap of `..data`, one
 * folder above the target of its names.
 * @returns a function that stops it
 */
export const watchTls = ({ certFile, keyFile }: TlsPaths, { reload }: FollowedTls): (() => Promise<void>) =>
  watchFolders([...new Set([dirname(certFile), dirname(keyFile)])], reload);
