import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { UsageError } from '../process/start-error.ts';

/** Only the first certificate is read: enough to recognise a file of CA certificates. */
function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

async function readCa(path: string): Promise<string> {
  const pem = await readFile(path, 'utf8').catch(() => undefined);
  if (pem !== undefined && isAuthority(pem)) return pem;
  throw new UsageError(`--egress-ca ${path}: no PEM certificate of an authority is there`);
}

/** PEM texts of the files of `--egress-ca`. @throws UsageError a file holds no CA certificate */
export const readAuthorities = (files: readonly string[]): Promise<readonly string[]> => Promise.all(files.map(readCa));
