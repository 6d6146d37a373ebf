import { readFile } from 'node:fs/promises';
import { stopSignal } from '../../adapters/process/stop-signal.ts';
import { claim, urlOf } from '../../api-server/process/listen.ts';
import { StartError } from '../../api-server/process/start-error.ts';
import { startEchoProvider } from './echo-provider.ts';
import type { ProviderOptions } from './provider-server.ts';
import { HELP, parseProviderSettings, type ProviderSettings } from './settings.ts';

// EX_CONFIG of sysexits.h: starting again mends nothing.
const MISCONFIGURED = 78;

/** @throws StartError the file can't be read or is empty */
async function textOf(file: string, flag: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new StartError(`${flag} ${file}: ${error instanceof Error ? error.message : String(error)}`, MISCONFIGURED);
  });
  if (text.trim() === '') throw new StartError(`${flag} ${file}: the file is empty`, MISCONFIGURED);
  return text.trim();
}

async function tlsOf(files: ProviderSettings['tls']): Promise<ProviderOptions['tls']> {
  if (files === undefined) return undefined;
  return { key: await textOf(files.keyFile, '--tls-key'), cert: await textOf(files.certFile, '--tls-cert') };
}

async function run({ listen, tokenFile, tls: files }: ProviderSettings): Promise<void> {
  const stopping = stopSignal();
  const [token, tls] = [await textOf(tokenFile, '--token-file'), await tlsOf(files)];
  const provider = await claim(listen, '--listen', () => startEchoProvider({ token, tls, listen }));
  const url = urlOf(listen.host, provider.port, tls === undefined ? 'http' : 'https');
  process.stderr.write(`the example provider answers at ${url}/v1/echo\n`);
  const stop = (): void => void provider.close();
  if (stopping.aborted) stop();
  else stopping.addEventListener('abort', stop, { once: true });
}

const parsed = parseProviderSettings(process.argv.slice(2));
switch (parsed.kind) {
  case 'help':
    process.stdout.write(HELP);
    break;
  case 'wrong':
    process.stderr.write(`${parsed.message}\n\n${HELP}`);
    process.exitCode = 64;
    break;
  case 'start':
    await run(parsed.settings).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(error instanceof StartError ? error.exit : 1);
    });
    break;
  default:
    parsed satisfies never;
}
