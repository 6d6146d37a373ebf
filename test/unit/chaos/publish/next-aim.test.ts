import { expect } from 'chai';
import { STANDALONE_AIMS } from '../../../chaos/publish/aims.ts';
import { AimPlan } from '../../../chaos/publish/next-aim.ts';
import { StepCounts } from '../../../chaos/publish/steps.ts';
import { seededRandom } from '../../../chaos/seeded-random.ts';

const nameOf = ({ kind, step }: (typeof STANDALONE_AIMS)[number]): string => `${kind}: ${step}`;

describe('the plan of aims', () => {
  it('comes to every step within two rounds when each kill hits what it is aimed at', () => {
    const counts = new StepCounts();
    const plan = new AimPlan(STANDALONE_AIMS, counts, seededRandom(1));
    const aimed = Array.from({ length: 2 * STANDALONE_AIMS.length }, () => {
      const aim = plan.next(() => true);
      counts.add(aim.kind, aim.step);
      return nameOf(aim);
    });
    expect(new Set(aimed)).to.deep.equal(new Set(STANDALONE_AIMS.map(nameOf)));
  });

  it('goes back to a step that kills miss', () => {
    const counts = new StepCounts();
    const plan = new AimPlan(STANDALONE_AIMS, counts, seededRandom(1));
    for (const { kind, step } of STANDALONE_AIMS) if (kind !== 'yank') counts.add(kind, step);
    const aimed = Array.from({ length: 12 }, () => plan.next(() => true).kind);
    expect(aimed.filter((kind) => kind === 'yank').length).to.be.at.least(8);
  });

  it('leaves out acts that need a version which is not there', () => {
    const plan = new AimPlan(STANDALONE_AIMS, new StepCounts(), seededRandom(1));
    const aimed = Array.from({ length: 40 }, () => plan.next(({ kind }) => kind === 'publish').kind);
    expect(new Set(aimed)).to.deep.equal(new Set(['publish']));
    expect(() => plan.next(() => false)).to.throw('no aim is possible');
  });
});
