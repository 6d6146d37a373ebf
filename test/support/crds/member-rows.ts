type Spec = Readonly<Record<string, unknown>>;

/**
 * The effect of a member. `read`: another value changes the platform's behaviour. `described`: it is kept, shown and
 * part of the digest, but does not change the behaviour. Any other word: the code of the finding that says that it is
 * reserved; it does not change the behaviour either.
 */
type Counts = 'read' | 'described' | `${string}-${string}`;

/**
 * @param value a valid value that differs from the base spec
 * @param also other members by path, which it needs to be valid or to have an effect
 */
export type MemberRow = readonly [path: string, counts: Counts, value: unknown, also?: Spec];

const HEALTH: Spec = { '/probe/url': 'https://api.example.com/health' };

export const ORB: Spec = {
  orb_id: 'acme.echo@1.0.0',
  provider: 'main',
  description: 'Says what it hears.',
  inputs: { text: {} },
  outputs: { id: {} },
  execution: {
    method: 'POST',
    url: 'https://api.example.com/echo',
    body_template: '{"text":"{{inputs.text}}"}',
  },
  swap_config: { fallbacks: ['other'], strategy: 'latency' },
  providers: { other: { execution: { url: 'https://other.example.com/echo' }, outputs: { id: {} } } },
  // Without an id the digest of its members would identify it, and every member changes the digest.
  pin: {
    provider: 'main',
    expires_at: '2026-02-01T10:00:00Z',
    id: 'swp_0193a1c2-0000-7000-8000-000000000000',
  },
};

/** Keys to use for `{}` and `[]` in the base specs, by the path before them. */
export const KEYS: Readonly<Record<string, string>> = {
  inputs: 'text',
  outputs: 'id',
  providers: 'other',
  secrets: '0',
};

/** Members of the manifest's own execution, and of each other provider's execution. */
const EXECUTION: readonly MemberRow[] = [
  ['/method', 'read', 'PUT'],
  ['/url', 'read', 'https://elsewhere.example.com/'],
  ['/headers', 'read', { 'X-One': '1' }],
  ['/body_template', 'read', '{"said":"{{inputs.text}}"}'],
  ['/timeout_ms', 'read', 20_000],
  ['/connect_timeout_ms', 'read', 500],
  ['/attempt_timeout_ms', 'read', 3000],
  ['/body_idle_ms', 'read', 3000],
  ['/idempotent', 'read', true],
  ['/idempotency_header', 'read', 'Idempotency-Key'],
  ['/retry/max_attempts', 'read', 2],
  ['/retry/on_status', 'read', [500]],
  ['/retry/not_executed_status', 'read', []],
  ['/follow_redirects', 'read', 1],
  ['/expose_error_body', 'read', true],
  ['/max_response_bytes', 'read', 1000],
  ['/probe/method', 'read', 'HEAD'],
  ['/probe/url', 'read', 'https://api.example.com/health'],
  ['/probe/headers', 'read', { 'X-Probe': '1' }],
  ['/probe/body_template', 'read', '{}'],
  ['/probe/expect/status', 'read', [204], HEALTH],
  ['/probe/expect/pointer', 'read', '/ok', HEALTH],
  ['/probe/expect/equals', 'read', true, HEALTH],
];

const SWAP: readonly MemberRow[] = [
  ['/primary', 'read', 'other', { '/fallbacks': [] }],
  ['/fallbacks', 'read', []],
  ['/strategy', 'read', 'priority'],
  ['/latency/quantile', 'read', 0.9],
  ['/latency/threshold_ms', 'read', 700],
  ['/latency/degrade_ratio', 'read', 3],
  ['/latency/min_abs_ms', 'read', 100],
  ['/latency/min_improvement', 'read', 0.3],
  ['/latency/windows', 'read', ['2m', '5m']],
  ['/latency/min_samples', 'read', 30],
  ['/latency/base_min_samples', 'read', 60],
  ['/latency/consecutive', 'read', 4],
  ['/latency/evaluation_interval', 'read', '30s'],
  ['/hard_failure/error_ratio', 'read', 0.4],
  ['/hard_failure/min_requests', 'read', 20],
  ['/hard_failure/consecutive_failures', 'read', 6],
  ['/dwell/min', 'read', '90s'],
  ['/dwell/hold_down', 'read', '6m'],
  ['/dwell/multiplier', 'read', 3],
  ['/dwell/max', 'read', '40m'],
  ['/dwell/jitter', 'read', 0.2],
  ['/dwell/max_swaps_per_hour', 'read', 4],
  ['/failback/mode', 'read', 'manual'],
  ['/failback/consecutive', 'read', 13],
  ['/failback/max_ratio', 'read', 1.5],
  ['/failback/min_probe_ok', 'read', 0.9],
  ['/failback/min_probe_samples', 'read', 9],
  ['/failback/ramp', 'read', [50, 100]],
  ['/failback/ramp_step', 'read', '90s'],
  ['/probe/interval', 'read', '25s'],
  ['/probe/jitter', 'read', 0.1],
  ['/probe/timeout', 'read', '4s'],
  ['/probe/max_per_hour', 'read', 200],
  ['/probe/inputs', 'read', { text: 'x' }],
  ['/probe/orbiset', 'read', 'support'],
];

