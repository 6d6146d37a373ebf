import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../../threads/lower-priority.ts';
import { serveCheck } from './serve-check.ts';

// This module runs on import: it is the entry of the thread.
if (parentPort === null) throw new TypeError('a ledger is checked in a worker thread');
lowerPriority();
serveCheck(parentPort);
