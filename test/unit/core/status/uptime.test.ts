import { expect } from 'chai';
import fc from 'fast-check';
import { daysUntil, dayStrip } from '../../../../core/status/days.ts';
import { SERVICE_STATES } from '../../../../core/status/service.ts';
import type { StateInterval, Stretch } from '../../../../core/status/timeline.ts';
import { uptimeOf, uptimeOfSums, type Uptime } from '../../../../core/status/uptime.ts';
import { countedStandings, countedUptime } from '../../../support/counted-uptime.ts';

// ORB_PROPERTY_RUNS=10000 takes about half a minute.
const SEEDED = { seed: 20_261_123, numRuns: Number(process.env['ORB_PROPERTY_RUNS'] ?? '300') };
const LENGTH = 60;

const interval: fc.Arbitrary<StateInterval> = fc
  .record({
    from: fc.integer({ min: -20, max: LENGTH + 10 }),
    length: fc.integer({ min: 0, max: 40 }),
    state: fc.constantFrom(...SERVICE_STATES),
    announced: fc.boolean(),
  })
  .map(({ from, length, state, announced }) => ({ from, to: from + length, state, announced }));
const service = fc.array(interval, { maxLength: 8 });
const platform = fc.array(service, { minLength: 1, maxLength: 3 });
const window = fc
  .record({ from: fc.integer({ min: 0, max: 10 }), length: fc.integer({ min: 1, max: LENGTH }) })
  .map(({ from, length }): Stretch => ({ from, to: from + length }));

/** Every interval in two halves, in the reverse order. */
const split = (intervals: readonly StateInterval[]): readonly StateInterval[] =>
  intervals
    .flatMap(({ from, to, ...rest }) => {
      const middle = Math.floor((from + to) / 2);
      return [
        { from, to: middle, ...rest },
        { from: middle, to, ...rest },
      ];
    })
    .toReversed();

describe('uptimeOf', () => {
  it('counts as an implementation that looks at each millisecond', () => {
    fc.assert(
      fc.property(platform, window, (services, span) => {
        expect(uptimeOf(services, span)).to.deep.equal(countedUptime(services, span));
      }),
      SEEDED,
    );
  });

  it('does not depend on the order of intervals or services, nor on where an interval is split', () => {
    fc.assert(
      fc.property(platform, window, (services, span) => {
        expect(uptimeOf(services.map(split).toReversed(), span)).to.deep.equal(uptimeOf(services, span));
      }),
      SEEDED,
    );
  });

  const outage = interval.map((given) => ({ ...given, state: 'major_outage' as const }));

  it('is never raised by an outage', () => {
    fc.assert(
      fc.property(platform, outage, window, (services, more, span) => {
        const before = uptimeOf(services, span).uptimePct ?? 100;
        const after = uptimeOf([[...(services[0] ?? []), more], ...services.slice(1)], span).uptimePct ?? 0;
        // Time of which nothing was known, or that was excluded, becomes known: it only adds downtime.
        expect(after).to.be.at.most(before);
      }),
      SEEDED,
    );
  });

  it('is not changed by time without data, which lowers coverage alone', () => {
    fc.assert(
      fc.property(platform, window, fc.integer({ min: 1, max: 50 }), (services, span, more) => {
        const within = services.map((intervals) =>
          intervals.map((given) => ({
            ...given,
            from: Math.max(given.from, span.from),
            to: Math.min(given.to, span.to),
          })),
        );
        const [narrow, wide] = [uptimeOf(within, span), uptimeOf(within, { ...span, to: span.to + more })];
        expect(wide.uptimePct).to.equal(narrow.uptimePct);
        expect(wide.coveragePct).to.be.at.most(narrow.coveragePct);
      }),
      SEEDED,
    );
  });

  const DAY = 86_400_000;
  const rows: readonly (readonly [
    why: string,
    services: readonly (readonly StateInterval[])[],
    expected: Partial<Uptime>,
  ])[] = [
    ['a window in which nothing is known', [[]], { uptimePct: null, coveragePct: 0 }],
    [
      'half a millisecond of outage out of 30 days',
      [
        [
          { from: 0, to: 30 * DAY - 1, state: 'operational', announced: false },
          { from: 30 * DAY - 1, to: 30 * DAY, state: 'partial_outage', announced: false },
        ],
      ],
      { uptimePct: 99.999, downtimeS: 0.0005 },
    ],
    [
      'an announced window below a state that nobody knows',
      [
        [
          { from: 0, to: 30 * DAY, state: 'under_maintenance', announced: true },
          { from: 0, to: 15 * DAY, state: 'unknown', announced: false },
        ],
      ],
      { uptimePct: null, coveragePct: 50, maintenanceS: 15 * 86_400 },
    ],
  ];
  for (const [why, services, expected] of rows) {
    it(`gives the percentages of ${why}`, () => {
      expect(uptimeOf(services, { from: 0, to: 30 * DAY })).to.include(expected);
    });
  }
});

