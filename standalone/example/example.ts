import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { issueServerCertificate, makeLocalCa } from '../../adapters/egress/local-ca.ts';
import type { EgressException } from '../../adapters/egress/port.ts';
import { withFileLock } from '../../adapters/private-file/file-lock.ts';
import { replacePrivate } from '../../adapters/private-file/private-file.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { readVaultFile, writeVaultFile } from '../../adapters/vault-file/vault-file.ts';
import { vaultPath } from '../../adapters/vault-file/vault-path.ts';
import { readIfThere, type DataFolder } from '../data-folder.ts';
import { startEchoProvider } from './echo-provider.ts';

/** The example that works at once: an Orb of `manifests/`, its provider, its token. */
export const EXAMPLE = {
  orbId: 'example.echo@1.0.0',
  orbiset: 'default',
  inputs: { text: 'Hello, Orb' },
} as const;

const HOST = 'echo.orbs.example';
const ENTRY = 'ECHO_TOKEN';
const LOCK_MS = 5000;

/** The running provider, and how the dialer reaches it: as `--egress-stub` and `--egress-ca` would (security.md §3.1). */
export interface Example {
  readonly exception: EgressException;
  /** PEM. */
  readonly ca: string;
  /** Puts the token into the vault; to be called once the data folder is this process's own. */
  readonly fillVault: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function exampleToken(folder: DataFolder): Promise<string> {
  const path = join(folder.example, 'token');
  const known = await readIfThere(path);
  if (known !== undefined) return known;
  const token = randomBytes(24).toString('base64url');
  await replacePrivate(path, token);
  return token;
}

/** Puts the example's token into the vault of the Orbiset `default`, unless somebody set one. */
async function fillVault(folder: DataFolder, token: string): Promise<void> {
  const path = vaultPath(folder.path, 'default', EXAMPLE.orbiset);
  const entries = await readVaultFile(path);
  if (entries.some((entry) => entry.name === ENTRY)) return;
  await writeVaultFile(path, [...entries, { name: ENTRY, value: Buffer.from(token), hosts: [HOST] }]);
}

/** Starts the bundled provider on a free loopback port, with a certificate of a CA that is made anew at each start. */
export async function startExample(folder: DataFolder, clock: Clock): Promise<Example> {
  const token = await exampleToken(folder);
  const tools = { clock, random: (length: number) => randomBytes(length) };
  const ca = makeLocalCa(tools);
  const { key, certificate } = issueServerCertificate(ca, { names: [HOST] }, tools);
  const provider = await startEchoProvider({ key, cert: certificate, token });
  return {
    exception: { kind: 'stub', origin: `https://${HOST}`, address: '127.0.0.1', port: provider.port },
    ca: ca.certificate,
    fillVault: () =>
      withFileLock(vaultPath(folder.path, 'default', EXAMPLE.orbiset), clock, AbortSignal.timeout(LOCK_MS), () =>
        fillVault(folder, token),
      ),
    close: provider.close,
  };
}
