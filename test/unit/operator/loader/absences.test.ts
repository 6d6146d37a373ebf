import { expect } from 'chai';
import { createAbsences, type Absences } from '../../../../operator/loader/absences.ts';

const A = { name: 'a', uid: '1' };

describe('createAbsences', () => {
  let now = 0;
  let absences: Absences;
  beforeEach(() => {
    now = 0;
    absences = createAbsences(() => now);
  });

  it('confirms what has been gone for a second, not before', () => {
    expect(absences.confirmed([A], 's1')).to.deep.equal([]);
    now = 999;
    expect(absences.confirmed([A], 's1')).to.deep.equal([]);
    now = 1000;
    expect(absences.confirmed([A], 's1')).to.deep.equal([A]);
  });

  it('begins anew for what came back in between', () => {
    absences.confirmed([A], 's1');
    now = 900;
    absences.confirmed([], 's1');
    now = 1100;
    expect(absences.confirmed([A], 's1')).to.deep.equal([]);
  });

  it('begins anew while names come to the folder or leave it', () => {
    absences.confirmed([A], 's1');
    now = 1000;
    expect(absences.confirmed([A], 's2')).to.deep.equal([]);
    now = 2000;
    expect(absences.confirmed([A], 's2')).to.deep.equal([A]);
  });

  it('begins anew for another object of the same name', () => {
    absences.confirmed([A], 's1');
    now = 2000;
    expect(absences.confirmed([{ ...A, uid: '2' }], 's1')).to.deep.equal([]);
  });
});
