import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../../../adapters/threads/lower-priority.ts';
import { serveMapping } from './serve-mapping.ts';

// This module runs on import: it is the entry of the thread.
if (parentPort === null) throw new TypeError('deliveries are mapped in a worker thread');
lowerPriority(); // executions come first
serveMapping(parentPort);
