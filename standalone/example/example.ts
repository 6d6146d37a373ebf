import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { issueServerCertificate, makeLocalCa } from '../../adapters/egress/local-ca.ts';
import type { AllowRule } from '../../adapters/egress/port.ts';
import { withFileLock } from '../../adapters/private-file/file-lock.ts';
import { replacePrivate } from '../../adapters/private-file/private-file.ts';
import { readIfExists } from '../../adapters/private-file/read-if-exists.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { readVaultFile, writeVaultFile } from '../../adapters/vault-file/vault-file.ts';
import { vaultPath } from '../../adapters/vault-file/vault-path.ts';
import { startControl, type Behaviours } from './control.ts';
import { startEchoProvider } from './echo-provider.ts';
import { startLookupProvider, HEALTHY } from './lookup-provider.ts';
import type { ExampleProvider, ProviderOptions } from './provider-server.ts';

/** The example that works without setup: an Orb of `manifests/`, its provider, its token. */
export const EXAMPLE = {
  orbId: 'example.echo@1.0.0',
  orbiset: 'default',
  inputs: { text: 'Hello, Orb' },
} as const;

const LOCK_MS = 5000;

/** A bundled provider, and the vault entry that its Orb sends to it. */
interface Bundled {
  readonly host: string;
  readonly entry: string;
  /** File with the token, in the data folder's example. */
  readonly tokenFile: string;
  readonly start: (options: ProviderOptions) => Promise<ExampleProvider>;
}

/**
 * The running providers, and the dialer's settings to reach them: as with `--egress-stub` and `--egress-ca`
 * (security.md §3.1).
 */
export interface Example {
  readonly exceptions: readonly AllowRule[];
  /** PEM. */
  readonly ca: string;
  /** Puts the tokens into the vault. Call it once this process owns the data folder. */
  readonly fillVault: () => Promise<void>;
  /** Puts the token of the provider that returns texts into the vault of another Orbiset. */
  readonly fillVaultOf: (orbiset: { readonly namespace: string; readonly name: string }) => Promise<void>;
  /** Lets `orb example` change the providers' behaviour. Call it once this process owns the data folder. */
  readonly openControl: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The providers of the failover example (manifests/lookup.yaml). The fallback is slower, so it is not the primary. */
const lookupProvider = (name: string, usualMs: number, behaviours: Behaviours): Bundled => ({
  host: `${name}.orbs.example`,
  entry: `${name.toUpperCase()}_TOKEN`,
  tokenFile: `${name}-token`,
  start: (options) =>
    startLookupProvider({ ...options, name, usualMs, behaviour: () => behaviours.get(name) ?? HEALTHY }),
});

const ECHO: Bundled = {
  host: 'echo.orbs.example',
  entry: 'ECHO_TOKEN',
  tokenFile: 'token',
  start: startEchoProvider,
};

/** Folders where the example keeps its files. */
export interface ExampleFolder {
  /** Data folder of the installation; it contains the vault. */
  readonly path: string;
  /** Folder of the tokens, and of the control's address. */
  readonly example: string;
}

async function tokenOf({ example }: ExampleFolder, { tokenFile }: Bundled): Promise<string> {
  const path = join(example, tokenFile);
  const known = await readIfExists(path);
  if (known !== undefined) return known;
  const token = randomBytes(24).toString('base64url');
  await replacePrivate(path, token);
  return token;
}

/** Puts tokens into a vault. An existing entry stays. */
async function fillVault(path: string, tokens: readonly (readonly [Bundled, string])[]): Promise<void> {
  const entries = await readVaultFile(path);
  const missing = tokens.filter(([{ entry }]) => !entries.some(({ name }) => name === entry));
  if (missing.length === 0) return;
  const added = missing.map(([{ entry, host }, token]) => ({ name: entry, value: Buffer.from(token), hosts: [host] }));
  await writeVaultFile(path, [...entries, ...added]);
}

/**
 * Starts the bundled providers on free loopback ports. Their certificates come from a CA that each start creates.
 */
export async function startExample(folder: ExampleFolder, clock: Clock): Promise<Example> {
  const behaviours: Behaviours = new Map([
    ['alpha', HEALTHY],
    ['beta', HEALTHY],
  ]);
  const bundled = [ECHO, lookupProvider('alpha', 30, behaviours), lookupProvider('beta', 300, behaviours)];
  const tools = { clock, random: (length: number) => randomBytes(length) };
  const ca = makeLocalCa(tools);
  const closing: (() => Promise<void>)[] = [];
  const exceptions: AllowRule[] = [];
  const tokens: (readonly [Bundled, string])[] = [];
  for (const provider of bundled) {
    const token = await tokenOf(folder, provider);
    const { key, certificate } = issueServerCertificate(ca, { names: [provider.host] }, tools);
    const { port, close } = await provider.start({ tls: { key, cert: certificate }, token });
    closing.push(close);
    exceptions.push({ kind: 'stub', origin: `https://${provider.host}`, address: '127.0.0.1', port });
    tokens.push([provider, token]);
  }
  const fill = (vault: string, some: typeof tokens): Promise<void> =>
    withFileLock(vault, clock, AbortSignal.timeout(LOCK_MS), () => fillVault(vault, some));
  return {
    exceptions,
    ca: ca.certificate,
    fillVault: () => fill(vaultPath(folder.path, 'default', EXAMPLE.orbiset), tokens),
    fillVaultOf: ({ namespace, name }) =>
      fill(
        vaultPath(folder.path, namespace, name),
        tokens.filter(([provider]) => provider === ECHO),
      ),
    openControl: async () => {
      closing.push(await startControl(join(folder.example, 'control.json'), behaviours));
    },
    close: async () => {
      await Promise.all(closing.map((close) => close()));
    },
  };
}
