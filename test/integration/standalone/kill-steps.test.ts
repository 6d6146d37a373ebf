import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkKilled } from '../../chaos/check-killed.ts';
import { AIMS } from '../../chaos/steps/aims.ts';
import { StepKiller, type StepsSeen } from '../../chaos/steps/step-rounds.ts';
import { emptyWitness } from '../../chaos/witness.ts';
import { temporaryFolder } from '../../support/standalone.ts';

// `npm run chaos steps` does it 50 times at each step, and waits for the sweeper.
describe('a platform that is killed at each step of a run', function suite() {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const seen: StepsSeen = { ...emptyWitness(), killed: [], stepOf: new Map() };
  let killer: StepKiller;

  before(async () => {
    killer = await StepKiller.open({ folder, aims: AIMS, seen, say: () => undefined });
    await killer.run();
  });
  after(() => {
    killer.close();
    rmSync(folder, { recursive: true });
  });

  it('keeps a run whole, open or not at all, as the step was, and sends it at most once', () => {
    expect(seen.faults).to.deep.equal([]);
    expect(seen.killed.map(({ aim }) => aim)).to.deep.equal(AIMS);
    expect(seen.killed.filter(({ receipts }) => receipts.size === 1).length).to.be.at.least(5);
  });

  it('has every receipt that it acknowledged, once and unchanged', async () => {
    const { faults, receipts, open, runs } = await checkKilled(join(folder, 'data'), seen);
    expect(faults).to.deep.equal([]);
    expect(receipts + open).to.equal(runs);
    expect(open).to.be.at.least(AIMS.filter(({ repeated }) => repeated === 'open').length);
  });
});
