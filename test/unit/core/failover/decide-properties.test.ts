import { expect } from 'chai';
import fc from 'fast-check';
import { decide } from '../../../../core/failover/decide.ts';
import { evidenceOf } from '../../../../core/failover/evidence.ts';
import { replayEvidence } from '../../../../core/failover/replay-evidence.ts';
import { readFailoverStatus, writeFailoverStatus } from '../../../../core/failover/status-codec.ts';
import type { BreakerState, MetricsSnapshot, ProviderMetrics, Reading } from '../../../../core/failover/metrics.ts';
import {
  NO_MEMORY,
  type FailoverInput,
  type FailoverMemory,
  type FailoverStatus,
} from '../../../../core/failover/types.ts';
import { readJson } from '../../../../core/manifest/read-json.ts';
import { seeded } from '../../../support/seeded.ts';
import {
  aConfig,
  anInput,
  aPin,
  aRecord,
  aStatus,
  busy,
  fresh,
  idle,
  MINUTE,
  ms,
  NOW,
  probed,
  traffic,
} from '../../../support/failover.ts';

const NAMES = ['a', 'b', 'c', '__proto__', 'constructor', '"\\\n', ''];
const absurd = fc.oneof(fc.double(), fc.constantFrom(0, -1, NaN, Infinity, -Infinity, 1e300, 0.1, 5, 20, 1000));
const name = fc.constantFrom(...NAMES);
const reading: fc.Arbitrary<Reading> = fc.oneof(
  absurd.map((value): Reading => ({ kind: 'ok', value })),
  fc.constantFrom('absent', 'nan', 'infinite', 'multiple-series').map((why): Reading => ({ kind: 'none', why })),
);
const window = fc.record({ n: absurd, p50: reading, pq: reading, attempts: absurd, bad: absurd });
const provider: fc.Arbitrary<ProviderMetrics> = fc.record({
  windows: fc.record({ '2m': window, '5m': window, '10m': window }),
  base: reading,
  baseN: absurd,
  probe: fc.record({
    p50: reading,
    n: absurd,
    ok: absurd,
    streak: absurd,
    lastAt: fc.option(absurd.map((age) => NOW - age)),
  }),
  transportErrors2m: absurd,
  successes2m: absurd,
  breaker: fc.constantFrom<BreakerState>('closed', 'half_open', 'open'),
});
const snapshot: fc.Arbitrary<MetricsSnapshot> = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(name, provider).map((providers) => fresh(providers)) },
  { weight: 1, arbitrary: fc.constant<MetricsSnapshot>({ state: 'unusable', why: 'http', since: NOW }) },
);
const time = fc.oneof(fc.integer({ min: 0, max: 250_000_000_000_000 }), fc.integer({ min: NOW - 4e6, max: NOW + 4e6 }));
const reason = fc.constantFrom('manual', 'hard_failure', 'latency', 'failback');
const status: fc.Arbitrary<FailoverStatus> = fc
  .record({
    activeProvider: name,
    since: time,
    holds: fc.array(fc.record({ provider: name, until: time, level: fc.nat() }), { maxLength: 5 }),
    dwellUntil: fc.option(time),
    ramp: fc.option(
      fc.record({ provider: name, percent: fc.integer({ min: 1, max: 99 }), stepStartedAt: time, trial: fc.boolean() }),
    ),
    frozen: fc.option(fc.record({ until: time, reason: fc.constant('flapping') })),
    history: fc.array(
      fc.record({ at: time, from: name, to: name, reason }).map((change) => aRecord(change)),
      { maxLength: 20 },
    ),
    aborts: fc.array(fc.record({ provider: name, at: time }), { maxLength: 60 }),
  })
  .map((change) => aStatus('a', { ...change, swapSeq: change.history.length }));
