import { startProviderServer, type ExampleProvider, type ProviderOptions } from './provider-server.ts';
import { readObject } from './read-body.ts';

/** Starts the provider that the first example calls: it returns its input. */
export const startEchoProvider = (options: ProviderOptions): Promise<ExampleProvider> =>
  startProviderServer(options, async (request) => {
    const text = (await readObject(request))?.['text'];
    if (typeof text !== 'string') return { status: 400, body: { error: 'send {"text": "…"}' } };
    const words = text.split(/\s+/).filter((word) => word !== '').length;
    return { status: 200, body: { text, words } };
  });
