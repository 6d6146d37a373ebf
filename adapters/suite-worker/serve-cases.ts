import { doCaseWork, type CaseWork, type CaseWorkDone } from '../../core/suite/case-work.ts';

/** What the thread tells: once that it is loaded, then the answer to its only piece of work. */
export type FromCaseThread = readonly ['ready'] | readonly ['done', CaseWorkDone];

/** The thread's end of its channel. */
interface CasePort {
  readonly once: (event: 'message', listener: (work: CaseWork) => void) => unknown;
  readonly postMessage: (message: FromCaseThread) => void;
}

/** Serves one piece of work. An error ends the thread. */
export function serveCases(port: CasePort): void {
  port.once('message', (work) => port.postMessage(['done', doCaseWork(work)]));
  port.postMessage(['ready']);
}
