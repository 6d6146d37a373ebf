import { expect } from 'chai';
import { candidates } from '../../../../cli/completion/candidates.ts';
import { verbs } from '../../../../cli/verbs.ts';

/** What publishing and judging Orbs needs (packaging.md §6). `orb verify` has `--json` in place of `-o json`. */
const VERBS = [
  'validate',
  'test',
  'publish',
  'marketplace list',
  'marketplace show',
  'certificate get',
  'deprecate',
  'yank',
  'restore',
  'suspend',
  'org claim',
  'org verify',
  'org show',
  'org suspend',
  'org restore',
  'log retract',
  'reputation explain',
  'reputation recompute',
];

describe('verbs of the marketplace', () => {
  for (const name of VERBS)
    it(`${name} has -o json, an example, and completes`, async () => {
      const words = name.split(' ');
      const verb = await verbs.find((entry) => entry.name === name)?.load();
      expect(verb?.flags.find(({ short }) => short === 'o')?.text).to.include('json');
      expect(verb?.examples[0]).to.match(new RegExp(`^\\{orb\\} ${name}(?: |$)`));
      expect((await candidates(verbs, [...words, '-o', ''])).words).to.include.members(['json', 'yaml']);
      expect((await candidates(verbs, [...words.slice(0, -1), words.at(-1)?.slice(0, 3) ?? ''])).words).to.include(
        words.at(-1),
      );
    });

  it('verify prints every check for machines', async () => {
    const verify = await verbs.find(({ name }) => name === 'verify')?.load();
    expect(verify?.flags.map(({ name }) => name)).to.include('json');
  });
});
