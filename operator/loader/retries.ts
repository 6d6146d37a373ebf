import type { LoaderReport } from '../../core/loader/loader-report.ts';

/** Retries failed writes with growing delays, and at once when the content to write has changed. */
export interface Retries {
  /** Whether a write may be tried now. @param version of the content to write */
  readonly due: (name: string, version: string) => boolean;
  /** @param report what to fix in the file, if the file is at fault */
  readonly failed: (name: string, version: string, report: LoaderReport | undefined) => void;
  readonly succeeded: (name: string) => void;
  /** Open failures of these names; the others are forgotten. */
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
