import { setTimeout as delay } from 'node:timers/promises';
import { startProviderServer, type ExampleProvider, type ProviderOptions } from './provider-server.ts';

/** Behaviour of a provider of the failover example; `orb example` changes it. */
export interface Behaviour {
  /** Ms added to every answer. */
  readonly slowMs: number;
  /** Status of every answer; undefined when it works. */
  readonly failStatus: number | undefined;
}

export const HEALTHY: Behaviour = { slowMs: 0, failStatus: undefined };

interface LookupOptions extends ProviderOptions {
  readonly name: string;
  /** Ms of an answer without added delay. */
  readonly usualMs: number;
  readonly behaviour: () => Behaviour;
}

/** Starts one of the two providers of the failover example: it counts the letters of a word. */
export const startLookupProvider = ({ name, usualMs, behaviour, ...server }: LookupOptions): Promise<ExampleProvider> =>
  startProviderServer(server, async ({ url = '' }) => {
    const { slowMs, failStatus } = behaviour();
    await delay(usualMs + slowMs);
    if (failStatus !== undefined) return { status: failStatus, body: { error: `${name} fails, as requested` } };
    const word = new URL(url, `https://${name}.orbs.example`).searchParams.get('word');
    if (word === null) return { status: 400, body: { error: 'ask for ?word=…' } };
    return { status: 200, body: { word, letters: Array.from(word).length, provider: name } };
  });
