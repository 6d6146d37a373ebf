import { decide } from '../../core/failover/decide.ts';
import { evidenceOf } from '../../core/failover/evidence.ts';
import { withEvidence } from '../../core/failover/record-swap.ts';
import { newStatus } from '../../core/failover/status-codec.ts';
import type { ProviderMetrics } from '../../core/failover/metrics.ts';
import type { FailoverInput, FailoverStatus, ResolvedSwapConfig, SwapRecord } from '../../core/failover/types.ts';
import type { SwapReceipt } from '../../core/receipt/swap-record.ts';
import { swapReceiptOf, type SwappedOrb } from '../../core/swap/swap-receipt-of.ts';

/** 2026-11-20T10:31:30Z: the time at which the swaps of tests are decided. */
export const SWAP_AT = Date.parse('2026-11-20T10:31:30.000Z');

export const swapReceiptId = (seq: number): string => `rcpt_0193a1c2-8a02-7b11-8f53-${String(seq).padStart(12, '0')}`;

const config: ResolvedSwapConfig = {
  primary: 'sendgrid',
  fallbacks: ['mailgun'],
  strategy: 'latency',
  latency: {
    quantile: 0.95,
    thresholdMs: null,
    degradeRatio: 2,
    minAbsMs: 500,
    minImprovement: 0.2,
    windows: ['2m', '5m', '10m'],
    minSamples: null,
    baseMinSamples: 50,
    consecutive: 3,
    evaluationIntervalMs: 15_000,
  },
  hardFailure: { errorRatio: 0.5, minRequests: 10, consecutiveFailures: 5 },
  dwell: { minMs: 60_000, holdDownMs: 300_000, multiplier: 2, maxMs: 1_800_000, jitter: 0.1, maxSwapsPerHour: 6 },
  failback: {
    mode: 'auto',
    consecutive: 12,
    maxRatio: 1.25,
    minProbeOk: 0.95,
    minProbeSamples: 8,
    ramp: [10, 50, 100],
    rampStepMs: 60_000,
  },
  probe: {
    mode: 'synthetic',
    intervalMs: 30_000,
    jitter: 0.2,
    timeoutMs: 5000,
    maxPerHour: 150,
    inputs: {},
    orbiset: null,
    ownRequest: ['sendgrid', 'mailgun'],
  },
};

const none = { kind: 'none', why: 'absent' } as const;
const ok = (value: number) => ({ kind: 'ok', value }) as const;
const idle = { n: 0, p50: none, pq: none, attempts: 0, bad: 0 };

const slow: ProviderMetrics = {
  windows: {
    '2m': { n: 117.4, p50: ok(1043.2), pq: ok(2310.9), attempts: 117.4, bad: 0 },
    '5m': { n: 290, p50: ok(900), pq: ok(2200), attempts: 290, bad: 0 },
    '10m': { n: 580, p50: ok(700), pq: ok(2100), attempts: 580, bad: 0 },
  },
  base: ok(590),
  baseN: 3000,
  probe: { p50: none, n: 0, ok: 0, streak: 0, lastAt: null },
  transportErrors2m: 0,
  successes2m: 117,
  breaker: 'closed',
};

const standby: ProviderMetrics = {
  windows: { '2m': idle, '5m': idle, '10m': idle },
  base: none,
  baseN: 0,
  probe: { p50: ok(261), n: 10, ok: 10, streak: 10, lastAt: SWAP_AT - 9000 },
  transportErrors2m: 0,
  successes2m: 0,
  breaker: 'closed',
};

/** The moment before a swap: sendgrid is slow for the third time. */
export const slowInput: FailoverInput = {
  now: SWAP_AT,
  random: 0.5,
  epoch: 7,
  receiptId: swapReceiptId(1),
  config,
  resolved: ['sendgrid', 'mailgun'],
  pin: null,
  metrics: {
    state: 'fresh',
    evaluatedAt: SWAP_AT - 300,
    ageMs: 8000,
    providers: { sendgrid: slow, mailgun: standby },
  },
  persisted: newStatus('sendgrid', SWAP_AT - 3_600_000),
  memory: { degraded: 2, trial: 0, recovered: 0, latched: { baseMs: 590, fastTicks: 0 } },
};

export const swapOrigin = {
  source: 'prometheus',
  evaluatedAt: SWAP_AT - 300,
  querySha256: `sha256:${'c'.repeat(64)}`,
  promql: () => ({ pq: 'histogram_quantile(0.95, …[2m])', p50: 'histogram_quantile(0.50, …[2m])' }),
} as const;

/** The status after a swap that `decide` made because sendgrid was slow, with its evidence. */
export function swappedStatus(): FailoverStatus {
  const output = decide(slowInput);
  const evidence = evidenceOf(output, slowInput, swapOrigin);
  if (evidence === null) throw new Error(`no swap: ${JSON.stringify(output.decision)}`);
  return withEvidence(output.next, evidence);
}

/** A further swap, without evidence. */
export const aSwapRecord = (seq: number, change: Partial<SwapRecord> = {}): SwapRecord => ({
  seq,
  at: SWAP_AT + seq * 1000,
  from: 'sendgrid',
  to: 'mailgun',
  reason: 'hard_failure',
  rule: 'hard-failure',
  epoch: 7,
  receiptId: swapReceiptId(seq),
  actor: null,
  evidence: null,
  ...change,
});

/** An Orb with these swaps. */
export function aSwappedOrb(history: readonly SwapRecord[], change: Partial<SwappedOrb> = {}): SwappedOrb {
  return {
    namespace: 'acme',
    uid: 'uid-1',
    orbId: 'acme.mailer@1.2.0',
    manifestDigest: `sha256:${'d'.repeat(64)}`,
    generation: 4,
    failover: { ...newStatus('mailgun', SWAP_AT), swapSeq: history.at(-1)?.seq ?? 0, history },
    pin: null,
    ...change,
  };
}

/** The record of the swap of `swappedStatus`. */
export function aSwapReceipt(change: Partial<SwapReceipt> = {}): SwapReceipt {
  const { history } = swappedStatus();
  const [swap = aSwapRecord(1)] = history;
  const evaluator = { id: 'orb-operator/1.4.0', instance: 'orb-operator-7c9d-x2k' };
  const minting = { issuer: 'https://orbs.example', now: SWAP_AT + 900, evaluator, previousReceiptId: null };
  return { ...swapReceiptOf(swap, aSwappedOrb(history), minting), ...change };
}
