import type { LogFields, Logger } from '../../../adapters/telemetry/port.ts';
import type { RuntimeMetrics } from '../../../adapters/kube/kube-metrics.ts';
import type { QueueLoad } from '../../../adapters/kube/work-queue.ts';

/** A log that keeps its lines: `level message`, with the fields. */
export interface RecordedLog {
  readonly logger: Logger;
  readonly lines: readonly { readonly text: string; readonly fields: LogFields }[];
  readonly texts: () => readonly string[];
}

export function recordLog(): RecordedLog {
  const lines: { text: string; fields: LogFields }[] = [];
  const loggerOf = (own: LogFields): Logger => {
    const at =
      (level: string): Logger['debug'] =>
      (message, given) => {
        const fields = typeof given === 'function' ? given() : given;
        lines.push({ text: `${level} ${message}`, fields: { ...own, ...fields } });
      };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => loggerOf({ ...own, ...fields }),
      flush: async () => undefined,
    };
  };
  return { logger: loggerOf({}), lines, texts: () => lines.map(({ text }) => text) };
}

/** Metrics that record each count, as `name label …`. */
export interface RecordedMetrics {
  readonly metrics: RuntimeMetrics;
  readonly counts: () => Readonly<Record<string, number>>;
  readonly load: (queue: string) => QueueLoad | undefined;
}

export function recordMetrics(): RecordedMetrics {
  const counts = new Map<string, number>();
  const loads = new Map<string, () => QueueLoad>();
  const note = (...words: readonly string[]): void => {
    const name = words.join(' ');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  const metrics: RuntimeMetrics = {
    request: (method, code, verb) => note('request', method, code, verb),
    listed: (kind, reason) => note('listed', kind, reason),
    watchRestarted: (kind, reason) => note('watchRestarted', kind, reason),
    watchStalled: (kind) => note('watchStalled', kind),
    historyRewound: (kind) => note('historyRewound', kind),
    cache: (kind, objects, synced) => void counts.set(`cache ${kind} ${synced ? 'synced' : 'empty'}`, objects),
    leading: (name, leads) => void counts.set(`leading ${name}`, leads ? 1 : 0),
    eventDropped: (type) => note('eventDropped', type),
    queue: (name, load) => {
      loads.set(name, load);
      return {
        added: () => note('added', name),
        retried: () => note('retried', name),
        started: () => note('started', name),
        ended: () => note('ended', name),
      };
    },
    controller: ({ name }) => ({
      running: () => note('running', name),
      stopped: () => note('stopped', name),
      began: () => note('began', name),
      ended: (result) => note('ended', name, result ?? 'uncounted'),
      terminal: () => note('terminal', name),
      panic: () => note('panic', name),
      timeout: () => note('timeout', name),
    }),
  };
  return { metrics, counts: () => Object.fromEntries(counts), load: (queue) => loads.get(queue)?.() };
}
