import { eventsOf, inTimedWorld, swapsOf } from '../timed-world.ts';
import { Checks, type Result, type Scenario } from '../scenario.ts';

const MINUTE_S = 60;

/** Fast failures have a low latency: they must never make a provider count as fast. */
async function fastFailures(): Promise<Result> {
  const checks = new Checks();
  const providers = { a: () => ({ status: 503, ms: 4 }), b: () => ({ status: 200, ms: 260 }) };
  await inTimedWorld(false, { providers, swap: { strategy: 'latency' } }, async (world) => {
    await world.pass(10 * MINUTE_S);
    const [first, ...more] = swapsOf(world);
    checks.equal('the swap', first?.[1], 'a>b hard_failure');
    checks.atMost('s until the swap', first?.[0] ?? Infinity, 90);
    checks.equal('further swaps', more, []);
    checks.equal('active', world.status.activeProvider, 'b');
    const latencies = world.evaluated.flatMap(({ metrics }) =>
      metrics.state === 'fresh' ? Object.values(metrics.providers['a']?.windows ?? {}).map(({ pq }) => pq.kind) : [],
    );
    checks.atLeast('looks at the p95 of a', latencies.length, 100);
    checks.equal('p95 of a', [...new Set(latencies)], ['none']);
    const fast = world.evaluated.flatMap(({ evaluation }) =>
      evaluation.providers.filter(({ provider, p50Ms }) => provider === 'a' && p50Ms !== null),
    );
    checks.equal('evaluations that know a latency of a', fast.length, 0);
    checks.equal('runs that failed', world.ran.filter(({ status }) => status !== 200).length, 0);
  });
  return checks.result();
}

export const s09: Scenario = {
  id: 'S9',
  title: '503 in 4 ms for 10 min, b 260 ms, latency',
  kind: 'virtual-time',
  run: fastFailures,
};

const DOWN_FROM_S = 5 * MINUTE_S;
const DOWN_S = 10 * MINUTE_S;

/** @param backFirst the provider that is back after ten minutes; the other provider stays down */
async function allDown(backFirst: 'a' | 'b'): Promise<Result> {
  const checks = new Checks();
  const answers = (name: 'a' | 'b') => (second: number) => {
    const isDown = second >= DOWN_FROM_S && (second < DOWN_FROM_S + DOWN_S || name !== backFirst);
    return isDown ? { status: 503, ms: 5 } : { status: 200, ms: 200 };
  };
  await inTimedWorld(false, { providers: { a: answers('a'), b: answers('b') } }, async (world) => {
    await world.pass(DOWN_FROM_S + DOWN_S);
    checks.equal('swaps while all are down', swapsOf(world), []);
    const rules = world.evaluated.filter(({ second }) => second > DOWN_FROM_S + 2 * MINUTE_S);
    checks.equal('rules after 2 min', [...new Set(rules.map(({ evaluation }) => evaluation.rule))], ['all-down']);
    checks.equal(
      'Events',
      eventsOf(world).map(([, reason]) => reason),
      ['AllProvidersDown'],
    );
    const down = world.evaluated.filter(({ conditions }) =>
      conditions.some(({ type, status, reason }) => `${type} ${status} ${reason}` === 'ProvidersHealthy False AllDown'),
    );
    checks.atLeast('evaluations with ProvidersHealthy=False/AllDown', down.length, 30);
    const late = world.probed.filter(({ second }) => second > DOWN_FROM_S + DOWN_S / 2);
    for (const name of ['a', 'b'])
      checks.atLeast(`probes of ${name} in the last 5 min`, late.filter(({ provider }) => provider === name).length, 8);
    await world.pass(5 * MINUTE_S);
    const back = world.ran.find(({ second, status }) => second >= DOWN_FROM_S + DOWN_S && status === 200);
    checks.atMost('s from the return to the first 200', (back?.second ?? Infinity) - DOWN_FROM_S - DOWN_S, 60);
    const lateRuns = world.ran.filter(({ second }) => second >= DOWN_FROM_S + DOWN_S + MINUTE_S);
    checks.equal('failed runs from then on', lateRuns.filter(({ status }) => status !== 200).length, 0);
    const names = world.evaluated.map(({ status }) => status.activeProvider);
    checks.equal('evaluations without an active provider', names.filter((name) => name === '').length, 0);
    checks.equal('active at the end', world.status.activeProvider, backFirst);
  });
  return checks.result();
}

export const s20: readonly Scenario[] = (['a', 'b'] as const).map((name) => ({
  id: 'S20',
  title: `all providers down for 10 min, ${name} is back first`,
  kind: 'virtual-time',
  run: () => allDown(name),
}));
