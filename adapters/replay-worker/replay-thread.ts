import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../threads/lower-priority.ts';
import { serveReplay } from './serve-replay.ts';

// This module runs on import: it is the entry of the thread.
if (parentPort === null) throw new TypeError('policies are replayed in a worker thread');
lowerPriority(); // executions come first
serveReplay(parentPort);
