import { parentPort, workerData } from 'node:worker_threads';
import { isBell, serveBell } from '../../threads/message-bell.ts';
import type { ToWriter } from '../sqlite/protocol.ts';
import { writerOf } from './serve-writer.ts';

const isToWriter = (message: unknown): message is ToWriter => Array.isArray(message);

// The only module that runs on import: the entry of the writer's thread.
const bell: unknown = workerData;
if (parentPort === null || !isBell(bell)) throw new TypeError('the ledger writer runs in a worker thread');
const handle = writerOf(parentPort);
serveBell(parentPort, bell, (message) => {
  if (!isToWriter(message)) throw new TypeError('a message that the ledger does not know');
  return handle(message);
});
