import type { Policy, View } from './simulate.ts';
import type { Provider } from './workload.ts';

/**
 * The lowest p95 of traffic wins every tick: this shows the result without the rules (failover.md §14, second table).
 */
export function lowestP95(unknownMs: number): Policy {
  const latency = ({ traffic }: View, provider: Provider): number => {
    const p95 = traffic[provider].window(300).quantile(0.95);
    return p95.kind === 'ok' ? p95.value : unknownMs;
  };
  return (view) => ({ active: latency(view, 'b') < latency(view, 'a') ? 'b' : 'a', ramp: null });
}
