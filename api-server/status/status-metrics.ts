import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../adapters/time/clock.ts';
import { CRITICAL_SERVICES, SERVICE_STATES, SERVICES } from '../../core/status/service.ts';
import { uptimeOf } from '../../core/status/uptime.ts';
import type { ProbeObserver } from './round-maker.ts';
import type { StatusMemory } from './status-memory.ts';

const WINDOW_MS = 30 * 86_400_000;
const PCT = 100;
const SECONDS = 1000;

/** What the pages say, as metrics that are read at a scrape. */
export function observeStatus(registry: Registry, memory: StatusMemory, clock: Pick<Clock, 'now'>): void {
  const registers = [registry];
  const states: Gauge<'service' | 'state'> = new Gauge({
    name: 'orb_status_service_state',
    help: '1 for the state of a service, 0 for the others.',
    labelNames: ['service', 'state'],
    registers,
    collect: () => {
      const now = memory.states(clock.now());
      for (const service of SERVICES)
        for (const state of SERVICE_STATES) states.set({ service, state }, Number(now[service] === state));
    },
  });
  const uptime = (): ReturnType<typeof uptimeOf> => {
    const now = clock.now();
    return uptimeOf(
      CRITICAL_SERVICES.map((service) => memory.intervals(service, now)),
      { from: now - WINDOW_MS, to: now },
    );
  };
  const ratio: Gauge = new Gauge({
    name: 'orb_status_uptime_30d_ratio',
    help: 'Share of the measured time of 30 days in which the platform worked; NaN: nothing was measured.',
    registers,
    collect: () => ratio.set((uptime().uptimePct ?? Number.NaN) / PCT),
  });
  const coverage: Gauge = new Gauge({
    name: 'orb_status_coverage_ratio',
    help: 'Share of 30 days of which the state is known.',
    registers,
    collect: () => coverage.set(uptime().coveragePct / PCT),
  });
  const last: Gauge = new Gauge({
    name: 'orb_status_last_round_timestamp_seconds',
    help: 'End of the last round of checks; 0: there was none.',
    registers,
    collect: () => last.set((memory.lastEnd() ?? 0) / SECONDS),
  });
}

const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

/** Metrics of a process that makes rounds. @param waiting rounds that could not be told yet */
export function createProbeObserver(registry: Registry, waiting: () => number): ProbeObserver {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'orb_status_probe_duration_seconds',
    help: 'Duration of checks; of a repeated one, the repeat.',
    labelNames: ['service', 'check'],
    buckets: BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: 'orb_status_probe_failures_total',
    help: 'Checks that failed twice, or could not be repeated.',
    labelNames: ['service', 'check', 'code'],
    registers,
  });
  const retries = new Counter({
    name: 'orb_status_probe_retries_total',
    help: 'Checks that failed and were repeated.',
    labelNames: ['service', 'check'],
    registers,
  });
  const held: Gauge = new Gauge({
    name: 'orb_status_rounds_waiting',
    help: 'Rounds of checks that could not be told yet.',
    registers,
    collect: () => held.set(waiting()),
  });
  return {
    took: (service, check, duration) => seconds.observe({ service, check }, duration),
    retried: (service, check) => retries.inc({ service, check }),
    failed: (service, check, code) => failures.inc({ service, check, code }),
  };
}
