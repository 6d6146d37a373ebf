import type { LogFields, Logger } from '../../../adapters/telemetry/port.ts';
import type { KubeMetrics } from '../../../adapters/kube/port.ts';

export interface RecordedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps its lines. */
export function recordingLogger(lines: RecordedLine[] = []): Logger & { readonly lines: readonly RecordedLine[] } {
  const at =
    (level: RecordedLine['level']) =>
    (message: string, fields: LogFields | (() => LogFields) = {}): void => {
      lines.push({ level, message, fields: typeof fields === 'function' ? fields() : fields });
    };
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => recordingLogger(lines),
    flush: async () => undefined,
  };
}

/** Metrics that record each call as a text: `list Orb start`. */
export function recordingMetrics(): KubeMetrics & { readonly reported: readonly string[] } {
  const reported: string[] = [];
  return {
    reported,
    request: (method, code, verb) => void reported.push(`request ${method} ${code} ${verb}`),
    listed: (kind, reason) => void reported.push(`list ${kind} ${reason}`),
    watchRestarted: (kind, reason) => void reported.push(`restart ${kind} ${reason}`),
    watchStalled: (kind) => void reported.push(`stall ${kind}`),
    historyRewound: (kind) => void reported.push(`rewind ${kind}`),
    cache: () => undefined,
  };
}
