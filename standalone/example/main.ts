import { readFile } from 'node:fs/promises';
import { withListenErrors } from '../../adapters/process/listen.ts';
import { runProgram, untilStopped, type RunningProgram } from '../../adapters/process/run-program.ts';
import { EX_CONFIG, StartError } from '../../adapters/process/start-error.ts';
import { urlOf } from '../../core/network/listen-address.ts';
import { startEchoProvider } from './echo-provider.ts';
import type { ProviderOptions } from './provider-server.ts';
import { PROVIDER_COMMAND_LINE, type ProviderSettings } from './settings.ts';

/** @throws StartError the file can't be read or is empty */
async function textOf(file: string, flag: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new StartError(`${flag} ${file}: ${error instanceof Error ? error.message : String(error)}`, EX_CONFIG);
  });
  if (text.trim() === '') throw new StartError(`${flag} ${file}: the file is empty`, EX_CONFIG);
  return text.trim();
}

async function tlsOf(files: ProviderSettings['tls']): Promise<ProviderOptions['tls']> {
  if (files === undefined) return undefined;
  return { key: await textOf(files.keyFile, '--tls-key'), cert: await textOf(files.certFile, '--tls-cert') };
}

async function startProvider({ listen, tokenFile, tls: files }: ProviderSettings): Promise<RunningProgram> {
  const [token, tls] = [await textOf(tokenFile, '--token-file'), await tlsOf(files)];
  const provider = await withListenErrors(listen, '--listen', () => startEchoProvider({ token, tls, listen }));
  const url = urlOf({ ...listen, port: provider.port }, tls === undefined ? 'http' : 'https');
  process.stderr.write(`the example provider answers at ${url}/v1/echo\n`);
  return { facts: { url }, run: untilStopped(provider.close) };
}

await runProgram(PROVIDER_COMMAND_LINE, { start: startProvider });
