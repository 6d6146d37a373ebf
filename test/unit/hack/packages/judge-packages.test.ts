import { expect } from 'chai';
import { judgePackages } from '../../../../hack/packages/judge-packages.ts';

const DIGEST = `sha512-${'A'.repeat(86)}==`;
const REASONS = '| Package | What for |\n| --- | --- |\n| `express` | HTTP |\n';

interface Change {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly locked?: Readonly<Record<string, unknown>>;
  readonly reasons?: string;
}

const judged = ({ dependencies = { express: '5.3.0' }, locked = {}, reasons = REASONS }: Change): readonly string[] =>
  judgePackages({
    manifest: { dependencies, devDependencies: { mocha: '12.0.3' } },
    lock: {
      packages: {
        '': { name: 'orb-platform' },
        'node_modules/express': { version: '5.3.0', integrity: DIGEST, license: 'MIT', ...locked },
        'node_modules/a/node_modules/color-convert': { version: '0.5.3', integrity: DIGEST },
      },
    },
    reasons,
  });

describe('judgePackages', () => {
  it('finds nothing where all is well', () => {
    expect(judged({})).to.deep.equal([]);
  });

  const rows: readonly (readonly [string, Change, string])[] = [
    ['a range', { dependencies: { express: '^5.3.0' } }, 'express is not pinned: ^5.3.0'],
    ['an address', { dependencies: { express: 'github:a/b' } }, 'express is not pinned: github:a/b'],
    ['a package without reason', { reasons: '' }, 'express has no reason in docs/design/packages.md'],
    [
      'a reason without package',
      { reasons: `${REASONS}| \`left-pad\` | pads |\n` },
      'docs/design/packages.md explains left-pad, which is not used',
    ],
    ['no digest', { locked: { integrity: undefined } }, 'express@5.3.0 has no SHA-512 in package-lock.json'],
    ['a weak digest', { locked: { integrity: 'sha1-AAAA' } }, 'express@5.3.0 has no SHA-512 in package-lock.json'],
    [
      'a source',
      { locked: { resolved: 'https://x.example/a.tgz' } },
      'express@5.3.0 names where it comes from: see .npmrc',
    ],
    ['an install script', { locked: { hasInstallScript: true } }, 'express@5.3.0 has an install script'],
    ['no licence', { locked: { license: undefined } }, 'express@5.3.0 names no licence'],
    [
      'an unknown licence',
      { locked: { license: '(MIT OR GPL-3.0)' } },
      'express@5.3.0 has the licence GPL-3.0, which nobody has looked at',
    ],
    [
      'a licence that only tools may have',
      { locked: { license: 'MPL-2.0' } },
      'express@5.3.0 has the licence MPL-2.0, which nobody has looked at',
    ],
  ];
  for (const [what, change, fault] of rows)
    it(`finds ${what}`, () => {
      expect(judged(change)).to.deep.equal([fault]);
    });

  it('lets a tool of the development have it', () => {
    expect(judged({ locked: { license: 'MPL-2.0', dev: true } })).to.deep.equal([]);
  });

  it('counts the direct packages', () => {
    const names = Array.from({ length: 13 }, (_, index) => `p${index}`);
    const dependencies = Object.fromEntries(names.map((name) => [name, '1.0.0']));
    const reasons = names.map((name) => `| \`${name}\` | x |\n`).join('');
    expect(judged({ dependencies, reasons })).to.deep.equal(['13 direct packages; at most 12 (security.md S22)']);
  });
});
