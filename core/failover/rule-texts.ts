import type { RuleId } from './types.ts';

/** Explanations for people, by the rule of failover.md §5.3 that answered. The texts are fixed and hold no values. */
export const RULE_TEXTS = {
  pinned: 'a pin holds the provider',
  'metrics-unusable': 'the metrics are missing or too old, so nothing is changed',
  'hard-failure': 'the active provider fails',
  'all-down': 'no provider works, so the active one is kept and all are probed',
  frozen: 'there were too many swaps, so only a broken provider is left for now',
  ramp: 'a share of the traffic goes to another provider to see how it does',
  'low-traffic': 'there is too little traffic to judge latency',
  degraded: 'the active provider is slower than its limit',
  'trial-ramp': 'the active provider is slower than its limit, and no other one has been measured',
  failback: 'primary is well, not yet for long enough',
  flapping: 'one more swap would be one too many within an hour',
  healthy: 'the active provider is well',
} as const satisfies Readonly<Record<RuleId, string>>;
