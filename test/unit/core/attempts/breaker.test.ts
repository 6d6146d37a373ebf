import { expect } from 'chai';
import fc from 'fast-check';
import { Breaker, type AttemptVerdict } from '../../../../core/attempts/breaker.ts';

const CONSECUTIVE = 5;

/** A breaker with a clock that the test moves; nobody else is open. */
class Bench {
  readonly breaker = new Breaker();
  now = 0;
  alone = false;
  random = 0;

  /** One attempt. @returns whether it was let through */
  attempt(verdict: AttemptVerdict): boolean {
    const ticket = this.breaker.admit(this.now, this.alone);
    if (ticket === undefined) return false;
    this.breaker.report(ticket, verdict, { now: this.now, random: this.random, consecutive: CONSECUTIVE });
    return true;
  }

  attempts(verdict: AttemptVerdict, times: number): void {
    for (let time = 0; time < times; time += 1) this.attempt(verdict);
  }

  get state(): string {
    return this.breaker.state(this.now, this.alone);
  }

  /** Ms until an attempt is let through. */
  get left(): number {
    return this.breaker.nextSlot(this.now, this.alone) - this.now;
  }
}

function opened(): Bench {
  const bench = new Bench();
  bench.attempts('bad', CONSECUTIVE);
  return bench;
}

describe('Breaker (failover.md §12.3)', () => {
  it('opens on five bad attempts in a row, not on four', () => {
    const bench = new Bench();
    bench.attempts('bad', 4);
    expect(bench.state).to.equal('closed');
    bench.attempt('bad');
    expect([bench.state, bench.attempt('good')]).to.deep.equal(['open', false]);
  });

  it('counts a row anew after a good one, and goes on over attempts that say nothing', () => {
    const bench = new Bench();
    bench.attempts('bad', 4);
    bench.attempts('nothing', 10);
    expect(bench.state).to.equal('closed');
    bench.attempt('good');
    bench.attempts('bad', 4);
    expect(bench.state).to.equal('closed');
  });

  it('opens on half of ten in 30 s', () => {
    const bench = new Bench();
    for (let pair = 0; pair < 4; pair += 1) {
      bench.attempt('good');
      bench.attempt('bad');
    }
    bench.attempt('good');
    expect(bench.state).to.equal('closed');
    bench.attempt('bad');
    expect(bench.state).to.equal('open');
  });

  it('forgets what is older than 30 s', () => {
    const bench = new Bench();
    for (let pair = 0; pair < 4; pair += 1) {
      bench.attempt('good');
      bench.attempt('bad');
    }
    bench.now += 30_000;
    bench.attempt('good');
    bench.attempt('bad');
    expect(bench.state).to.equal('closed');
  });

  it('never opens on what says nothing', () => {
    const bench = new Bench();
    bench.attempts('nothing', 1000);
    expect(bench.state).to.equal('closed');
  });

  it('lets one attempt through when its time is over, and no other while that one is under way', () => {
    const bench = opened();
    bench.now += 2499;
    expect([bench.state, bench.left]).to.deep.equal(['open', 1]);
    bench.now += 1;
    expect(bench.state).to.equal('half_open');
    const ticket = bench.breaker.admit(bench.now, false);
    expect(ticket).to.not.equal(undefined);
    expect([bench.state, bench.attempt('good'), bench.left]).to.deep.equal(['half_open', false, 1000]);
  });

  it('closes when that attempt is good, and begins anew', () => {
    const bench = opened();
    bench.now += 5000;
    bench.attempt('good');
    expect(bench.state).to.equal('closed');
    bench.attempts('bad', 4);
    expect(bench.state).to.equal('closed');
    bench.attempt('bad');
    expect([bench.state, bench.left]).to.deep.equal(['open', 2500]);
  });

  it('gives the slot to the next one when that attempt says nothing', () => {
    const bench = opened();
    bench.now += 2500;
    expect([bench.attempt('nothing'), bench.state, bench.attempt('good'), bench.state]).to.deep.equal([
      true,
      'half_open',
      true,
      'closed',
    ]);
  });

  it('doubles from 5 s to 300 s with equal jitter', () => {
    for (const random of [0, 0.5, 0.999_999]) {
      const bench = new Bench();
      bench.random = random;
      bench.attempts('bad', CONSECUTIVE);
      const waits: number[] = [];
      for (let opening = 0; opening < 9; opening += 1) {
        waits.push(bench.left);
        bench.now += bench.left;
        bench.attempt('bad');
      }
      const whole = [5, 10, 20, 40, 80, 160, 300, 300, 300].map((seconds) => seconds * 1000);
      expect(waits.map(Math.round)).to.deep.equal(whole.map((ms) => Math.round(ms / 2 + (random * ms) / 2)));
    }
  });

  it('stays open for 15 s at most while every provider is open', () => {
    const bench = opened();
    bench.random = 0.999_999;
    for (let opening = 0; opening < 40; opening += 1) {
      bench.now += bench.left;
      bench.attempt('bad');
    }
    expect(Math.round(bench.left)).to.equal(300_000);
    bench.alone = true;
    expect(Math.round(bench.left)).to.equal(15_000);
    bench.now += 15_000;
    expect([bench.state, bench.attempt('good'), bench.state]).to.deep.equal(['half_open', true, 'closed']);
  });

  it('takes no notice of attempts that began before it opened', () => {
    const bench = new Bench();
    const late = bench.breaker.admit(0, false) ?? -1;
    bench.attempts('bad', CONSECUTIVE);
    const moment = { now: 0, random: 0, consecutive: CONSECUTIVE };
    bench.breaker.report(late, 'good', moment);
    expect(bench.state).to.equal('open');
    bench.now = 2500;
    bench.breaker.admit(bench.now, false);
    bench.breaker.report(late, 'bad', moment);
    expect([bench.state, bench.left]).to.deep.equal(['half_open', 1000]);
  });

  const step = fc.record({
    gap: fc.integer({ min: 0, max: 20_000 }),
    verdict: fc.constantFrom<AttemptVerdict>('good', 'bad', 'nothing'),
    alone: fc.boolean(),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });

  it('is never shut for more than 300 s, opens on a bad attempt only, and lets one through at a time', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const bench = new Bench();
        for (const { gap, verdict, alone, random } of steps) {
          bench.now += gap;
          bench.alone = alone;
          bench.random = random;
          const before = bench.state;
          const admitted = bench.attempt(verdict);
          expect(admitted).to.equal(before !== 'open');
          if (before === 'closed' && bench.state === 'open') expect(verdict).to.not.equal('nothing');
          expect(bench.left).to.be.at.most(alone ? 15_000 : 300_000);
          expect(bench.state === 'open').to.equal(bench.left > 0);
        }
      }),
    );
  });

  it('answers the same to the same', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const [one, other] = [new Bench(), new Bench()];
        for (const { gap, verdict, alone, random } of steps) {
          for (const bench of [one, other]) {
            bench.now += gap;
            Object.assign(bench, { alone, random });
            bench.attempt(verdict);
          }
          expect([one.state, one.left]).to.deep.equal([other.state, other.left]);
        }
      }),
    );
  });
});
