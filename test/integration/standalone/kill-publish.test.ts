import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { checkKilled } from '../../chaos/check-killed.ts';
import { PublishRounds } from '../../chaos/publish/publish-rounds.ts';
import { openStandaloneSubject, type StandaloneSubject } from '../../chaos/publish/standalone-subject.ts';
import { seededRandom } from '../../chaos/seeded-random.ts';
import { emptyWitness } from '../../chaos/witness.ts';
import { temporaryFolder } from '../../support/standalone.ts';

const KILLS = 4;
/** The four moments at which most is half done. */
const STEPS: ReadonlySet<string> = new Set([
  'publish: report audited, not listed',
  'publish: listed, without a view',
  'publish: listed with a view, not evaluated',
  'yank: written, not answered',
]);

// `npm run chaos publish` does it at every step, 200 times, and on a cluster too.
describe('a platform that is killed while versions are published and yanked', function suite() {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let subject: StandaloneSubject;
  after(async () => {
    await subject.close();
    rmSync(folder, { recursive: true });
  });

  it('has done each act once and whole within a minute of the next start, or has left nothing of it', async () => {
    const opened = await openStandaloneSubject(folder);
    subject = { ...opened, aims: opened.aims.filter(({ kind, step }) => STEPS.has(`${kind}: ${step}`)) };
    const seen = emptyWitness();
    const rounds = new PublishRounds({
      subject,
      random: seededRandom(7),
      seen,
      say: () => undefined,
      withinMs: 60_000,
    });
    await rounds.run(KILLS);
    expect((await checkKilled(subject.data, seen)).faults).to.deep.equal([]);
    expect(rounds.tracks.all().filter(({ isListed }) => isListed)).to.have.length.above(KILLS);
    expect(seen.checkpoints.size).to.be.greaterThan(KILLS);
  });
});
