import { expect } from 'chai';
import { aLoop } from '../../../support/standalone-loop.ts';
import { LEDGER_NOW } from '../../../support/ledger-rows.ts';
import { openSqliteFixture } from '../../../support/sqlite-ledger.ts';
import { clockFaults, createWrongClock, type ClockFault } from '../../../support/wrong-clock.ts';

const STEP_S = 15;

/** A slow primary, the swap, its recovery and the way back: active provider and percent, every 15 s. */
async function told(fault: ClockFault): Promise<readonly string[]> {
  const fixture = await openSqliteFixture();
  const world = await aLoop(await fixture.current(), createWrongClock(LEDGER_NOW, fault));
  const seen: string[] = [];
  const pass = async (steps: number): Promise<void> => {
    for (let step = 0; step < steps; step += 1) {
      await world.pass(STEP_S);
      const { activeProvider = '', ramp = null, swapSeq = 0 } = world.orb()?.failover ?? {};
      seen.push(`${activeProvider} ${ramp?.percent ?? '-'} ${swapSeq}`);
    }
  };
  try {
    await pass(3);
    world.seconds.main = 0.8;
    await pass(7);
    world.seconds.main = 0.04;
    await pass(24);
    return seen;
  } finally {
    await world.stop();
    await fixture.dispose();
  }
}

describe('FailoverLoop whose clock goes wrong (reliability.md §4.1, R8)', function suite() {
  this.timeout(30_000);
  let right: readonly string[];
  before(async () => {
    right = await told(() => 0);
  });

  it('swaps and goes back with a right one', () => {
    expect([...new Set(right)]).to.deep.equal(['main - 0', 'backup - 1', 'backup 50 1', 'main - 2']);
  });

  for (const [what, fault] of Object.entries(clockFaults(60_000)))
    it(`decides the same at the same time when it ${what}`, async () => {
      expect(await told(fault)).to.deep.equal(right);
    });
});
