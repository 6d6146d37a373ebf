import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { checkCount, flagsOf, parseVerbArgs } from '../../../../cli/args/parse-args.ts';
import { verbs } from '../../../../cli/verbs.ts';
import { aCli, type TestCli } from '../../../support/cli-io.ts';

/** Words of a line as a shell would see them, for the quotes that the examples use. */
const words = (line: string): readonly string[] =>
  [...line.replace(/ <.*$/, '').matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));

describe('help', () => {
  let cli: TestCli;
  before(() => (cli = aCli()));
  after(() => rmSync(cli.folder, { recursive: true }));

  for (const entry of verbs) {
    it(`shows ${entry.name} with every flag and an example, the same three ways`, async () => {
      const verb = await entry.load();
      const name = entry.name.split(' ');
      const asked = await cli.run([...name, '--help']);
      expect(asked.exit).to.equal(0);
      expect(asked.err).to.equal('');
      for (const flag of flagsOf(verb)) expect(asked.out).to.include(`--${flag.name}`);
      expect(asked.out).to.include('Example');
      expect(asked.out).not.to.include('{orb}');
      expect((await cli.run(['help', ...name])).out).to.equal(asked.out);
      expect((await cli.run([...name, '-h'])).out).to.equal(asked.out);
    });

    it(`has examples of ${entry.name} that the command line takes`, async () => {
      const verb = await entry.load();
      expect(verb.examples.length).to.be.greaterThan(0);
      for (const example of verb.examples) {
        const [program, ...line] = words(example);
        expect(program).to.equal('{orb}');
        const shown = verbs.find(({ name }) => name === line.slice(0, name.split(' ').length).join(' '));
        if (shown === undefined) throw new Error(`no verb: ${example}`);
        const named = { ...(await shown.load()), name: shown.name };
        const args = parseVerbArgs(named, line.slice(shown.name.split(' ').length));
        checkCount(named, args);
      }
    });
  }

  it('lists every verb on the overview', async () => {
    const { out, exit } = await cli.run(['help']);
    expect(exit).to.equal(0);
    for (const { name } of verbs) expect(out).to.include(`  ${name} `);
    expect((await cli.run(['--help'])).out).to.equal(out);
  });

  it('lists a group of verbs', async () => {
    const { out } = await cli.run(['help', 'keys']);
    expect(out).to.include('keys revoke').and.not.to.include('receipts get');
    expect((await cli.run(['keys', '--help'])).out).to.equal(out);
  });
});
