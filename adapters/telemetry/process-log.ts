import { openLog, type LogLevel, type ProcessLog } from './logger.ts';
import { systemClock } from '../time/clock.ts';

/** The log of a program, on standard error: readable lines at a terminal, otherwise one JSON object per line. */
export function openProcessLog(level: LogLevel): ProcessLog {
  const style = process.stderr.isTTY ? 'pretty' : 'json';
  return openLog({ level, style, target: process.stderr, now: systemClock.now });
}
