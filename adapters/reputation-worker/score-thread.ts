import { parentPort } from 'node:worker_threads';
import { serveScores } from './serve-scores.ts';

// This module runs on import: it is the entry of the thread.
if (parentPort === null) throw new TypeError('scores are computed in a worker thread');
serveScores(parentPort);
