import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { RUN_OUTCOMES, type RunOutcome } from '../../core/receipt/record.ts';
import type { Clock } from '../time/clock.ts';
import { SECONDS_BUCKETS } from '../../core/failover/seconds-buckets.ts';
import { OrbMetrics } from './orb-metrics.ts';
import { createProcessMetrics } from './process-metrics.ts';

/** Values that are read at a scrape, not counted before. */
export interface MetricSources {
  readonly runsInFlight: () => number;
  /** Rows that wait for a commit, and the age of the oldest, ms. */
  readonly ledgerLoad: () => { readonly queuedRows: number; readonly oldestMs: number };
  /** Groups that the ledger has committed, and the rows in them. */
  readonly ledgerCommits: () => { readonly groups: number; readonly rows: number };
  /** Entries in the log; after a rejection the metric keeps its last value. */
  readonly logSize: () => Promise<number>;
  /** What the tenants with the most bytes have in the ledger; after a rejection the metrics keep their last values. */
  readonly tenants: () => Promise<
    readonly { readonly tenant: string; readonly rows: number; readonly bytes: number }[]
  >;
  readonly apiKeys: () => readonly { readonly keyId: string; readonly expiresAt: number }[];
  /** Number of origins with an allow rule or a stub. */
  readonly egressExceptions: () => number;
  /** Whether the ledger is proven to be the one that was last signed. */
  readonly logConsistent: () => boolean;
  /** Entries under the head that is kept outside the ledger. */
  readonly logHeadSize: () => number;
  /** Log lines that were left out, because others of their cause were written. */
  readonly leftOutLines: () => number;
}

export interface MetricsOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Version of the platform, for `orb_build_info`. */
  readonly version: string;
  readonly sources: MetricSources;
}

/**
 * The metrics of one API process. Label values come from the catalogue, the routes and the keys, never from a request.
 */
export interface Metrics extends Pick<
  OrbMetrics,
  'provider' | 'redactions' | 'setOrb' | 'removeOrb' | 'setProbing' | 'health'
> {
  /** The providers of all Orbs with `swap_config`, for a metrics source over this process. */
  readonly swapping: OrbMetrics['swapping'];
  /** A run with a receipt ended. */
  readonly run: (outcome: RunOutcome, seconds: number) => void;
  /** A request was answered. @param route template of the path */
  readonly http: (route: string, status: number) => void;
  /** For the metrics of other parts of this process. */
  readonly registry: Registry;
  /** The whole text in pieces, each made in ≤ 2 ms; the event loop turns between them. */
  readonly slices: () => AsyncGenerator<string>;
}

type RegistryList = readonly [Registry];

function runMetrics(registers: RegistryList): Pick<Metrics, 'run' | 'http'> {
  const runs = new Counter({
    name: 'orb_runs_total',
    help: 'Runs that ended, by outcome.',
    labelNames: ['outcome'],
    registers: [...registers],
  });
  const seconds = new Histogram({
    name: 'orb_run_duration_seconds',
    help: 'From the accepted request to the end of the run.',
    buckets: [...SECONDS_BUCKETS],
    registers: [...registers],
  });
  const requests = new Counter({
    name: 'orb_http_requests_total',
    help: 'Answered requests by route and status.',
    labelNames: ['route', 'status'],
    registers: [...registers],
  });
  // Bound once, so that they exist with 0 before the first run.
  const counters = Object.fromEntries(RUN_OUTCOMES.map((outcome) => [outcome, runs.labels(outcome)]));
  for (const counter of Object.values(counters)) counter.inc(0);
  return {
    run: (outcome, duration) => {
      counters[outcome]?.inc();
      seconds.observe(duration);
    },
    http: (route, status) => requests.inc({ route, status: String(status) }),
  };
}

function gauge(registers: RegistryList, name: string, help: string, read: () => number): void {
  const made: Gauge = new Gauge({ name, help, registers: [...registers], collect: () => made.set(read()) });
}

/** A total that is kept elsewhere and read at a scrape. */
function total(registers: RegistryList, name: string, help: string, read: () => number): void {
  const made: Counter = new Counter({
    name,
    help,
    registers: [...registers],
    collect: () => {
      made.reset();
      made.inc(read());
    },
  });
}

/** Prometheus counts in seconds. */
const MS = 1000;

