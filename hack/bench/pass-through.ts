// The baseline of the comparison: only Express with its defaults and `undici.request()`.
import { createServer } from 'node:http';
import { listenOnLoopback } from '../../adapters/process/listen.ts';
import { passThrough } from './pass-through-app.ts';

const app = passThrough(process.argv[2] ?? '', (call) => call());
const port = await listenOnLoopback(createServer(app));
process.stdout.write(`${JSON.stringify({ port })}\n`);
