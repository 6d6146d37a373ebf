import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { candidates } from '../../../../cli/completion/candidates.ts';
import { verbs } from '../../../../cli/verbs.ts';
import { NO_ORBS } from '../../../support/no-orbs.ts';
import { aCli, type TestCli } from '../../../support/cli-io.ts';
import { aSuite, echoManifest, mockCase } from '../../../support/suites.ts';

const ORB = 'acme.echo@1.0.0';
const WHY = ['--reason', 'x'];
/** Nothing listens there. */
const AWAY = 'http://127.0.0.1:1';

/** What publishing and judging Orbs needs (packaging.md §6), with arguments. `orb verify` has `--json` in place of `-o json`. */
const VERBS: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ['publish', ['echo.json', '--egress-allow', 'https://api.example.com']],
  ['marketplace list', []],
  ['marketplace show', [ORB]],
  ['certificate get', [ORB]],
  ['deprecate', [ORB, ...WHY]],
  ['yank', [ORB, ...WHY]],
  ['restore', [ORB, ...WHY]],
  ['suspend', [ORB, ...WHY]],
  ['org claim', ['acme', '--domain', 'acme.com']],
  ['org verify', ['acme']],
  ['org show', ['acme']],
  ['org suspend', ['acme', ...WHY]],
  ['org restore', ['acme', ...WHY]],
  ['log retract', ['4', ...WHY]],
  ['reputation explain', [ORB]],
];
const OFFLINE = ['validate', 'test', 'reputation recompute'];

describe('verbs of the marketplace', () => {
  let cli: TestCli;
  before(() => {
    cli = aCli();
    const mocks = [
      mockCase(),
      mockCase({ id: 'down', responses: [{ provider: 'main', status: 503 }], expect: { status: 'failed' } }),
    ];
    writeFileSync(join(cli.folder, 'echo.json'), JSON.stringify(echoManifest()));
    writeFileSync(join(cli.folder, 'echo.orbtest.json'), JSON.stringify(aSuite({ cases: mocks })));
  });
  after(() => rmSync(cli.folder, { recursive: true }));
  const placed = (argv: readonly string[]): readonly string[] =>
    argv.map((word) => (word === 'echo.json' ? join(cli.folder, word) : word));

  for (const name of [...VERBS.map(([verb]) => verb), ...OFFLINE])
    it(`${name} has -o json, an example, and completes`, async () => {
      const words = name.split(' ');
      const verb = await verbs.find((entry) => entry.name === name)?.load();
      expect(verb?.flags.find(({ short }) => short === 'o')?.text).to.include('json');
      expect(verb?.examples[0]).to.match(new RegExp(`^\\{orb\\} ${name}(?: |$)`));
      expect((await candidates(verbs, [...words, '-o', ''], NO_ORBS)).words).to.include.members(['json', 'yaml']);
      expect(
        (await candidates(verbs, [...words.slice(0, -1), words.at(-1)?.slice(0, 3) ?? ''], NO_ORBS)).words,
      ).to.include(words.at(-1));
    });

  for (const [name, argv] of VERBS) {
    it(`${name} ends with 4 while the API is away, and prints no result`, async () => {
      const { exit, out, err } = await cli.run([...name.split(' '), ...placed(argv), '--server', AWAY, '-o', 'json']);
      expect([exit, out], err).to.deep.equal([4, '']);
    });

    it(`${name} ends with 64 for a format that it has not`, async () => {
      const { exit, out, err } = await cli.run([...name.split(' '), ...placed(argv), '--server', AWAY, '-o', 'xml']);
      expect([exit, out]).to.deep.equal([64, '']);
      expect(err).to.include('-o xml: this verb prints json');
    });
  }

  it('verify prints every check for machines', async () => {
    const verify = await verbs.find(({ name }) => name === 'verify')?.load();
    expect(verify?.flags.map(({ name }) => name)).to.include('json');
  });
});
