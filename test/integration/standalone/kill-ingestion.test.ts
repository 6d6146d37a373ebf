import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { checkIngestion } from '../../chaos/ingestion/check.ts';
import { AIMS, ingestRounds, type IngestSeen } from '../../chaos/ingestion/rounds.ts';
import { seededRandom } from '../../chaos/seeded-random.ts';
import { temporaryFolder } from '../../support/standalone.ts';

// `npm run chaos ingestion` does it a hundred times.
describe('a platform that is killed while it receives, maps, redrives and erases', function suite() {
  this.timeout(180_000);
  const folder = temporaryFolder();
  let seen: IngestSeen;
  after(() => rmSync(folder, { recursive: true }));

  it('maps every delivery once, and shows the incidents of the undisturbed order', async () => {
    seen = await ingestRounds({ folder, rounds: AIMS.length, random: seededRandom(17) });
    const { faults, messages, incidents } = await checkIngestion(folder, seen);
    expect(faults).to.deep.equal([]);
    expect([messages, incidents]).to.deep.equal([200, 600]);
  });

  it('would show what was lost or mapped twice: the checker finds planted faults', async () => {
    const [name = '', id = ''] = [...seen.sender.answers].at(-1) ?? [];
    seen.sender.answers.set(name, 'dlv_lost');
    const [forgotten] = seen.blocks;
    const planted = { ...seen, blocks: seen.blocks.filter((block) => block !== forgotten) };
    const { faults } = await checkIngestion(folder, planted);
    expect(faults[0]).to.equal(`${id} is of no message`);
    expect(faults.filter((text) => text.endsWith('is one too many')).length).to.be.at.least(12);
  });
});
