import { parentPort } from 'node:worker_threads';
import { lowerPriority } from '../threads/lower-priority.ts';
import { serveAnswers } from './serve-answers.ts';

// This module runs on import: it is the entry of the thread.
if (parentPort === null) throw new TypeError('large answers are read in a worker thread');
lowerPriority(); // the event loop serves all tenants, this thread a few large answers
serveAnswers(parentPort);
