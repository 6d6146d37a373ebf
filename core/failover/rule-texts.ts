import type { RuleId } from './types.ts';

/** Explanations for people, by the rule of failover.md §5.3 that answered. The texts are fixed and hold no values. */
export const RULE_TEXTS = {
  pinned: 'a pin keeps the provider',
  'metrics-unusable': 'the metrics are missing or too old, so nothing is changed',
  'hard-failure': 'the active provider fails',
  'all-down': 'no provider works, so the active one is kept and all are probed',
  frozen: 'there were too many swaps, so for now only a failing provider is replaced',
  ramp: 'a share of the traffic goes to another provider, to measure it',
  'low-traffic': 'there is too little traffic to judge latency',
  degraded: 'the active provider is slower than its limit',
  'trial-ramp': 'the active provider is slower than its limit, and no other provider has been measured',
  failback: 'primary is well, not yet for long enough',
  flapping: 'one more swap would exceed the limit of swaps an hour',
  healthy: 'the active provider works well',
} as const satisfies Readonly<Record<RuleId, string>>;
