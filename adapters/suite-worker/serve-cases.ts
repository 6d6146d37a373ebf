import type { MessagePort } from 'node:worker_threads';
import { doCaseWork, type CaseWork, type CaseWorkDone } from '../../core/suite/case-work.ts';

/** What the thread tells: once that it is loaded, then the answer to its only piece of work. */
export type FromCaseThread = readonly ['ready'] | readonly ['done', CaseWorkDone];

/** Serves one piece of work. An error ends the thread. */
export function serveCases(port: Pick<MessagePort, 'once' | 'postMessage'>): void {
  const tell = (message: FromCaseThread): void => port.postMessage(message);
  port.once('message', (work: CaseWork) => tell(['done', doCaseWork(work)]));
  tell(['ready']);
}
