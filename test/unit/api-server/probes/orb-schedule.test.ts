import { expect } from 'chai';
import fc from 'fast-check';
import { OrbSchedule, type ProbePlan } from '../../../../api-server/probes/orb-schedule.ts';
import { seeded } from '../../../support/seeded.ts';

const HOUR = 3_600_000;
const plan = (change: Partial<ProbePlan> = {}): ProbePlan => ({
  intervalMs: 30_000,
  jitter: 0.2,
  maxPerHour: 150,
  providers: ['b'],
  ...change,
});

const scheduleOf = (given: ProbePlan, random: () => number = () => 0.5): OrbSchedule => {
  const schedule = new OrbSchedule(random);
  schedule.follow(given, 0);
  return schedule;
};

interface Sent {
  readonly at: number;
  readonly provider: string;
}

/** Lives through the time, spending for whatever is due. */
function live(
  schedule: OrbSchedule,
  until: number,
  from = 0,
): { readonly sent: readonly Sent[]; readonly news: number } {
  const sent: Sent[] = [];
  let news = 0;
  for (let at = Math.max(from, schedule.nextAt); at <= until; at = Math.max(at, schedule.nextAt)) {
    for (const provider of schedule.takeDue(at)) {
      const spending = schedule.spend(provider, at);
      if (spending.kind === 'spent') sent.push({ at, provider });
      if (spending.kind === 'exhausted' && spending.isNews) news += 1;
    }
  }
  return { sent, news };
}

const timesOf = ({ sent }: { readonly sent: readonly Sent[] }): readonly number[] => sent.map(({ at }) => at);

describe('OrbSchedule (failover.md §7)', () => {
  it('begins somewhere within one interval, and goes on every interval', () => {
    expect(timesOf(live(scheduleOf(plan()), 120_000))).to.deep.equal([15_000, 45_000, 75_000, 105_000]);
  });

  it('spreads the starts of many over one interval', () => {
    const random = seeded(7);
    const starts = Array.from({ length: 1000 }, () => scheduleOf(plan(), random).nextAt);
    const thirds = [0, 1, 2].map((third) => starts.filter((at) => Math.floor(at / 10_000) === third).length);
    expect(Math.min(...thirds)).to.be.greaterThan(270);
    expect(Math.max(...starts)).to.be.lessThan(30_000);
  });

  it('comes earlier or later by the jitter, which does not add up', () => {
    const times = timesOf(live(scheduleOf(plan(), seeded(3)), HOUR));
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).to.be.within(18_000, 24_000);
    expect(Math.max(...gaps)).to.be.within(36_000, 42_000);
    expect(times.length).to.be.within(119, 121);
  });

  it('makes nothing up after a pause', () => {
    const schedule = scheduleOf(plan());
    expect(timesOf(live(schedule, 300_000, 200_000))).to.deep.equal([200_000, 230_000, 260_000, 290_000]);
  });

  it('sends three probes of each, one second apart, in a burst', () => {
    const schedule = scheduleOf(plan({ providers: ['b', 'c'] }));
    schedule.burst(1000, false);
    const { sent } = live(schedule, 10_000);
    expect(sent.map(({ at, provider }) => `${provider}${at}`)).to.deep.equal([
      'b1000',
      'c1000',
      'b2000',
      'c2000',
      'b3000',
      'c3000',
    ]);
  });

  it('has at most one burst in 30 s; one that was asked for comes then', () => {
    const schedule = scheduleOf(plan({ intervalMs: HOUR }));
    schedule.burst(0, false);
    schedule.burst(5000, false);
    expect(timesOf(live(schedule, 20_000))).to.deep.equal([0, 1000, 2000]);
    schedule.burst(20_000, true);
    schedule.burst(21_000, true);
    schedule.burst(29_999, false);
    expect(timesOf(live(schedule, 100_000, 20_000))).to.deep.equal([30_000, 31_000, 32_000]);
    schedule.burst(100_000, false);
    expect(timesOf(live(schedule, 110_000, 100_000))).to.deep.equal([100_000, 101_000, 102_000]);
  });

  it('stops at the budget of an hour, says so once, and goes on when an hour is over', () => {
    const schedule = scheduleOf(plan({ intervalMs: 5000, jitter: 0, maxPerHour: 100 }));
    const first = live(schedule, HOUR);
    expect([first.sent.length, first.news]).to.deep.equal([100, 1]);
    const second = live(schedule, 2 * HOUR, HOUR);
    expect(second.sent[0]?.at).to.equal(HOUR + 2500);
    expect([second.sent.length, second.news]).to.deep.equal([100, 1]);
  });

  it('counts bursts', () => {
    const schedule = scheduleOf(plan({ maxPerHour: 130 }), () => 0.999);
    let sent = 0;
    for (let at = 0; at < HOUR; at += 60_000) {
      schedule.burst(at, false);
      sent += live(schedule, at + 59_999, at).sent.length;
    }
    expect(sent).to.equal(130);
  });

  it('says nothing of a budget that just fits the interval', () => {
    const { sent, news } = live(scheduleOf(plan({ maxPerHour: 120 }), seeded(11)), 10 * HOUR);
    expect(news).to.equal(0);
    expect(sent.length).to.be.within(1150, 1200);
  });

  it('forgets a provider that is gone, and begins one that is new within an interval', () => {
    const schedule = scheduleOf(plan());
    schedule.follow(plan({ providers: ['c'] }), 10_000);
    expect(live(schedule, 60_000).sent).to.deep.equal([
      { at: 25_000, provider: 'c' },
      { at: 55_000, provider: 'c' },
    ]);
    schedule.follow(plan({ providers: [] }), 60_000);
    expect(schedule.nextAt).to.equal(Infinity);
  });

  it('keeps its times when only the state of the Orb changes, and takes a new interval at once', () => {
    const schedule = scheduleOf(plan());
    schedule.follow(plan(), 10_000);
    expect(schedule.nextAt).to.equal(15_000);
    schedule.follow(plan({ intervalMs: 5000 }), 10_000);
    expect(schedule.nextAt).to.equal(12_500);
  });

  it('never sends more in any hour than it may, whatever comes', () => {
    const bursts = fc.array(fc.integer({ min: 0, max: 2 * HOUR }), { maxLength: 60 });
    const some = fc.record({
      intervalMs: fc.integer({ min: 5000, max: 600_000 }),
      jitter: fc.double({ min: 0, max: 0.5, noNaN: true }),
      maxPerHour: fc.integer({ min: 1, max: 200 }),
      providers: fc.constant(['b']),
    });
    fc.assert(
      fc.property(some, bursts, fc.integer(), (given, asked, seed) => {
        const schedule = scheduleOf(given, seeded(seed));
        const times: number[] = [];
        let from = 0;
        for (const at of [...asked.toSorted((one, other) => one - other), 2 * HOUR]) {
          times.push(...timesOf(live(schedule, at, from)));
          schedule.burst(at, at % 2 === 0);
          from = at;
        }
        const most = Math.max(
          0,
          ...times.map((start) => times.filter((at) => at >= start && at < start + HOUR).length),
        );
        expect(most).to.be.at.most(given.maxPerHour);
      }),
      { numRuns: 40 },
    );
  });
});