function tenantMetrics(registers: RegistryList, { tenants }: MetricSources): void {
  let kept: ReturnType<typeof readTenants> | undefined;
  const readTenants = () => tenants().catch(() => undefined);
  /** The first metric of a scrape reads, the second one takes what was read: reading grows with the tenants. */
  const oncePerScrape = (): ReturnType<typeof readTenants> => {
    const found = kept ?? readTenants();
    kept = kept === undefined ? found : undefined;
    return found;
  };
  for (const [what, help] of [
    ['rows', 'Rows of a tenant in the ledger'],
    ['bytes', 'Bytes of a tenant in the ledger, estimated'],
  ] as const) {
    const made: Gauge<'tenant'> = new Gauge({
      name: `orb_ledger_tenant_${what}`,
      help: `${help}; only of the 100 tenants with the most bytes.`,
      labelNames: ['tenant'],
      registers: [...registers],
      collect: async () => {
        const largest = await oncePerScrape();
        if (largest === undefined) return;
        made.reset();
        for (const one of largest) made.set({ tenant: one.tenant }, one[what]);
      },
    });
  }
}

function sourceMetrics(registers: RegistryList, sources: MetricSources): void {
  gauge(registers, 'orb_runs_in_flight', 'Runs that have begun and not ended.', sources.runsInFlight);
  gauge(registers, 'orb_egress_exceptions', 'Origins that pass the dialer by exception.', sources.egressExceptions);
  const load = sources.ledgerLoad;
  gauge(registers, 'orb_ledger_queued_rows', 'Rows that wait for a commit.', () => load().queuedRows);
  gauge(registers, 'orb_ledger_oldest_row_seconds', 'Age of the oldest row that waits.', () => load().oldestMs / MS);
  const commits = sources.ledgerCommits;
  total(registers, 'orb_ledger_commits_total', 'Groups of rows that were committed.', () => commits().groups);
  total(registers, 'orb_ledger_committed_rows_total', 'Rows in the groups that were committed.', () => commits().rows);
  gauge(registers, 'orb_log_consistent', '1: the ledger is the one that was last signed. 0: nothing is signed.', () =>
    Number(sources.logConsistent()),
  );
  gauge(
    registers,
    'orb_log_head_size',
    'Entries under the checkpoint that is kept outside the ledger.',
    sources.logHeadSize,
  );
  const leftOut = 'Log lines of errors that were left out, because others of the same cause were written.';
  total(registers, 'orb_log_lines_left_out_total', leftOut, sources.leftOutLines);
  const logSize: Gauge = new Gauge({
    name: 'orb_log_size',
    help: 'Entries in the transparency log.',
    registers: [...registers],
    collect: async () => {
      const size = await sources.logSize().catch(() => undefined);
      if (size !== undefined) logSize.set(size);
    },
  });
  tenantMetrics(registers, sources);
  const expiry: Gauge<'keyid'> = new Gauge({
    name: 'orb_api_key_expiry_timestamp_seconds',
    help: 'When an API key ends.',
    labelNames: ['keyid'],
    registers: [...registers],
    collect: () => {
      expiry.reset();
      for (const { keyId, expiresAt } of sources.apiKeys()) expiry.set({ keyid: keyId }, expiresAt / MS);
    },
  });
}

/** @param expiresAt ms since epoch */
export function observeCertificate(registry: Registry, expiresAt: () => number): void {
  const help = 'When the certificate ends that this server shows.';
  gauge([registry], 'orb_tls_certificate_expiry_timestamp_seconds', help, () => expiresAt() / MS);
}

/** Sets up all metrics of the process in a registry of their own, including Node's. */
export function createMetrics({ clock, version, sources }: MetricsOptions): Metrics {
  const own = createProcessMetrics(version);
  const registers: RegistryList = [own.registry];
  const orbs = new OrbMetrics(clock);
  sourceMetrics(registers, sources);
  const { provider, redactions, setOrb, removeOrb, setProbing, health } = orbs;
  return {
    registry: own.registry,
    provider,
    redactions,
    setOrb,
    removeOrb,
    setProbing,
    health,
    swapping: () => orbs.swapping(),
    ...runMetrics(registers),
    slices: async function* slices() {
      yield* own.slices();
      yield* orbs.slices();
    },
  };
}
