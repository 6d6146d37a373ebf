import type { Finding } from '../../core/manifest/finding.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';

const LEVELS = { error: 'error', warning: 'warn', info: 'info' } as const satisfies Record<
  Finding['severity'],
  keyof Logger
>;

/** Shows findings to the person who edits the files: one line each, with file, line and column. */
export function reportFindings(logger: Logger, file: string, findings: readonly Finding[]): void {
  for (const { severity, code, pointer, detail, suggestion, line, column } of findings) {
    const hint = suggestion === undefined || detail.includes(suggestion) ? '' : ` Did you mean "${suggestion}"?`;
    const place = line === undefined ? {} : { line, ...(column === undefined ? {} : { column }) };
    logger[LEVELS[severity]](`${detail}${hint}`, { file, ...place, pointer, code });
  }
}
