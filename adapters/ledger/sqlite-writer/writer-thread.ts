import { parentPort } from 'node:worker_threads';
import { serveWriter } from './serve-writer.ts';

// The only module that runs on import: the entry of the writer's thread.
if (parentPort === null) throw new TypeError('the ledger writer runs in a worker thread');
serveWriter(parentPort);
