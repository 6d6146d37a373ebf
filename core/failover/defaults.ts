/**
 * Defaults of `swap_config` (failover.md §4), in the form of a manifest. The schemas hold no defaults, because a digest
 * covers the manifest as sent. `probe.mode` and `latency.min_samples` have no default: they depend on executions and
 * traffic.
 */
export const SWAP_DEFAULTS = {
  strategy: 'priority',
  latency: {
    quantile: 0.95,
    degrade_ratio: 2,
    min_abs_ms: 500,
    min_improvement: 0.2,
    windows: ['2m', '5m', '10m'],
    base_min_samples: 50,
    consecutive: 3,
    evaluation_interval: '15s',
  },
  hard_failure: { error_ratio: 0.5, min_requests: 10, consecutive_failures: 5 },
  dwell: { min: '60s', hold_down: '5m', multiplier: 2, max: '30m', jitter: 0.1, max_swaps_per_hour: 6 },
  failback: {
    mode: 'auto',
    consecutive: 12,
    max_ratio: 1.25,
    min_probe_ok: 0.95,
    min_probe_samples: 8,
    ramp: [10, 50, 100],
    ramp_step: '60s',
  },
  probe: { interval: '30s', jitter: 0.2, timeout: '5s', max_per_hour: 150 },
} as const;
