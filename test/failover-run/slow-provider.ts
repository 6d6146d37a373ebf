import { setTimeout as delay } from 'node:timers/promises';
import { issue } from '../support/tls.ts';
import type { Credential } from '../../adapters/egress/local-ca.ts';
import { startProviderServer, type ExampleProvider } from '../../standalone/example/provider-server.ts';
import { readObject } from '../../standalone/example/read-body.ts';
import { hostOf, TOKENS, type ProviderName } from './orbs.ts';

/** A provider over TLS whose latency can be changed. */
export interface SlowProvider extends ExampleProvider {
  readonly name: ProviderName;
  /** Ids of the POST requests that came, each as often as it came. */
  readonly posted: readonly string[];
  /** Of every answer from now on. */
  readonly take: (ms: number) => void;
}

/** @param usualMs what an answer takes until it is told otherwise */
export async function startSlowProvider(ca: Credential, name: ProviderName, usualMs: number): Promise<SlowProvider> {
  let takesMs = usualMs;
  const posted: string[] = [];
  const { key, certificate } = issue(ca, { names: [hostOf(name)] });
  const server = await startProviderServer(
    { tls: { key, cert: certificate }, token: TOKENS[name] },
    async (request) => {
      const body = request.method === 'POST' ? await readObject(request) : undefined;
      if (typeof body?.['id'] === 'string') posted.push(body['id']);
      await delay(takesMs);
      return { status: 200, body: { provider: name } };
    },
  );
  return {
    ...server,
    name,
    posted,
    take: (ms) => {
      takesMs = ms;
    },
  };
}
