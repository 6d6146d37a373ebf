import type { Logger } from '../../adapters/telemetry/port.ts';
import type { LoaderReport } from '../../core/loader/loader-report.ts';
import type { EventSpec } from '../../core/reconcile/event-spec.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';

export interface ReportDeps {
  readonly recorder: { readonly record: (object: KubeObject, events: readonly EventSpec[]) => void };
  readonly logger: Logger;
  /** The object that Events refer to (report-target.ts). */
  readonly reportOn: (signal: AbortSignal) => Promise<KubeObject | undefined>;
}

/** Reports new problems of the folder since the last scan. */
export interface LoaderReports {
  /** @param reports every current problem; never rejects */
  readonly show: (reports: readonly LoaderReport[], signal: AbortSignal) => Promise<void>;
}

const MAX_NOTE = 1024;
// A folder with many mistakes is reported in the log; only the first ones become Events.
const MAX_EVENTS = 20;

const keyOf = ({ file, code, pointer, line, detail }: LoaderReport): string =>
  JSON.stringify([file, code, pointer, line, detail]);

const placeOf = ({ file, line, pointer }: LoaderReport): string =>
  `${file}${line === undefined ? '' : `:${line}`}${pointer === '' ? '' : ` ${pointer}`}`;

const eventOf = (report: LoaderReport): EventSpec => ({
  type: 'Warning',
  reason: report.code === 'loader-conflict' ? 'ManifestConflict' : 'ManifestRefused',
  action: 'LoadManifest',
  note: `${placeOf(report)}: ${report.detail}`.slice(0, MAX_NOTE),
});

const LEVELS = { error: 'error', warning: 'warn', info: 'info' } as const satisfies Record<
  LoaderReport['severity'],
  keyof Logger
>;

function log(logger: Logger, report: LoaderReport): void {
  const { file, code, pointer, line, detail, severity } = report;
  const fields = { file, code, pointer, ...(line === undefined ? {} : { line }) };
  logger[LEVELS[severity]](detail, fields);
}

export function createLoaderReports({ recorder, logger, reportOn }: ReportDeps): LoaderReports {
  let shown: ReadonlySet<string> = new Set();
  const send = async (reports: readonly LoaderReport[], signal: AbortSignal): Promise<void> => {
    if (reports.length === 0) return;
    try {
      const target = await reportOn(signal);
      if (target !== undefined) recorder.record(target, reports.slice(0, MAX_EVENTS).map(eventOf));
    } catch (error) {
      if (!signal.aborted) logger.warn('no Event could be made about the manifest folder', { error });
    }
  };
  return {
    show: async (reports, signal) => {
      const fresh = reports.filter((report) => !shown.has(keyOf(report)));
      shown = new Set(reports.map(keyOf));
      for (const report of fresh) log(logger, report);
      await send(
        fresh.filter(({ severity }) => severity === 'error'),
        signal,
      );
    },
  };
}
