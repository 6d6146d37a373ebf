import type { JsonObject } from '../../../core/json/json-value.ts';
import type { Finding } from '../../../core/manifest/finding.ts';

/** A configuration that breaks a lint of failover.md §11 or a bound of its §4. */
export interface LintRow {
  readonly lint: string;
  readonly why: string;
  /** Members of the spec of an Orb with the providers `main` and `b`. */
  readonly spec: JsonObject;
  readonly severity: Finding['severity'];
  /** `code pointer` of the finding; the pointer starts at the spec. */
  readonly finds: string;
  /**
   * The API server's message. Without it the server accepts the spec, and the operator's status or `orb validate`
   * reports.
   */
  readonly refusal?: RegExp;
}

const MAIN = { url: 'https://a.example/' };
const POST = { ...MAIN, method: 'POST' };
const B = { b: { execution: { url: 'https://b.example/' } } };
const pin = (members: JsonObject): JsonObject => ({
  pin: { provider: 'b', expires_at: '2030-01-31T12:00:00Z', ...members },
});
const swap = (members: JsonObject): JsonObject => ({ swap_config: { fallbacks: ['b'], ...members } });
const error = (lint: string, why: string, spec: JsonObject, [finds, refusal]: readonly [string, RegExp?]): LintRow => ({
  lint,
  why,
  spec,
  severity: 'error',
  finds,
  ...(refusal === undefined ? {} : { refusal }),
});
const RESERVED = [
  'error_rate',
  'weighted',
  'cost',
  'round_robin',
  'p2c_ewma',
  'least_inflight',
  'quota',
  'region',
  'trust',
];

const errors: readonly LintRow[] = [
  error('L1', 'an interval that never makes enough probes', swap({ probe: { interval: '60s', max_per_hour: 60 } }), [
    'manifest-probe-samples /swap_config/probe/interval',
    /probe\.interval times failback\.min_probe_samples must be at most 5m/,
  ]),
  error('L2', 'a timeout beyond what is measured', { execution: { ...MAIN, timeout_ms: 120_001 } }, [
    'schema-maximum /execution/timeout_ms',
    /timeout_ms.*less than or equal to 120000/,
  ]),
  error('L4', 'a fallback twice', swap({ fallbacks: ['b', 'b'] }), [
    'manifest-fallback-duplicate /swap_config/fallbacks/1',
    /names each provider once, without the primary/,
  ]),
  error('L4', 'the primary as fallback', swap({ fallbacks: ['main'] }), [
    'manifest-fallback-duplicate /swap_config/fallbacks/0',
    /names each provider once, without the primary/,
  ]),
  error('L4', 'a ramp that does not end', swap({ failback: { ramp: [10, 50] } }), [
    'manifest-swap-ramp /swap_config/failback/ramp',
    /ascending order; the last is 100/,
  ]),
  error('L4', 'a longest hold below the first', swap({ dwell: { hold_down: '10m', max: '5m' } }), [
    'manifest-swap-dwell /swap_config/dwell/max',
    /max is at least hold_down/,
  ]),
  error(
    'L7',
    'a body that is no JSON',
    {
      inputs: { a: { required: true } },
      execution: { ...POST, body_template: '{"a":{{inputs.a}}', headers: { 'content-type': 'application/json' } },
    },
    ['manifest-body-template /execution/body_template'],
  ),
  error('L8', 'a budget that probes use up', swap({ probe: { interval: '10s', max_per_hour: 359 } }), [
    'manifest-probe-budget /swap_config/probe/max_per_hour',
    /at least one hour divided by probe\.interval/,
  ]),
  error('L9', 'probes of a POST', { ...swap({ probe: { mode: 'synthetic' } }), execution: POST }, [
    'manifest-probe-unsafe /swap_config/probe/mode',
    /Synthetic probes need GET, HEAD or OPTIONS/,
  ]),
  error(
    'L9',
    'probes of a POST that only say what to expect',
    { ...swap({ probe: { mode: 'synthetic' } }), execution: { ...POST, probe: { expect: { status: [200] } } } },
    ['manifest-probe-unsafe /swap_config/probe/mode', /Synthetic probes need GET, HEAD or OPTIONS/],
  ),
  error('L13', 'a pin to nobody', pin({ provider: 'nobody' }), [
    'pin-provider-unknown /pin/provider',
    /pin\.provider is no provider of this manifest/,
  ]),
  error('L13', 'a pin without an end', { pin: { provider: 'b' } }, [
    'schema-required /pin/expires_at',
    /pin\.expires_at: Required/,
  ]),
];

