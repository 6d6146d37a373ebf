import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkKilled } from '../../chaos/check-killed.ts';
import { changeRounds } from '../../chaos/policies/changes/change-rounds.ts';
import { openStandaloneSubject } from '../../chaos/policies/changes/standalone-subject.ts';
import type { Aim } from '../../chaos/policies/changes/aims.ts';
import { countPoints } from '../../chaos/policies/points.ts';
import { checkDecisions } from '../../chaos/policies/check-decisions.ts';
import { AIMS, policyRounds, type Seen } from '../../chaos/policies/policy-rounds.ts';
import { seededRandom } from '../../chaos/seeded-random.ts';
import { emptyWitness } from '../../chaos/witness.ts';
import { temporaryFolder } from '../../support/standalone.ts';

// `npm run chaos policies` does it 40 times and waits for the sweeper.
describe('a platform with policies that is killed under load', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  let seen: Seen;
  after(() => rmSync(folder, { recursive: true }));

  it('has the decision and the one receipt of every denied run, called no provider for it, and denies on', async () => {
    const random = seededRandom(7);
    const rounds = AIMS.length;
    seen = await policyRounds({ folder, rounds, random, seen: emptyWitness(), say: () => undefined }, async (last) => {
      expect(await last.stop()).to.equal(0);
    });
    expect((await checkKilled(data, seen)).faults).to.deep.equal([]);
    const { faults, denied, kills } = await checkDecisions(data, seen);
    expect(faults).to.deep.equal([]);
    expect(countPoints(kills).map(({ point, kills: count, lost, doubled }) => [point, count, lost, doubled])).to.eql(
      AIMS.map((aim) => [aim, 1, 0, 0]),
    );
    expect(Object.keys(denied)).to.deep.equal(['PreFlight', 'Request', 'Response']);
    for (const count of Object.values(denied)) expect(count).to.be.greaterThan(rounds);
  });

  it('would show what was lost or let through: the checker finds planted faults', async () => {
    const [text = '', id = ''] = [...seen.answers].find(([answered]) => answered.startsWith('before-')) ?? [];
    const called = new Map<string, number>([...seen.called, [text, 1], ['allowed-unknown', 1]]);
    const answers = new Map([...seen.answers, ['before-lost', id]]);
    const sent = new Map([...seen.sent, ['before-lost', 1]]);
    const { faults, kills } = await checkDecisions(data, { ...seen, called, answers, sent });
    expect(kills.map(({ lost }) => lost)).to.deep.equal([0, 1, 0, 0, 0]);
    expect(faults).to.deep.equal([
      `${text} was denied, and its provider was called`,
      'allowed-unknown reached its provider, and no decision is recorded',
      `before-lost was answered with ${id}, which is not its receipt`,
    ]);
  });
});

const CHANGES: readonly Aim[] = [
  { act: 'replay', at: 'written' },
  { act: 'promotion', at: 'written' },
  { act: 'approval', at: 'written' },
];

// `npm run chaos policies` aims at 14 moments of five acts.
describe('a platform that is killed while its policies are replayed, promoted and approved for', function suite() {
  this.timeout(120_000);
  const folder = temporaryFolder();
  after(() => rmSync(folder, { recursive: true }));

  it('counts no replay half, is in the old or the new mode, lets one run through, and its log says so', async () => {
    const subject = await openStandaloneSubject(folder);
    const seen = emptyWitness();
    const rounds = CHANGES.length;
    const { struck, kills } = await changeRounds({ subject, rounds, aims: CHANGES, random: seededRandom(7), seen });
    await subject.close();
    expect(countPoints(kills).map(({ point, kills: count, lost, doubled }) => [point, count, lost, doubled])).to.eql(
      CHANGES.map(({ act }) => [act, 1, 0, 0]),
    );
    expect((await checkKilled(subject.data, seen)).faults).to.deep.equal([]);
    expect([...struck.values()]).to.deep.equal([1, 1, 1]);
  });
});
