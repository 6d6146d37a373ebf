import { parentPort } from 'node:worker_threads';
import { serveBatches } from './serve-batches.ts';

// The only module that runs on import: the entry of a thread that verifies.
if (parentPort === null) throw new TypeError('lines are verified in a worker thread');
serveBatches(parentPort);
