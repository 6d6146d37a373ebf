import { liveMs } from '../../support/live-clock.ts';
import { Checks, type Result, type Scenario } from '../scenario.ts';
import { answersOk, inWorld, serves, status, ReplaceableScript } from '../world.ts';

const RUNS = 100;

/** Always 500: at most five hits, and one for each half-open slot. */
async function broken(): Promise<Result> {
  const checks = new Checks();
  const places = { a: serves(status('500 Internal Server Error')), b: serves(answersOk('b')) };
  await inWorld({ places }, async (world) => {
    let completed = 0;
    for (let run = 0; run < RUNS; run += 1) if ((await world.run()).status === 200) completed += 1;
    checks.equal(`completed of ${RUNS}`, completed, RUNS);
    checks.atMost('hits on a', world.server('a').requests.length, 5);
    const before = world.server('a').requests.length;
    for (let slot = 0; slot < 5; slot += 1) {
      world.skip(300_000);
      for (let run = 0; run < 10; run += 1) await world.run();
    }
    checks.equal('hits on a in five half-open slots', world.server('a').requests.length - before, 5);
    checks.equal('breaker of a', await world.metric('orb_provider_breaker_state', 'a'), 2);
    checks.equal('breaker of b', await world.metric('orb_provider_breaker_state', 'b'), 0);
  });
  return checks.result();
}

export const s07: Scenario = { id: 'S7', title: '500 for ever', run: broken };

const limited = status('429 Too Many Requests', ['retry-after: 2']);

async function coolingWithB(secrets: boolean): Promise<Result> {
  const checks = new Checks();
  await inWorld({ places: { a: serves(limited), b: serves(answersOk('b')) }, secrets }, async (world) => {
    const first = await world.run();
    checks.equal('attempts', await world.path(first), 'a rate_limited, b success');
    for (let run = 0; run < 10; run += 1) await world.run();
    world.skip(200); // the rest is a margin for a slow machine
    checks.equal('attempts before 2 s are over', await world.path(await world.run()), 'b success');
    checks.equal('hits on a', world.server('a').requests.length, 1);
    world.skip(1900);
    checks.equal('attempts after 2 s', await world.path(await world.run()), 'a rate_limited, b success');
  });
  return checks.result();
}

async function coolingAlone(timeoutMs: number, expected: string): Promise<Result> {
  const checks = new Checks();
  const a = new ReplaceableScript(limited);
  const places = { a: a.place() };
  await inWorld({ places, execution: { timeout_ms: timeoutMs }, secrets: false }, async (world) => {
    const began = performance.now();
    const run = world.run();
    const took = liveMs(() => run);
    while (world.server('a').requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    a.script = answersOk('a');
    const answered = await run;
    const ended = performance.now();
    checks.equal('attempts', await world.path(answered), expected);
    if (answered.status === 200) {
      // By the wall clock: a pause continues while the process is suspended.
      checks.atLeast('ms of the run', ended - began, 2000);
      return;
    }
    checks.equal('answer', `${answered.status} ${String(answered.code)}`, '502 provider-rate-limited');
    checks.equal('Retry-After', answered.headers['retry-after'], '2');
    checks.atMost('ms of the run', await took, 1000);
  });
  return checks.result();
}

export const s08: readonly Scenario[] = [
  { id: 'S8', title: '429 with Retry-After: 2', run: () => coolingWithB(false) },
  { id: 'S8', title: '429 with Retry-After: 2 to a request with a secret', run: () => coolingWithB(true) },
  {
    id: 'S8',
    title: 'the same without b: one retry at 2 s',
    run: () => coolingAlone(4000, 'a rate_limited, a success'),
  },
  {
    id: 'S8',
    title: 'the same without b: 502 with Retry-After when the deadline is earlier',
    run: () => coolingAlone(1500, 'a rate_limited'),
  },
];

async function rejected(): Promise<Result> {
  const checks = new Checks();
  await inWorld({ places: { a: serves(status('400 Bad Request')), b: serves(answersOk('b')) } }, async (world) => {
    const answered = await world.run();
    checks.equal('answer', `${answered.status} ${String(answered.code)}`, '502 provider-rejected');
    checks.equal('hits', [world.server('a').requests.length, world.server('b').requests.length], [1, 0]);
    for (let run = 0; run < 20; run += 1) await world.run();
    checks.equal('breaker of a', world.runtime.runtime.failover.breakers('acme', 'acme.echo@1.0.0')['a'], 'closed');
    checks.equal('latencies', await world.metric('orb_provider_request_duration_seconds_count', 'a'), 0);
    for (const outcome of ['error', 'timeout', 'rate_limited', 'blocked']) {
      checks.equal(outcome, await world.metric('orb_provider_requests_total', 'a', `outcome="${outcome}"`), 0);
    }
    checks.equal('hits on b', world.server('b').requests.length, 0);
  });
  return checks.result();
}

export const s10: Scenario = { id: 'S10', title: '400', run: rejected };
