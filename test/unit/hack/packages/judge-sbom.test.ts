import { expect } from 'chai';
import { judgeSbom } from '../../../../hack/packages/judge-sbom.ts';

const HEX = 'ab'.repeat(64);
const integrity = `sha512-${Buffer.from(HEX, 'hex').toString('base64')}`;
const LOCK = {
  packages: {
    '': { name: 'orb-platform', version: '1.0.0' },
    'node_modules/@scope/a': { version: '1.2.3', integrity, license: 'MIT' },
    'node_modules/b/node_modules/color-convert': { version: '0.5.3', integrity },
    'node_modules/of-tests': { version: '1.0.0', integrity, license: 'MIT', dev: true },
  },
};
const hashes = [{ alg: 'SHA-512', content: HEX }];
const licenses = [{ license: { id: 'MIT' } }];
const A = { name: '@scope/a', version: '1.2.3', hashes, licenses };
const CONVERT = { name: 'color-convert', version: '0.5.3', hashes };
const judged = (...components: readonly object[]): readonly string[] =>
  judgeSbom({ bomFormat: 'CycloneDX', components }, LOCK);

describe('judgeSbom', () => {
  it('finds nothing where every package that programs load is listed', () => {
    expect(judged(A, CONVERT)).to.deep.equal([]);
  });

  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['a package that is left out', judged(CONVERT), ['@scope/a@1.2.3 is not in the SBOM']],
    ['another version', judged({ ...A, version: '1.2.4' }, CONVERT), ['@scope/a@1.2.3 is not in the SBOM']],
    [
      'another digest',
      judged({ ...A, hashes: [{ alg: 'SHA-512', content: 'cd'.repeat(64) }] }, CONVERT),
      ['@scope/a@1.2.3 has another digest in the SBOM than in package-lock.json'],
    ],
    [
      'no digest',
      judged({ ...A, hashes: [] }, CONVERT),
      ['@scope/a@1.2.3 has another digest in the SBOM than in package-lock.json'],
    ],
    ['no licence', judged({ ...A, licenses: [] }, CONVERT), ['@scope/a@1.2.3 has no licence in the SBOM']],
    ['no list', judgeSbom({ components: [A, CONVERT] }, LOCK), ['npm sbom printed no CycloneDX list']],
  ];
  for (const [what, found, expected] of rows)
    it(`finds ${what}`, () => {
      expect(found).to.deep.equal(expected);
    });
});
