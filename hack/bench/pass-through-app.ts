import express from 'express';
import { Agent, request } from 'undici';

/** Does something before and after the call of the provider; returns the answer of `call`. */
export type AroundCall = (call: () => Promise<unknown>) => Promise<unknown>;

/** Express with its defaults and `undici.request()`: passes the body of a request to the provider, and its answer back. */
export function passThrough(target: string, around: AroundCall): express.Express {
  const dispatcher = new Agent({ connections: 256, pipelining: 1, allowH2: false });
  const app = express();
  app.use(express.json({ limit: '1mb' }));
  app.post('/orbisets/default/execute', async (incoming, outgoing) => {
    const answer = await around(async () => {
      const { body } = await request(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer token-of-the-benchmark' },
        body: JSON.stringify(incoming.body),
        dispatcher,
        signal: AbortSignal.timeout(30_000),
      });
      return body.json();
    });
    outgoing.send(answer);
  });
  return app;
}
