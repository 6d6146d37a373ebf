import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../threads/lower-priority.ts';
import { serveCases } from './serve-cases.ts';

// This module runs on import: it is the entry of the thread.
if (parentPort === null) throw new TypeError('cases of strangers run in a worker thread');
lowerPriority(); // executions come first
serveCases(parentPort);
