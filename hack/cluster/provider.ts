import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { issueServerCertificate, makeLocalCa } from '../../adapters/egress/local-ca.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { startEchoProvider } from '../../standalone/example/echo-provider.ts';
import { isRecord, textAt } from '../control-plane/json.ts';

/** The provider behind the example Orb, on loopback. */
export interface Provider {
  /** How the dialer reaches it: `--egress-stub` and `--egress-ca`. */
  readonly flags: readonly string[];
  /** Those of the flags that the operator knows. */
  readonly lintFlags: readonly string[];
  readonly close: () => Promise<void>;
}

const HOST = 'echo.orbs.example';
const ENTRY = 'ECHO_TOKEN';

/** The token that the example's Secret holds. @throws Error the file holds no token */
async function tokenIn(file: string): Promise<string> {
  for (const document of parseAllDocuments(await readFile(file, 'utf8'))) {
    const value: unknown = document.toJS();
    const token = textAt(isRecord(value) ? value['stringData'] : undefined, ENTRY);
    if (token !== '') return token;
  }
  throw new Error(`${file} holds no ${ENTRY}`);
}

/**
 * Starts the provider.
 * @param secret file of the Secret whose token it accepts
 * @param folder where its CA is written
 */
export async function startProvider(secret: string, folder: string): Promise<Provider> {
  const tools = { clock: systemClock, random: (length: number) => randomBytes(length) };
  const authority = makeLocalCa(tools);
  const { key, certificate } = issueServerCertificate(authority, { names: [HOST] }, tools);
  const { port, close } = await startEchoProvider({ tls: { key, cert: certificate }, token: await tokenIn(secret) });
  const ca = join(folder, 'example-ca.pem');
  await writeFile(ca, authority.certificate);
  const lintFlags = ['--egress-stub', `https://${HOST}=127.0.0.1:${port}`];
  return { flags: [...lintFlags, '--egress-ca', ca], lintFlags, close };
}
