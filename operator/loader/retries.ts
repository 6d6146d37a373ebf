import type { LoaderReport } from '../../core/loader/loader-report.ts';

/** A write that failed is tried again later and later, at once when what is to be written has changed. */
export interface Retries {
  /** Whether a write may be tried now. @param version what would be written */
  readonly due: (name: string, version: string) => boolean;
  /** @param report what the file's keeper must mend, if it is the file's fault */
  readonly failed: (name: string, version: string, report: LoaderReport | undefined) => void;
  readonly succeeded: (name: string) => void;
  /** What still stands of the failures of these names; the others are forgotten. */
  readonly reports: (names: ReadonlySet<string>) => readonly LoaderReport[];
}

interface Failure {
  readonly version: string;
  readonly count: number;
  /** Monotonic ms. */
  readonly nextMs: number;
  readonly report: LoaderReport | undefined;
}

const FIRST_MS = 2000;
const MAX_MS = 300_000;

/** @param monotonic ms, never goes back */
export function createRetries(monotonic: () => number): Retries {
  const failures = new Map<string, Failure>();
  return {
    due: (name, version) => {
      const failure = failures.get(name);
      return failure === undefined || failure.version !== version || failure.nextMs <= monotonic();
    },
    failed: (name, version, report) => {
      const before = failures.get(name);
      const count = before?.version === version ? before.count + 1 : 0;
      failures.set(name, { version, count, nextMs: monotonic() + Math.min(MAX_MS, FIRST_MS * 2 ** count), report });
    },
    succeeded: (name) => failures.delete(name),
    reports: (names) => {
      for (const name of failures.keys()) if (!names.has(name)) failures.delete(name);
      return [...failures.values()].flatMap(({ report }) => report ?? []);
    },
  };
}
