import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../threads/lower-priority.ts';

// This module runs on import: it is the entry of the thread.
if (parentPort === null) throw new TypeError('drafts are compiled in a worker thread');
lowerPriority(); // executions come first
// Loading takes longer than most of its work, so it comes after.
const { serveDrafts } = await import('./serve-drafts.ts');
serveDrafts(parentPort);
