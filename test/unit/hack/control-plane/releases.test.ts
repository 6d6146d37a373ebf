import { expect } from 'chai';
import { releaseOf } from '../../../../hack/control-plane/releases.ts';

describe('the release that ORB_K8S_VERSION names', () => {
  for (const [wanted, found] of [
    [undefined, '1.36.3'],
    ['', '1.36.3'],
    ['1.33', '1.33.13'],
    ['v1.34', '1.34.4'],
    ['1.35.4', '1.35.4'],
    ['1.36.0', '1.36.0'],
  ] as const) {
    it(`is ${found} for ${wanted ?? 'nothing'}`, () => {
      expect(releaseOf(wanted).kubernetes).to.equal(found);
    });
  }

  it('is refused, with the lines that there are, when it is neither a known line nor a version', () => {
    for (const wanted of ['1.3', 'newest', '1.36.x']) {
      expect(() => releaseOf(wanted)).to.throw(TypeError, '1.33, 1.34, 1.35, 1.36');
    }
  });
});