const memory: fc.Arbitrary<FailoverMemory> = fc.record({
  degraded: fc.nat(5),
  trial: fc.nat(5),
  recovered: fc.nat(20),
  latched: fc.option(fc.record({ baseMs: absurd, fastTicks: fc.nat(5) })),
});
const config = fc
  .record({
    base: fc.constantFrom(aConfig(), aConfig({ strategy: 'priority' }), aConfig({ probe: { mode: 'none' } })),
    by: fc.option(absurd),
  })
  .map(({ base, by }) =>
    by === null
      ? base
      : {
          ...base,
          dwell: { minMs: by, holdDownMs: by, multiplier: by, maxMs: by, jitter: by, maxSwapsPerHour: by },
          latency: { ...base.latency, minSamples: by, degradeRatio: by, consecutive: by },
          hardFailure: { errorRatio: by, minRequests: by, consecutiveFailures: by },
        },
  );
const input: fc.Arbitrary<FailoverInput> = fc
  .record({
    now: fc.oneof({ weight: 9, arbitrary: fc.constant(NOW) }, { weight: 1, arbitrary: absurd }),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
    config,
    resolved: fc.array(name, { maxLength: 5 }),
    pin: fc.option(
      fc.record({
        provider: name,
        mode: fc.constantFrom('soft', 'hard', 'once'),
        expiresAt: absurd.map((left) => NOW + left),
      }),
    ),
    metrics: snapshot,
    persisted: fc.option(status),
    memory,
  })
  .map(({ pin, ...rest }) => anInput({ ...rest, pin: pin === null ? null : aPin(pin) }));
const runs = { numRuns: 300 };

describe('decide, whatever it is given (failover.md §5.1)', () => {
  it('answers, the same each time, with a status that can be written and read back', () => {
    fc.assert(
      fc.property(input, (given) => {
        const output = decide(given);
        expect(decide(given)).to.deep.equal(output);
        const { activeProvider } = output.next;
        if (activeProvider === '') return;
        const named = { ...output.next, holds: output.next.holds.filter(({ provider: held }) => held !== '') };
        expect(readFailoverStatus(writeFailoverStatus(named))).to.include({ activeProvider, since: output.next.since });
      }),
      runs,
    );
  });

  it('swaps on unusable metrics by a pin alone', () => {
    fc.assert(
      fc.property(input, (given) => {
        const output = decide({ ...given, pin: null, metrics: { state: 'unusable', why: 'http', since: NOW } });
        expect(output.next.swapSeq).to.equal(given.persisted?.swapSeq ?? 0);
        expect(output.memory).to.deep.include({ degraded: 0, trial: 0, recovered: 0 });
      }),
      runs,
    );
  });

  it('numbers swaps without a gap, keeps twenty, and evidence of five', () => {
    fc.assert(
      fc.property(input, (given) => {
        const { next } = decide(given);
        const before = given.persisted?.swapSeq ?? 0;
        expect(next.swapSeq - before).to.be.oneOf([0, 1]);
        if (next.swapSeq > before)
          expect(next.history.at(-1)).to.include({ seq: next.swapSeq, to: next.activeProvider });
        expect(next.history.length).to.be.at.most(20);
        expect(next.aborts.length).to.be.at.most(60);
        expect(
          next.history.slice(0, -5).filter(({ evidence }) => evidence !== null && next.swapSeq > before),
        ).to.deep.equal([]);
      }),
      runs,
    );
  });

  it('goes to no provider without execution', () => {
    fc.assert(
      fc.property(input, (given) => {
        const { next } = decide(given);
        if (given.resolved.length === 0 || !(given.now >= 0 && given.now < 2e14)) return;
        expect(given.resolved).to.include(next.activeProvider);
        if (next.ramp !== null) expect(given.resolved).to.include(next.ramp.provider);
      }),
      runs,
    );
  });

  it('comes to the same swap on its evidence', () => {
    const origin = { source: 'process', evaluatedAt: NOW, querySha256: null, promql: () => ({}) } as const;
    const swaps = { count: 0 };
    fc.assert(
      fc.property(input, (random) => {
        const persisted = random.persisted ?? aStatus();
        const resolved = [...new Set(['a', 'b', 'c', persisted.activeProvider])];
        const latched = random.memory.latched === null ? null : { baseMs: 400.125, fastTicks: 0 };
        const kept = { ...random.memory, latched };
        const given = { ...random, now: NOW, pin: null, config: aConfig(), resolved, persisted, memory: kept };
        const output = decide(given);
        const text = evidenceOf(output, given, origin);
        const swap = output.next.history.at(-1);
        if (text === null || swap === undefined) return;
        const value = readJson(new TextEncoder().encode(text));
        swaps.count += 1;
        expect(value.ok && replayEvidence(value.value, swap)).to.deep.include({ follows: true });
      }),
      runs,
    );
    expect(swaps.count).to.be.at.least(3);
  });
});