const millis = (seconds: number): bigint => BigInt(Math.round(seconds * 1000));

describe('dayStrip', () => {
  const HOUR = 3_600_000;
  const hours = fc
    .array(interval, { maxLength: 12 })
    .map((intervals) => intervals.map((given) => ({ ...given, from: given.from * HOUR + 7, to: given.to * HOUR + 7 })));
  const at = fc.integer({ min: 1, max: 4 * 24 * HOUR });

  it('adds up to each day, and to uptime and coverage of the same time', () => {
    fc.assert(
      fc.property(hours, at, fc.integer({ min: 1, max: 5 }), (intervals, now, count) => {
        const days = daysUntil(now, count);
        const strip = dayStrip(intervals, days);
        const sums = { major: 0n, partial: 0n, unknown: 0n, maintenance: 0n, degraded: 0n, up: 0n };
        for (const [index, day] of strip.entries()) {
          const { from = 0, to = 0 } = days[index] ?? {};
          sums.major += millis(day.major_s);
          sums.partial += millis(day.partial_s);
          sums.unknown += millis(day.unknown_s);
          sums.maintenance += millis(day.maintenance_s);
          sums.degraded += millis(day.degraded_s);
          sums.up += millis(day.up_s);
          const parts = [day.up_s, day.degraded_s, day.partial_s, day.major_s, day.maintenance_s, day.unknown_s];
          expect(parts.map(millis).reduce((sum, part) => sum + part)).to.equal(BigInt(to - from));
        }
        const span = { from: days[0]?.from ?? 0, to: now };
        expect(uptimeOfSums(sums)).to.deep.equal(uptimeOf([intervals], span));
      }),
      SEEDED,
    );
  });

  it('counts each day as an implementation that looks at each millisecond', () => {
    fc.assert(
      fc.property(service, window, fc.integer({ min: 1, max: 20 }), (intervals, span, length) => {
        const days: Stretch[] = [];
        for (let { from } = span; from < span.to; from += length)
          days.push({ from, to: Math.min(from + length, span.to) });
        const expected = days.map((day) => {
          const counted = countedStandings([intervals], day);
          return {
            up_s: counted.up / 1000,
            degraded_s: counted.degraded / 1000,
            partial_s: counted.partial / 1000,
            major_s: counted.major / 1000,
            maintenance_s: counted.maintenance / 1000,
            unknown_s: counted.unknown / 1000,
          };
        });
        expect(dayStrip(intervals, days)).to.deep.equal(expected);
      }),
      SEEDED,
    );
  });

  it('takes the UTC day of now for today, up to now', () => {
    const now = Date.parse('2026-11-22T10:00:00.000Z');
    expect(daysUntil(now, 2)).to.deep.equal([
      { from: Date.parse('2026-11-21T00:00:00Z'), to: Date.parse('2026-11-22T00:00:00Z') },
      { from: Date.parse('2026-11-22T00:00:00Z'), to: now },
    ]);
  });
});
