import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../threads/lower-priority.ts';

// This module runs on import: it is the entry of the thread.
if (parentPort === null) throw new TypeError('large answers are read in a worker thread');
lowerPriority(); // the event loop serves all tenants, this thread a few large answers
// Loading takes longer than most of its work, so it comes after.
const { serveAnswers } = await import('./serve-answers.ts');
serveAnswers(parentPort);