/** Some hours of providers that come and go, each evaluation on what the last one left. */
function story(seed: number, ticks: number, pick: (random: () => number) => ProviderMetrics): FailoverStatus[] {
  const random = seeded(seed);
  const settings = aConfig(seed % 2 === 0 ? {} : { strategy: 'priority' });
  const states: FailoverStatus[] = [];
  let [persisted, kept]: [FailoverStatus, FailoverMemory] = [aStatus(), NO_MEMORY];
  let providers = { a: pick(random), b: pick(random), c: pick(random) };
  for (let tick = 0; tick < ticks; tick += 1) {
    if (random() < 0.2) providers = { a: pick(random), b: pick(random), c: pick(random) };
    const now = NOW + tick * 15_000;
    const aged = Object.fromEntries(
      Object.entries(providers).map(([key, value]) => [key, { ...value, probe: { ...value.probe, lastAt: now } }]),
    );
    const output = decide(
      anInput({ now, random: random(), config: settings, metrics: fresh(aged, now), persisted, memory: kept }),
    );
    [persisted, kept] = [output.next, output.memory];
    states.push(persisted);
  }
  return states;
}

const moody = (random: () => number): ProviderMetrics => {
  const mood = random();
  if (mood < 0.3) return busy(traffic(50, 1000), { probe: probed(1000).probe });
  if (mood < 0.4) return { ...busy(traffic(10, 200, { attempts: 40, bad: 30 })), probe: probed(100).probe };
  return busy(traffic(50, 100 + 300 * random()), { probe: probed(100 + 300 * random()).probe, base: ms(300) });
};

const sick = (): ProviderMetrics => ({
  ...busy(traffic(0, 0, { attempts: 40, bad: 40 })),
  probe: probed(100, { streak: 0, ok: 0 }).probe,
});

describe('decide over many hours', () => {
  it('makes six automatic swaps an hour at most, one more to freeze, and those of rule 2 each ten minutes', () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const last = new Map(story(seed, 1440, moody).flatMap(({ history }) => history.map((item) => [item.seq, item])));
      const swaps = [...last.values()];
      for (const { at } of swaps) {
        const hour = swaps.filter((swap) => swap.at >= at && swap.at < at + 60 * MINUTE);
        const late = hour.slice(6).filter(({ rule }) => rule !== 'flapping');
        expect(late.every(({ reason: why }) => why === 'hard_failure')).to.equal(true);
        expect(late.length).to.be.at.most(6);
      }
      expect(swaps.map(({ seq }) => seq)).to.deep.equal(swaps.map((_, index) => index + 1));
    }
  });

  it('never leaves the last healthy provider', () => {
    const well = busy(traffic(50, 300));
    for (let tick = 0; tick < 100; tick += 1) {
      const now = NOW + tick * 15_000;
      const { next } = decide(anInput({ now, metrics: fresh({ a: well, b: sick(), c: sick() }, now) }));
      expect(next).to.deep.equal(aStatus());
    }
  });

  it('writes nothing while nothing happens', () => {
    const states = story(2, 500, () => busy(traffic(50, 200), { probe: probed(200).probe }));
    expect(new Set(states.map((item) => JSON.stringify(item))).size).to.equal(1);
    expect(decide(anInput({ metrics: fresh({ a: idle, b: idle, c: idle }) })).next).to.deep.equal(aStatus());
  });
});