const bounds: readonly LintRow[] = [
  ...RESERVED.map((word) =>
    error('strategy', `the reserved ${word}`, swap({ strategy: word }), [
      'schema-enum /swap_config/strategy',
      /supported values: "latency", "priority"/,
    ]),
  ),
  error('bound', 'a duration beyond its bound', swap({ dwell: { min: '61m' } }), [
    'manifest-swap-duration /swap_config/dwell/min',
    /Write 15s to 1h\./,
  ]),
  error('bound', 'evaluations between two ticks', swap({ latency: { evaluation_interval: '20s' } }), [
    'manifest-swap-duration /swap_config/latency/evaluation_interval',
    /Write 15s to 5m, a multiple of 15s\./,
  ]),
  error('bound', 'a number beyond its bound', swap({ latency: { degrade_ratio: 1 } }), [
    'schema-minimum /swap_config/latency/degrade_ratio',
    /Write at least 1\.1\./,
  ]),
  error('bound', 'no duration', swap({ dwell: { min: '1 minute' } }), [
    'schema-pattern /swap_config/dwell/min',
    /dwell\.min.*A whole number and a unit: ms, s, m or h\. \(schema-pattern\)/,
  ]),
  error('bound', 'windows out of order', swap({ latency: { windows: ['5m', '2m'] } }), [
    'manifest-swap-windows /swap_config/latency/windows',
    /Name each window once, in ascending order/,
  ]),
];

const remarks: readonly LintRow[] = [
  {
    lint: 'L5',
    why: 'latency without probes',
    spec: swap({ strategy: 'latency', probe: { mode: 'none' } }),
    severity: 'info',
    finds: 'manifest-latency-trial /swap_config/strategy',
  },
  {
    lint: 'L11',
    why: 'a run that one connection may use up',
    spec: { execution: { ...MAIN, timeout_ms: 1999, slo_ms: 1999 } },
    severity: 'warning',
    finds: 'manifest-connect-timeout /execution/timeout_ms',
  },
  {
    lint: 'L11',
    why: 'an attempt that leaves no time for another provider',
    spec: { ...swap({}), execution: { ...MAIN, attempt_timeout_ms: 29_500 } },
    severity: 'warning',
    finds: 'manifest-attempt-timeout /execution/attempt_timeout_ms',
  },
  {
    lint: 'L9',
    why: 'a probe of a POST without a request of its own',
    spec: {
      ...swap({}),
      execution: { ...MAIN, method: 'POST', probe: { expect: { status: [204] } } },
    },
    severity: 'warning',
    finds: 'manifest-probe-unread /execution/probe',
  },
  {
    lint: 'L12',
    why: 'a limit between two buckets',
    spec: swap({ latency: { threshold_ms: 800 } }),
    severity: 'info',
    finds: 'manifest-threshold-bucket /swap_config/latency/threshold_ms',
  },
  {
    lint: 'provider',
    why: 'a fallback that nothing describes',
    spec: swap({ fallbacks: ['b', 'nobody'] }),
    severity: 'warning',
    finds: 'manifest-provider-undefined /swap_config/fallbacks/1',
  },
];

/** One bad configuration of each kind. L3 and L6 concern data outside a manifest: lint-scrape.ts, lint-hosts.ts. */
export const LINT_ROWS: readonly LintRow[] = [...errors, ...bounds, ...remarks];

/** A valid Orb, with these members in place of those of its spec. */
export const lintOrb = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orb',
  metadata: { name },
  spec: {
    orb_id: `acme.${name}@1.0.0`,
    provider: 'main',
    description: 'Calls.',
    inputs: {},
    outputs: {},
    execution: MAIN,
    providers: B,
    ...spec,
  },
});
