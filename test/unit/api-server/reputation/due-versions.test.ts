import { expect } from 'chai';
import { DueVersions } from '../../../../api-server/reputation/due-versions.ts';
import type { NewestOf } from '../../../../api-server/reputation/newest-evidence.ts';
import { aListedVersion } from '../../../support/a-listed-orb.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { LEDGER_NOW } from '../../../support/ledger-rows.ts';

const HOUR_MS = 3_600_000;
const NONE: NewestOf = { run: -1, event: -1 };

interface Version {
  /** Entries that its newest evaluation read; absent: it was never evaluated. */
  readonly size?: number;
  readonly at?: number;
  readonly newest?: NewestOf;
}

const evaluated = (newest: NewestOf, agoMs = 0): Version => ({ size: 10, at: LEDGER_NOW - agoMs, newest });

describe('which versions are due', () => {
  let clock: FakeClock;
  let versions: Map<string, Version>;
  let due: DueVersions;
  beforeEach(() => {
    clock = createFakeClock(LEDGER_NOW);
    versions = new Map();
    due = new DueVersions({
      listings: {
        all: () => [...versions.keys()].map((orbId) => aListedVersion(orbId)),
        evaluatedAt: (orbId) => versions.get(orbId)?.at,
        evaluatedSize: (orbId) => versions.get(orbId)?.size,
      },
      newest: { of: (orbId) => versions.get(orbId)?.newest ?? NONE },
      clock,
      intervalMs: HOUR_MS,
    });
  });
  const lines = (most = 99, busy: readonly string[] = []): readonly (readonly string[])[] =>
    due.lines((orbId) => busy.includes(orbId), most);

  const ORB = 'acme.echo@1.0.0';
  const rows: readonly (readonly [why: string, version: Version, isDue: boolean])[] = [
    ['was never evaluated', {}, true],
    ['has nothing new', evaluated({ run: 9, event: 9 }), false],
    ['has a new event', evaluated({ run: -1, event: 10 }), true],
    ['has new runs, and the interval is over', evaluated({ run: 10, event: 9 }, HOUR_MS), true],
    ['has new runs before the interval is over', evaluated({ run: 10, event: 9 }, HOUR_MS - 1), false],
    ['was evaluated on the day before', evaluated(NONE, 24 * HOUR_MS), true],
  ];
  for (const [why, version, isDue] of rows)
    it(`${isDue ? 'takes' : 'leaves'} a version that ${why}`, () => {
      versions.set(ORB, version);
      expect([lines(), due.count()]).to.deep.equal(isDue ? [[[ORB]], 1] : [[], 0]);
    });

  it('puts first what is urgent, then new runs, then the day, the oldest evaluation first', () => {
    versions.set('acme.day@1.0.0', evaluated(NONE, 24 * HOUR_MS));
    versions.set('acme.older@1.0.0', evaluated(NONE, 25 * HOUR_MS));
    versions.set('acme.ran@1.0.0', evaluated({ run: 10, event: 0 }, 2 * HOUR_MS));
    versions.set('acme.yanked@1.0.0', evaluated({ run: 0, event: 12 }));
    versions.set('acme.new@1.0.0', {});
    const order = ['acme.new', 'acme.yanked', 'acme.ran', 'acme.older', 'acme.day'].map((name) => [`${name}@1.0.0`]);
    expect(lines()).to.deep.equal(order);
    expect(lines(2)).to.deep.equal(order.slice(0, 2));
  });

  it('puts versions of a line together, and leaves out what is being evaluated', () => {
    for (const orbId of [ORB, 'acme.other@1.0.0', 'acme.echo@1.1.0', 'acme.echo@2.0.0']) versions.set(orbId, {});
    expect(lines()).to.deep.equal([[ORB, 'acme.echo@1.1.0'], ['acme.other@1.0.0'], ['acme.echo@2.0.0']]);
    expect(lines(1)).to.deep.equal([[ORB, 'acme.echo@1.1.0']]);
    expect(lines(99, [ORB])).to.deep.equal([['acme.other@1.0.0'], ['acme.echo@1.1.0'], ['acme.echo@2.0.0']]);
  });

  it('bounds how many versions of a line are scored together', () => {
    for (let patch = 0; patch < 70; patch += 1) versions.set(`acme.echo@1.0.${patch}`, {});
    expect(lines(500).map((line) => line.length)).to.deep.equal([64]);
  });

  it('waits longer after each failure, 30 s at most, and starts anew after a success', async () => {
    versions.set(ORB, {});
    const waits: number[] = [];
    for (let failure = 0; failure < 7; failure += 1) {
      due.failed(ORB);
      let waited = 0;
      for (; lines().length === 0; waited += 1) await clock.advance(1000);
      waits.push(waited);
    }
    expect(waits).to.deep.equal([1, 2, 4, 8, 16, 30, 30]);
    due.evaluated(ORB);
    due.failed(ORB);
    await clock.advance(1000);
    expect(lines()).to.deep.equal([[ORB]]);
  });
});
