import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkKilled } from '../../chaos/check-killed.ts';
import { AIMS } from '../../chaos/steps/aims.ts';
import { StepKiller, type StepsSeen } from '../../chaos/steps/step-rounds.ts';
import { emptyWitness } from '../../chaos/witness.ts';
import { converse } from '../../support/attacks/attacked.ts';
import { temporaryFolder } from '../../support/standalone.ts';

// `npm run chaos steps` does it 50 times at each step, and waits for the sweeper.
describe('a platform that is killed at each step of a run', function suite() {
  this.timeout(300_000);
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

  // So a platform that waits for the rest of a body has authenticated its caller: the first step.
  it('authenticates before it has the body: half of one with a wrong key gets 401', async () => {
    const platform = await killer.start();
    const head = 'POST /orbisets/default/execute HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n';
    const body = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"orb_id":';
    const answer = await converse(Number(new URL(platform.ready.url).port), [head + body], 2000);
    expect(await platform.stop()).to.equal(0);
    expect(answer.split('\r\n')[0]).to.equal('HTTP/1.1 401 Unauthorized');
  });

  it('has every receipt that it acknowledged, once and unchanged', async () => {
    const { faults, receipts, open, runs } = await checkKilled(join(folder, 'data'), seen);
    expect(faults).to.deep.equal([]);
    expect(receipts + open).to.equal(runs);
    expect(open).to.be.at.least(AIMS.filter(({ repeated }) => repeated === 'open').length);
  });
});