const under = (prefix: string, members: Spec): Spec =>
  Object.fromEntries(Object.entries(members).map(([path, value]) => [`${prefix}${path}`, value]));

const below = (prefix: string, rows: readonly MemberRow[]): readonly MemberRow[] =>
  rows.map(([path, counts, value, also = {}]) => [`${prefix}${path}`, counts, value, under(prefix, also)]);

export const MANIFEST_ROWS: readonly MemberRow[] = [
  ['/orb_id', 'read', 'acme.echo@1.0.1'],
  ['/provider', 'read', 'renamed', { '/pin': undefined }],
  ['/description', 'described', 'Says what it was told.'],
  ['/capabilities', 'read', ['message.email.send']],
  ['/effect', 'read', 'irreversible'],
  ['/access', 'read', 'anonymous'],
  ['/inputs/{}/type', 'read', 'integer'],
  ['/inputs/{}/required', 'read', true],
  ['/inputs/{}/default', 'read', 'hello'],
  ['/inputs/{}/term', 'described', 'x-acme.text'],
  ['/outputs/{}/type', 'read', 'integer'],
  ['/outputs/{}/from', 'read', '/body/key'],
  ['/outputs/{}/term', 'described', 'x-acme.id'],
  ...below('/execution', EXECUTION),
  ['/execution/slo_ms', 'read', 800],
  ...below('/swap_config', SWAP),
  ['/swap_config/probe/mode', 'read', 'none', { '/execution/probe': { url: 'https://api.example.com/health' } }],
  ...below('/providers/{}/execution', EXECUTION),
  ['/providers/{}/execution/slo_ms', 'manifest-slo-provider', 800],
  ['/providers/{}/outputs/{}/type', 'read', 'integer'],
  ['/providers/{}/outputs/{}/from', 'read', '/body/key'],
  ['/providers/{}/outputs/{}/term', 'described', 'x-acme.id'],
];

export const PIN_ROWS: readonly MemberRow[] = [
  ['/pin/provider', 'read', 'other'],
  ['/pin/expires_at', 'read', '2026-02-01T11:00:00Z'],
  ['/pin/mode', 'read', 'hard'],
  ['/pin/id', 'read', 'swp_0193a1c2-0000-7000-8000-000000000001'],
  ['/pin/actor', 'read', 'key:abcdefgh'],
  ['/pin/reason', 'read', 'maintenance'],
];

/** Members with a single allowed value, which need no reader. */
export const ONLY_VALUE: readonly string[] = ['/execution/type', '/providers/{}/execution/type'];

export const ORBISET: Spec = {
  vault: { secrets: [{ name: 'mail', allowedHosts: ['api.example.com'] }] },
  suspended: false,
};

export const ORBISET_ROWS: readonly MemberRow[] = [
  ['/vault/secrets/[]/name', 'read', 'more'],
  ['/vault/secrets/[]/allowedHosts', 'read', ['*.example.com']],
  ['/vault/secrets/[]/keys', 'read', { OTHER: 'TOKEN' }],
  ['/orbs', 'read', ['globex.geocode']],
  ['/limits/rate_per_second', 'read', 0.5],
  ['/limits/in_flight', 'read', 1],
  ['/limits/timeout_ms', 'read', 10],
  ['/limits/request_bytes', 'read', 10],
  ['/policies/defaultEffect', 'read', 'deny'],
  ['/policies/requireReady', 'read', true],
  ['/suspended', 'read', true],
];
