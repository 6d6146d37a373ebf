import type { Logger } from '../../../adapters/telemetry/port.ts';

/**
 * A log for lines that say who changed, simulated or approved what. A line is handed over before the caller has the
 * answer, so a process that is killed after the answer has written it. It does not wait: a reader of the log that
 * stands still stops no change.
 */
export const auditLog = (logger: Pick<Logger, 'info' | 'flush'>): Pick<Logger, 'info'> => ({
  info: (message, fields) => {
    logger.info(message, fields);
    void logger.flush();
  },
});
