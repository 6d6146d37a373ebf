// The baseline of the comparison: only Express with its defaults and `undici.request()`.
import { createServer } from 'node:http';
import express from 'express';
import { Agent, request } from 'undici';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

const target = process.argv[2] ?? '';
const dispatcher = new Agent({ connections: 256, pipelining: 1, allowH2: false });
const app = express();
app.use(express.json({ limit: '1mb' }));
app.post('/orbisets/default/execute', async (incoming, outgoing) => {
  const answer = await request(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer token-of-the-benchmark' },
    body: JSON.stringify(incoming.body),
    dispatcher,
    signal: AbortSignal.timeout(30_000),
  });
  const body: unknown = await answer.body.json();
  outgoing.send(body);
});
const port = await listenOnLoopback(createServer(app));
process.stdout.write(`${JSON.stringify({ port })}\n`);
