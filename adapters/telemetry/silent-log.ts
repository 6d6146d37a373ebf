import type { Logger } from './port.ts';

const nothing = (): void => undefined;

/** For a program without a log: it reports failures in its own way. */
export const silentLog: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLog,
  flush: () => Promise.resolve(),
};
