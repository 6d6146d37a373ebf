import type { Severity, SignalStatus } from '../mapping/signal.ts';
import type { StatusWord } from './template.ts';

/** Our own words for a status. */
export const OUR_STATUSES: Readonly<Record<SignalStatus, StatusWord>> = {
  firing: { status: 'firing' },
  acknowledged: { status: 'acknowledged' },
  resolved: { status: 'resolved' },
  suppressed: { status: 'suppressed' },
  info: { status: 'info' },
};

/** Words of labels, of Sentry and of priorities; no two vendors mean different things by one of them. */
export const SEVERITY_WORDS: Readonly<Record<string, Severity>> = {
  critical: 'critical',
  page: 'critical',
  fatal: 'critical',
  p1: 'critical',
  high: 'high',
  error: 'high',
  major: 'high',
  p2: 'high',
  warning: 'warning',
  warn: 'warning',
  medium: 'warning',
  minor: 'warning',
  p3: 'warning',
  low: 'low',
  p4: 'low',
  info: 'info',
  none: 'info',
  success: 'info',
  p5: 'info',
};

/** Words that all mean one status. */
export const meaning = (status: SignalStatus, ...words: readonly string[]): Readonly<Record<string, StatusWord>> =>
  Object.fromEntries(words.map((word) => [word, { status }]));
