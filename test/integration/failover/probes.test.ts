import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createProber } from '../../../api-server/probes/prober.ts';
import {
  fullVault,
  answersOk,
  hostOf,
  inWorld,
  secretOf,
  serves,
  status,
  type World,
  type WorldOptions,
} from '../../conformance/world.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { recordLog } from '../../support/kube/runtime-recorders.ts';
import { untilTrue } from '../../support/wait-for.ts';

const HOUR = 3_600_000;
const WAIT_MS = 30_000;
const GET = { method: 'GET', body_template: undefined };
const OUTCOMES = 'orb_provider_requests_total';
const SUCCESSES = 'outcome="success",source="probe"';

type Probing = (world: World, clock: FakeClock) => Promise<void>;

/** A world in which probes are sent: their times are on the clock of the test, sockets on that of the machine. */
const whileProbing = (options: WorldOptions, use: Probing): Promise<void> =>
  inWorld(options, async (world) => {
    const { runtime, catalog } = world.runtime;
    const clock = createFakeClock(Date.now());
    const stopping = new AbortController();
    const running = createProber({
      ...runtime,
      catalog,
      clock,
      metrics: world.series,
      random: () => 0.5,
      logger: recordLog().logger,
      isHolder: () => true,
      onBudgetExhausted: () => undefined,
    }).run(stopping.signal);
    try {
      await clock.advance(0);
      await use(world, clock);
    } finally {
      stopping.abort();
      await running;
    }
  });

const until = (isSo: () => Promise<boolean>): Promise<void> => untilTrue('the probes', isSo, WAIT_MS, 5);

/** The first probe comes after half an interval. No further: its deadline is on the same clock. */
const toRound = (round: number): number => (round === 1 ? 15_000 : 30_000);

const hits = (world: World, ...providers: readonly string[]): readonly number[] =>
  providers.map((name) => world.server(name).requests.length);
const connections = (world: World, ...providers: readonly string[]): readonly number[] =>
  providers.map((name) => world.server(name).connections());

/** The metric of a provider has come to this: its probes are over. */
const counted = (world: World, provider: string, count: number): Promise<void> =>
  until(async () => (await world.metric(OUTCOMES, provider, SUCCESSES)) >= count);

describe('probes over real sockets (failover.md §7)', function overSockets() {
  this.timeout(120_000);

  it('reach the standby providers alone, each with its own secret and no other', async () => {
    const places = { a: serves(answersOk('a')), b: serves(answersOk('b')), c: serves(answersOk('c')) };
    await whileProbing({ places, execution: GET }, async (world, clock) => {
      for (const round of [1, 2, 3]) {
        await clock.advance(toRound(round));
        await Promise.all([counted(world, 'b', round), counted(world, 'c', round)]);
      }
      expect(hits(world, 'a', 'b', 'c')).to.deep.equal([0, 3, 3]);
      expect(connections(world, 'a')).to.deep.equal([0]);
      for (const [own, other] of [['b', 'c'] as const, ['c', 'b'] as const]) {
        const text = world.server(own).requests.join('\n');
        expect(text.split(secretOf(own)).length - 1).to.equal(3);
        expect(text).to.not.include(secretOf(other));
        expect(text).to.not.include(secretOf('a'));
      }
      expect(await world.metric('orb_provider_probe_consecutive_successes', 'b')).to.equal(3);
      expect(await world.metric(OUTCOMES, 'b', 'outcome="success",source="traffic"')).to.equal(0);
    });
  });

  it('never reach a provider whose secret may not go to its host', async () => {
    const places = { a: serves(answersOk('a')), b: serves(answersOk('b')), c: serves(answersOk('c')) };
    await whileProbing({ places, execution: GET }, async (world, clock) => {
      const vault = { ...fullVault(['a', 'b']), C: { value: secretOf('c'), hosts: [hostOf('b')] } };
      world.addOrbiset('support', 'acme', vault);
      for (const round of [1, 2, 3]) {
        await clock.advance(toRound(round));
        await counted(world, 'b', round);
      }
      expect(connections(world, 'c')).to.deep.equal([0]);
      expect(await world.metric('orb_provider_probe_last_timestamp_seconds', 'c')).to.equal(0);
    });
  });

  it('never reach a POST that has no probe of its own', async () => {
    const places = { a: serves(answersOk('a')), b: serves(answersOk('b')) };
    await whileProbing({ places }, async (world, clock) => {
      await clock.advance(HOUR);
      await delay(100);
      expect(connections(world, 'a', 'b')).to.deep.equal([0, 0]);
    });
  });

  it('send the request of execution.probe in place of a POST, and take it by what is expected', async () => {
    const probe = { method: 'GET', url: `https://${hostOf('b')}/health`, expect: { pointer: '/id', equals: 'b' } };
    const places = { a: serves(answersOk('a')), b: serves(answersOk('b')) };
    const executions = { a: { probe: { method: 'HEAD' } }, b: { probe } };
    await whileProbing({ places, executions }, async (world, clock) => {
      await clock.advance(toRound(1));
      await counted(world, 'b', 1);
      expect(world.server('b').requests[0]).to.match(/^GET \/health HTTP\/1\.1\r\n/);
    });
  });

  it('come in a burst when runs open the breaker of the active provider', async () => {
    const places = { a: serves(status('500 Oops')), b: serves(answersOk('b')) };
    const swap = { probe: { interval: '5m', max_per_hour: 12 }, failback: { min_probe_samples: 1 } };
    await whileProbing({ places, execution: GET, swap }, async (world, clock) => {
      for (let run = 0; run < 5; run += 1) expect((await world.run()).status).to.equal(200);
      await clock.advance(0);
      await counted(world, 'b', 1);
      await clock.advance(1000);
      await counted(world, 'b', 2);
      await clock.advance(1000);
      await counted(world, 'b', 3);
      await clock.advance(60_000);
      expect(hits(world, 'b')).to.deep.equal([5 + 3]);
    });
  });

  it('count a provider that fails as an attempt would, and end its streak', async () => {
    const places = { a: serves(answersOk('a')), b: serves(status('503 No')), c: { kind: 'closed' } as const };
    await whileProbing({ places, execution: GET }, async (world, clock) => {
      await clock.advance(toRound(1));
      const failed = (provider: string) => world.metric(OUTCOMES, provider, 'outcome="error",source="probe"');
      await until(async () => (await failed('b')) === 1 && (await failed('c')) === 1);
      expect(await world.metric('orb_provider_probe_consecutive_successes', 'b')).to.equal(0);
      expect(await world.metric('orb_provider_transport_errors_total', 'c')).to.equal(0);
      expect(world.runtime.runtime.failover.breakers('acme', 'acme.echo@1.0.0')).to.deep.equal({});
    });
  });
});
