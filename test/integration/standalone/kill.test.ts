import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkKilled } from '../../chaos/check-killed.ts';
import { killRounds } from '../../chaos/kill-rounds.ts';
import { seededRandom } from '../../chaos/seeded-random.ts';
import { emptyWitness } from '../../chaos/witness.ts';
import { temporaryFolder } from '../../support/standalone.ts';

// `npm run chaos kill` does it 50 times and waits for the sweeper.
describe('a platform whose process group is killed under load', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  after(() => rmSync(folder, { recursive: true }));

  it('has every receipt that it acknowledged, once and unchanged, in a log that fits every checkpoint it served', async () => {
    const seen = emptyWitness();
    const random = seededRandom(7);
    await killRounds({ folder, kills: 3, random, seen, say: () => undefined }, async (start) => {
      const platform = await start();
      const answer = await platform.post('/orbisets/default/execute', {
        orb_id: 'chaos.send@1.0.0',
        inputs: { text: 'after the kills' },
      });
      expect(answer.status).to.equal(200);
      expect(await platform.stop()).to.equal(0);
    });
    const ledger = await checkKilled(join(folder, 'data'), seen);
    expect(ledger.faults).to.deep.equal([]);
    expect(seen.acknowledged.size).to.be.greaterThan(0);
    expect(seen.served.size).to.be.greaterThan(0);
    expect(seen.checkpoints.size).to.be.greaterThan(0);
    expect(ledger.receipts + ledger.open).to.equal(ledger.runs);
  });

  it('would show what was lost, changed or forged: the checker finds planted faults', async () => {
    const seen = emptyWitness();
    seen.acknowledged.add('rcpt_lost');
    seen.served.set('rcpt_changed', 'a.b.c');
    seen.checkpoints.set(1, 'origin\n1\nAAAA\n\n— origin sig\n');
    const { faults } = await checkKilled(join(folder, 'data'), seen);
    expect(faults).to.deep.equal([
      'rcpt_lost was acknowledged and is lost',
      'rcpt_changed is not as it was served',
      'the checkpoint of size 1 that was served is of another log',
    ]);
  });
});
